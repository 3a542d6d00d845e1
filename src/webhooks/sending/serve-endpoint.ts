import { type Cursor, readCursor, writeCursor } from '../cursor.js'
import type { WebhookEndpoint } from '../endpoint.js'
import type { Log } from '../following/log.js'
import type { Setup } from '../options.js'
import type { GivenLease } from './lease.js'
import { runSession } from './session.js'

/** How often a suspended endpoint is looked at, in milliseconds. */
export const LOOK_AT_SUSPENDED_MS = 5_000

/** An endpoint, and who serves it. */
export interface Served {
  readonly endpoint: () => WebhookEndpoint
  readonly log: Log
  /** Names this process among those that share the cursors. */
  readonly holder: string
  readonly signal: AbortSignal
}

/** Serves an endpoint whenever the lease can be had, until `signal` aborts. @throws SubscriptionEnded */
export const serveEndpoint = async (setup: Setup, served: Served): Promise<void> => {
  const { clock, lease, tellFault, options } = setup
  const { signal, endpoint, holder, log } = served
  const { id } = endpoint()
  while (!signal.aborted) {
    let begun: Begun | 'suspended' | undefined
    try {
      begun = await begin(setup, served)
    } catch (cause) {
      tellFault({ during: 'cursors', endpoint: id, cause })
    }
    if (begun === 'suspended') await clock.sleep(LOOK_AT_SUSPENDED_MS, signal)
    else if (begun === undefined) await clock.sleep((lease / 6) * (0.5 + clock.random()), signal)
    else if (signal.aborted) await options.cursors.release(id, holder).catch(() => undefined)
    else await runSession(setup, { ...begun, endpoint, log, signal })
  }
}

interface Begun {
  readonly cursor: Cursor
  readonly lease: GivenLease
}

/** Takes the lease; undefined while another has it. A new endpoint has a cursor before anything is sent. */
const begin = async (setup: Setup, served: Served): Promise<Begun | 'suspended' | undefined> => {
  const { clock, lease, options } = setup
  const { cursors } = options
  const { endpoint: find, holder, log } = served
  const { id: endpoint, after } = find()
  if (readCursor(await cursors.read(endpoint))?.suspended) return 'suspended'
  const began = clock.elapsed()
  const stored = await cursors.lease(endpoint, holder, lease)
  if (stored === undefined) return undefined
  const { version } = stored
  const known = readCursor(stored)
  // Another process has suspended it since it was read.
  if (known?.suspended) {
    await cursors.release(endpoint, holder)
    return 'suspended'
  }
  if (known) return { cursor: known, lease: { endpoint, holder, version, began } }
  const cursor = { position: after ?? log.head(), held: [] }
  const state = writeCursor(cursor)
  if (!(await cursors.write(endpoint, { state, version, holder }))) return undefined
  return { cursor, lease: { endpoint, holder, version: version + 1, began } }
}
