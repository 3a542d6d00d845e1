export type { Messages, Plural, Texts } from './browser/english.js'
export type { AreaName, PageName } from './browser/page-names.js'
export { type ConsoleHandler, consoleHandler } from './console-handler.js'
export { consolePath } from './console-path.js'
export { crossSiteMiddleware, refuseCrossSite } from './cross-site.js'
export type {
  DirectoryContext,
  OrganizationDescription,
  OrganizationDirectory,
  UserDescription,
  UserDirectory,
} from './directory.js'
export { german } from './german.js'
export type { ConsoleOptions, ProviderIds, ScimAccess, SetUpOptions } from './options.js'
