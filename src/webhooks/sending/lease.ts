import { type Cursor, writeCursor } from '../cursor.js'
import type { Setup } from '../options.js'

/** Longest pause between two writes of a cursor, in milliseconds; what was taken since is doubled by a crash. */
const WRITE_EVERY_MS = 250

/** A lease that was given. */
export interface GivenLease {
  readonly endpoint: string
  readonly holder: string
  /** Version of the cursor. */
  readonly version: number
  /** By `clock.elapsed`, before it was asked for. */
  readonly began: number
}

/** The lease of an endpoint while it is renewed, and its cursor while it is written. */
export interface Lease {
  /** Whether a request that is made now ends while the lease is still ours. */
  readonly permits: () => boolean
  /** Has the cursor written soon: messages were taken or refused. */
  readonly touch: () => void
  /** Writes what is left to be written, and gives the lease back. */
  readonly end: () => Promise<void>
}

/** What a lease is kept for. */
export interface LeaseUse {
  readonly cursor: () => Cursor
  /** Called once, when the lease is another's, or the cursor was moved. */
  readonly onLost: () => void
}

/**
 * Renews a lease after each third of it. Renewals and writes are made one after the other, so that a version that is
 * not ours is another's.
 */
export const keepLease = (setup: Setup, given: GivenLease, { cursor, onLost }: LeaseUse): Lease => {
  const { clock, lease, timeout, tellFault } = setup
  const { cursors } = setup.options
  const { endpoint, holder } = given
  const ending = new AbortController()
  let version = given.version
  let written = writeCursor(cursor())
  let [deadline, renewAt] = [given.began + lease, given.began + lease / 3]
  let isTouched = false
  let isLost = false

  const lose = () => {
    if (!isLost) onLost()
    isLost = true
  }

  const write = async (): Promise<void> => {
    isTouched = false
    const state = writeCursor(cursor())
    if (state === written) return
    if (!(await cursors.write(endpoint, { state, version, holder }))) return lose()
    version++
    written = state
  }

  const renew = async (): Promise<void> => {
    const began = clock.elapsed()
    const stored = await cursors.lease(endpoint, holder, lease)
    if (stored?.version !== version) return lose()
    deadline = began + lease
    renewAt = began + lease / 3
    // Where nothing was sent, the position is written as rarely.
    isTouched = true
  }

  const attempt = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work()
    } catch (cause) {
      isTouched = true
      tellFault({ during: 'cursors', endpoint, cause })
    }
  }

  const keep = async (): Promise<void> => {
    while (!ending.signal.aborted && !isLost) {
      if (clock.elapsed() >= renewAt) await attempt(renew)
      if (isTouched && !isLost) await attempt(write)
      if (clock.elapsed() >= deadline) lose()
      await clock.sleep(Math.min(WRITE_EVERY_MS, lease / 12), ending.signal)
    }
  }

  const kept = keep()
  return {
    permits: () => !isLost && clock.elapsed() + timeout < deadline,
    touch: () => {
      isTouched = true
    },
    end: async () => {
      ending.abort()
      await kept
      if (isLost) return
      await attempt(write)
      await attempt(() => cursors.release(endpoint, holder))
    },
  }
}
