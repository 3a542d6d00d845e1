import type { Iam } from '../../index.js'
import type { TransportOptions } from '../options.js'
import { serveFetch } from '../servers/fetch.js'
import { type NodeHandler, serveNode } from '../servers/node.js'
import { createRoutes } from './routes.js'

// Options and their parts.
export type { Failure } from '../handler-options.js'
export type {
  OAuthFlow,
  OAuthFlows,
  OpenApiOptions,
  OpenApiServer,
  OpenApiVariable,
  SecurityScheme,
} from '../openapi-options.js'
export type {
  Authentication,
  IdentityProviderTest,
  TestedIdentityProvider,
  TransportOptions,
} from '../options.js'
export type { NodeHandler } from '../servers/node.js'
export type { NodeRequest } from '../servers/node-request.js'
export type { NodeResponse } from '../servers/node-response.js'

/**
 * Creates the JSON interface for `fetch`-style servers: REST paths, the JSON of the Connect protocol, and the OpenAPI
 * document. Needs no optional peer dependency. `claviger/transport` has a handler of the same name that also serves
 * gRPC-web.
 *
 * @throws TypeError for an option that is missing, unknown or malformed, and unless `iam` was made by `createIam`; the
 *   handler rejects with one for a Node.js request
 */
export const fetchHandler = (
  iam: Iam,
  options: TransportOptions,
): ((request: Request) => Promise<Response>) =>
  serveFetch(createRoutes(iam, options, { name: 'fetchHandler' }))

/**
 * Creates the JSON interface for Node.js servers: REST paths, the JSON of the Connect protocol, and the OpenAPI
 * document. Requests for other paths go to `next`, or get status 404. Needs no optional peer dependency.
 * `claviger/transport` has a handler of the same name that also serves gRPC and gRPC-web.
 *
 * @throws TypeError for an option that is missing, unknown or malformed, and unless `iam` was made by `createIam`; the
 *   handler throws one for a fetch `Request`
 */
export const nodeHandler = (iam: Iam, options: TransportOptions): NodeHandler =>
  serveNode(createRoutes(iam, options, { name: 'nodeHandler' }))
