import type { Iam } from '../index.js'
import type { TransportOptions } from './options.js'
import { createRoutes } from './routes.js'
import { serveFetch } from './servers/fetch.js'
import { type NodeHandler, serveNode } from './servers/node.js'

// Options and their parts.
export type { Failure } from './handler-options.js'
export type {
  OAuthFlow,
  OAuthFlows,
  OpenApiOptions,
  OpenApiServer,
  OpenApiVariable,
  SecurityScheme,
} from './openapi-options.js'
export type {
  Authentication,
  IdentityProviderTest,
  TestedIdentityProvider,
  TransportOptions,
} from './options.js'

// Handlers for each kind of server.
export type { NodeHandler } from './servers/node.js'
export type { NodeRequest } from './servers/node-request.js'
export type { NodeResponse } from './servers/node-response.js'

/**
 * Creates the transport for `fetch`-style servers (workers, Bun, Deno, Hono): JSON on REST paths and gRPC-web. Plain
 * gRPC gets status 415, because it needs trailers, which a `Response` does not have.
 *
 * @throws TypeError for an option that is missing, unknown or malformed, and unless `iam` was made by `createIam`; the
 *   handler rejects with one for a Node.js request
 */
export const fetchHandler = (
  iam: Iam,
  options: TransportOptions,
): ((request: Request) => Promise<Response>) =>
  serveFetch(createRoutes(iam, options, 'fetchHandler'))

/**
 * Creates the transport for Node.js servers: JSON on REST paths, gRPC-web, and gRPC over HTTP/2. Requests for other
 * paths go to `next`, or get status 404.
 *
 * @throws TypeError for an option that is missing, unknown or malformed, and unless `iam` was made by `createIam`; the
 *   handler throws one for a fetch `Request`
 */
export const nodeHandler = (iam: Iam, options: TransportOptions): NodeHandler =>
  serveNode(createRoutes(iam, options, 'nodeHandler'))
