import type { Pool, PoolClient } from 'pg'
import { StoreFault } from '../../../ports/event-store.js'
import { faultOf } from './faults.js'

/** Longest wait for a connection of a pool that sets no limit itself, in milliseconds. */
const MAX_WAIT_MS = 10_000

/**
 * The calls that wait for a connection of one pool.
 *
 * @param remedy - what a host can do when there are too few connections
 */
export const poolQueue = (pool: Pool, remedy: string) => {
  const refusals = new Set<(fault: StoreFault) => void>()

  const isExhausted = (): boolean =>
    pool.idleCount <= pool.waitingCount && pool.totalCount >= pool.options.max

  /** A connection, to be released. Rejects with a {@link StoreFault} when there is none. */
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
      // Before the timeout of the pool, whose error does not say what it waited for.
      const limit = isExhausted()
        ? afterLongestWait(pool, () => refuse(exhaustedFault(pool, remedy)))
        : undefined
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
    /** Rejects each waiting call: a closed pool would never answer it. */
    refuse: (): void => {
      for (const refuse of refusals) refuse(closedFault())
    },
  }
}

/** A host may have set no limit, by 0. */
const afterLongestWait = (pool: Pool, end: () => void): NodeJS.Timeout | undefined => {
  const longest = pool.options.connectionTimeoutMillis ?? MAX_WAIT_MS
  return longest > 0 ? setTimeout(end, longest) : undefined
}

const exhaustedFault = (pool: Pool, remedy: string): StoreFault =>
  faultOf(
    new Error(`The pool has no free connection, all ${pool.options.max} are in use: ${remedy}`),
    'not_recorded',
  )

/** The fault of a call after `close`. */
export const closedFault = (): StoreFault => new StoreFault('The store is closed', 'not_recorded')
