export { type ConsoleHandler, type ConsoleOptions, consoleHandler } from './console-handler.js'
