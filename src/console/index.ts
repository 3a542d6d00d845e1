export { type ConsoleHandler, type ConsoleOptions, consoleHandler } from './console-handler.js'
export { refuseCrossSite } from './cross-site.js'
