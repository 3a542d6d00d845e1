import type { Iam } from '../../index.js'
import type { TransportOptions } from '../options.js'
import { serveFetch } from '../servers/fetch.js'
import { type NodeHandler, serveNode } from '../servers/node.js'
import { createRoutes } from './routes.js'

// Options, and what they consist of.
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
 * JSON for servers in the style of `fetch`: the REST paths, the JSON of the Connect protocol, and the OpenAPI document.
 * Needs no optional peer. `claviger/transport` has a handler of the same name that also serves gRPC-web.
 *
 * @throws TypeError for an option that is missing, unknown or malformed, and unless `iam` was made by `createIam`; the
 *   handler rejects with one when it is given a request of Node.js
 */
export const fetchHandler = (
  iam: Iam,
  options: TransportOptions,
): ((request: Request) => Promise<Response>) =>
  serveFetch(createRoutes(iam, options, { name: 'fetchHandler' }))

/**
 * JSON for servers of Node.js: the REST paths, the JSON of the Connect protocol, and the OpenAPI document. Requests for
 * other paths go to `next`, or are answered with 404. Needs no optional peer. `claviger/transport` has a handler of the
 * same name that also serves gRPC and gRPC-web.
 *
 * @throws TypeError for an option that is missing, unknown or malformed, and unless `iam` was made by `createIam`; the
 *   handler throws one when it is given a `Request` of fetch
 */
export const nodeHandler = (iam: Iam, options: TransportOptions): NodeHandler =>
  serveNode(createRoutes(iam, options, { name: 'nodeHandler' }))
