import { Socket } from 'node:net'
import type { PostgresAddress } from '../options.js'
import { CLOSE_TIMEOUT_MS, ownPool } from './clients.js'
import { type Connections, POOL_OF_HOST, type PoolOwner, poolConnections } from './connections.js'
import type { Driver } from './driver.js'

/**
 * The connections to an address.
 *
 * @param server - whether they may lead to a standby
 */
export const openConnections = (
  driver: Driver,
  address: PostgresAddress,
  server?: Pick<PoolOwner, 'mayBeStandby'>,
): Connections => {
  if (address.pool) return poolConnections(address.pool, { ...POOL_OF_HOST, ...server })
  const sockets = openSockets()
  const pool = ownPool(driver, address, sockets.open)
  const end = () => {
    // Nobody may wait for what a silent standby was asked: it would hold up the end until its timeout.
    if (server?.mayBeStandby) sockets.destroyAfter(CLOSE_TIMEOUT_MS)
    return pool.end()
  }
  return poolConnections(pool, { end, remedy: 'raise maxConnections', ...server })
}

/** The sockets of a pool, those of connections that are being made and in use included. */
const openSockets = () => {
  const sockets = new Set<Socket>()
  return {
    open: (): Socket => {
      const socket = new Socket()
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
      return socket
    },
    destroyAfter: (milliseconds: number): void => {
      const destroyAll = () => {
        for (const socket of sockets) socket.destroy()
      }
      setTimeout(destroyAll, milliseconds).unref()
    },
  }
}
