import type { ConnectRouter } from '@connectrpc/connect'
import type { Iam } from '../../index.js'
import { edgeOf, type TransportOptions } from '../options.js'
import { identityProviderRoutes } from './identity-provider-routes.js'
import { projectRoleRoutes } from './project-role-routes.js'
import { projectRoutes } from './project-routes.js'

/**
 * The services of `claviger.v1` for a ConnectRPC router of the host's own: gRPC, gRPC-web and the
 * Connect protocol. JSON on REST paths comes with `nodeHandler` and `fetchHandler`.
 *
 * @throws TypeError when an option is missing, or `iam` is not what `createIam` returns
 */
export const connectRoutes = (
  iam: Iam,
  options: TransportOptions,
): ((router: ConnectRouter) => void) => {
  if (!iam?.projects) throw new TypeError('iam must be what createIam returns')
  const edge = edgeOf(options)
  const routes = [...identityProviderRoutes(iam), ...projectRoutes(iam), ...projectRoleRoutes(iam)]
  return (router) => {
    for (const add of routes) add(router, edge)
  }
}
