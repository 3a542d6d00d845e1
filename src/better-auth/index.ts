export { type AuthServer, callerOf } from './caller.js'
export { userDirectory } from './directory.js'
export type { Tables } from './members.js'
export {
  type AuthRefusal,
  type ClavigerAuthOptions,
  type ClavigerAuthPlugin,
  claviger,
} from './plugin.js'
