import { type Cursor, writeCursor } from './cursors.js'
import type { Setup } from './options.js'

/** Longest pause between two writes of a cursor, in milliseconds. After a crash, messages since then are sent again. */
const WRITE_EVERY_MS = 250

/** A lease that this process has taken. */
export interface LeaseInput {
  readonly endpoint: string
  readonly holder: string
  /** Version of the cursor. */
  readonly version: number
  /** By `environment.elapsed`, before the lease was taken. */
  readonly began: number
}

/** Renews the lease of an endpoint and writes its cursor. */
interface Lease {
  /** Whether a request that begins now ends before the lease. */
  readonly permits: () => boolean
  /** Writes the cursor soon: messages were accepted or refused. */
  readonly touch: () => void
  /** Writes the cursor and releases the lease. */
  readonly end: () => Promise<void>
}

/** The parts of a session that a lease needs. */
interface LeaseUse {
  readonly cursor: () => Cursor
  /** Called once, when another process has the lease or the cursor was moved. */
  readonly onLost: () => void
}

/**
 * Renews a lease after each third of it. Renewals and writes follow one another, so an unknown version was written by
 * another process.
 */
export const keepLease = (setup: Setup, input: LeaseInput, { cursor, onLost }: LeaseUse): Lease => {
  const { environment, lease, timeout, notifyFault } = setup
  const { cursors } = setup.options
  const { endpoint, holder } = input
  const ending = new AbortController()
  let version = input.version
  let written = writeCursor(cursor())
  let [deadline, renewAt] = [input.began + lease, input.began + lease / 3]
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
    const began = environment.elapsed()
    const stored = await cursors.lease(endpoint, holder, lease)
    if (stored?.version !== version) return lose()
    deadline = began + lease
    renewAt = began + lease / 3
    // While nothing is sent, the position is written only when the lease is renewed.
    isTouched = true
  }

  const attempt = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work()
    } catch (cause) {
      isTouched = true
      notifyFault({ during: 'cursors', endpoint, cause })
    }
  }

  const keep = async (): Promise<void> => {
    while (!ending.signal.aborted && !isLost) {
      if (environment.elapsed() >= renewAt) await attempt(renew)
      if (isTouched && !isLost) await attempt(write)
      if (environment.elapsed() >= deadline) lose()
      await environment.sleep(Math.min(WRITE_EVERY_MS, lease / 12), ending.signal)
    }
  }

  const keeping = keep()
  return {
    permits: () => !isLost && environment.elapsed() + timeout < deadline,
    touch: () => {
      isTouched = true
    },
    end: async () => {
      ending.abort()
      await keeping
      if (isLost) return
      await attempt(write)
      await attempt(() => cursors.release(endpoint, holder))
    },
  }
}
