import type { PostgresDriver } from '../driver.js'
import type { PostgresAddress } from '../options.js'
import { loadPg, ownDriver, type Pg, poolDriver } from './pg.js'

/** Loads `pg` if one of `addresses` needs it. @throws Error when it is not installed */
export const loadPgFor = async (
  ...addresses: readonly (PostgresAddress | undefined)[]
): Promise<Pg | undefined> =>
  addresses.some((address) => address && !address.pool && !address.driver) ? loadPg() : undefined

/** The driver of an address whose options were checked. */
export const openDriver = (
  address: PostgresAddress,
  pg: Pg | undefined,
  {
    listenConnectionString,
    isReplica = false,
  }: { readonly listenConnectionString?: string | undefined; readonly isReplica?: boolean } = {},
): PostgresDriver => {
  if (address.driver) return address.driver
  if (address.pool) return poolDriver(address.pool, listenConnectionString)
  if (pg === undefined) throw new Error('pg was not loaded')
  return ownDriver(pg, address, isReplica, listenConnectionString)
}
