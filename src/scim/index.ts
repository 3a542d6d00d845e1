export type { JsonObject } from '../handlers/body.js'
export type { RequestHandler } from '../handlers/serve.js'
export type { Failure } from '../transport/handler-options.js'
export type { NodeRequest } from '../transport/servers/node-request.js'
export type { NodeResponse } from '../transport/servers/node-response.js'
export { type ScimHandler, type ScimOptions, type ScimRefused, scimHandler } from './handler.js'
export {
  type FoundScimUser,
  memoryScimRecords,
  type ScimDirectory,
  type ScimPlace,
  type ScimRecords,
  type ScimUser,
  type ScimUsers,
  type StoredScimRecord,
} from './ports.js'
export {
  MAX_SCIM_TOKENS,
  type RefusedScimRequest,
  type ScimToken,
  type ScimTokenOptions,
  type ScimTokens,
  scimTokens,
} from './tokens.js'
