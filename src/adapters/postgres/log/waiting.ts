import type { Pool, PoolClient } from 'pg'
import { StoreFault } from '../../../ports/store-fault.js'
import { faultOf } from '../connection/faults.js'

/** Longest wait for a connection of a pool that sets no limit itself, in milliseconds. */
const LONGEST_WAIT = 10_000

/** The calls that wait for a connection of one pool. */
export interface Waiting {
  /** A connection, to be released. Rejects with a {@link StoreFault} when none is to be had. */
  readonly connect: () => Promise<PoolClient>
  /** Rejects each call that waits, for a pool that is being closed forgets them. */
  readonly refuse: () => void
}

/** @param remedy - what a host can do when there are too few connections */
export const waitingFor = (pool: Pool, remedy: string): Waiting => {
  const refusals = new Set<(fault: StoreFault) => void>()

  /** Whether the next call has to wait until another is done. */
  const isDry = (): boolean =>
    pool.idleCount <= pool.waitingCount && pool.totalCount >= pool.options.max

  const connect = (): Promise<PoolClient> =>
    new Promise((resolve, reject) => {
      const settle = (): boolean => {
        clearTimeout(limit)
        return refusals.delete(refuse)
      }
      const refuse = (fault: StoreFault): void => {
        settle()
        reject(fault)
      }
      // Before the limit of the pool, which does not say what it waited for.
      const limit = isDry() ? limitOf(pool, () => refuse(dryFault(pool, remedy))) : undefined
      refusals.add(refuse)
      pool.connect().then(
        (client) => {
          if (settle()) resolve(client)
          else client.release()
        },
        (error) => refuse(faultOf(error, 'not_recorded')),
      )
    })

  return {
    connect,
    refuse: () => {
      for (const refuse of refusals) refuse(closedFault())
    },
  }
}

/** Calls `end` after the longest wait for a connection; a host may have set none, with 0. */
const limitOf = (pool: Pool, end: () => void): NodeJS.Timeout | undefined => {
  const longest = pool.options.connectionTimeoutMillis ?? LONGEST_WAIT
  return longest > 0 ? setTimeout(end, longest) : undefined
}

const dryFault = (pool: Pool, remedy: string): StoreFault =>
  faultOf(
    new Error(`The pool has no free connection, all ${pool.options.max} are in use: ${remedy}`),
    'not_recorded',
  )

/** The fault of a call after `close`. */
export const closedFault = (): StoreFault => new StoreFault('The store is closed', 'not_recorded')
