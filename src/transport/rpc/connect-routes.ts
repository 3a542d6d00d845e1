import type { ConnectRouter } from '@connectrpc/connect'
import type { Iam } from '../../index.js'
import { operationsOf } from '../json/routes.js'
import { resolveOptions, type TransportOptions } from '../options.js'
import { addRpc } from './add-rpc.js'

/**
 * The services of `claviger.v1` for a ConnectRPC router of the host's own: gRPC, gRPC-web and the
 * Connect protocol. JSON on REST paths comes with `nodeHandler` and `fetchHandler`.
 *
 * @throws TypeError for an option that is missing, unknown or malformed, for `basePath`, and unless `iam` was made by
 *   `createIam`
 */
export const connectRoutes = (
  iam: Iam,
  options: TransportOptions,
): ((router: ConnectRouter) => void) => {
  const operations = operationsOf(iam, options)
  const resolved = resolveOptions(options, 'connectRoutes')
  if (resolved.basePath !== '')
    throw new TypeError('basePath is not for connectRoutes: give your adapter a requestPathPrefix')
  return (router) => {
    for (const operation of operations) addRpc(router, resolved, { operation })
  }
}
