import type { PostgresAddress } from '../options.js'
import { ownPool } from './clients.js'
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
  const pool = ownPool(driver, address)
  return poolConnections(pool, { end: () => pool.end(), remedy: 'raise maxConnections', ...server })
}
