export type { Failure } from '../transport/handler-options.js'
export type { Authentication } from '../transport/options.js'
export type { NodeRequest } from '../transport/servers/node-request.js'
export type { NodeResponse } from '../transport/servers/node-response.js'
export type {
  Decision,
  Decisions,
  ResourceProject,
  ResourceType,
  ResourceTypes,
} from './evaluation.js'
export { type AuthZenHandler, type AuthZenOptions, authZenHandler } from './handler.js'
export type { SearchResults } from './search.js'
