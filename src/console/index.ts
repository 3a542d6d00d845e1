export { type ConsoleHandler, type ConsoleOptions, consoleHandler } from './console-handler.js'
export { crossSiteMiddleware, refuseCrossSite } from './cross-site.js'
