export { type AuthServer, callerOf, type Guard, type GuardOptions, guardOf } from './caller.js'
export { type AuthConsoleOptions, consoleOptionsOf } from './console.js'
export { userDirectory } from './directory.js'
export type { Tables, WritableTables } from './members.js'
export {
  type AuthRefusal,
  type ClavigerAuthOptions,
  type ClavigerAuthPlugin,
  claviger,
} from './plugin.js'
export { type TenantServer, type Tenants, tenantsOf } from './tenants.js'
