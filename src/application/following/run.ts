import { ok, type Result } from 'neverthrow'
import type { EventStore, Position } from '../../ports/event-store.js'
import type { Projection } from '../../ports/projection.js'
import type { IamError } from '../errors/errors.js'
import { catchFaults } from '../errors/fault.js'
import { reportFault } from '../observing/observer.js'
import { delay, FIRST_PAUSE, longerPause } from '../waiting/pause.js'
import { callPort, raceAbort } from '../waiting/race-abort.js'
import { appendSignal } from './append-signal.js'
import { checkpointOf } from './apply-readable.js'
import { type CatchUpOptions, catchUp, type WithHooks } from './catch-up.js'

/** Longest wait for the last checkpoint of a projection after an abort, in milliseconds. */
const CHECKPOINT_TIMEOUT_MS = 1_000

/**
 * Keeps `projection` up to date until `signal` aborts; waits while the store or the projection is unavailable.
 *
 * @returns the checkpoint reached; or, as errors: why it cannot continue, or `Cancelled` when the projection does
 *   not answer after the abort
 */
export const run = async (
  store: EventStore,
  projection: Projection,
  options: CatchUpOptions & WithHooks,
): Promise<Result<Position, IamError>> => {
  const { signal, hooks } = options
  const appends = appendSignal(store)
  let pause = FIRST_PAUSE
  try {
    while (!signal?.aborted) {
      const seen = appends.count()
      const caughtUp = await catchUpToHead(store, projection, options)
      if (caughtUp.isErr()) {
        reportFault(hooks, 'run', caughtUp.error)
        if (!isTemporary(caughtUp.error)) return caughtUp
        await delay(pause, signal)
        pause = longerPause(pause)
      } else {
        pause = FIRST_PAUSE
        await appends.wait(seen, signal)
      }
    }
  } finally {
    appends.end()
  }
  const timeout = AbortSignal.timeout(CHECKPOINT_TIMEOUT_MS)
  return catchFaults(async () => ok(await raceAbort(checkpointOf(projection), timeout)))
}

const isTemporary = ({ kind }: IamError): boolean => kind === 'Unavailable' || kind === 'Cancelled'

/** Feeds `projection` the events that are in the store now. */
export const catchUpToHead = (
  store: EventStore,
  projection: Projection,
  options: CatchUpOptions & WithHooks,
): Promise<Result<Position, IamError>> =>
  catchFaults(async () => {
    const head = await callPort(() => store.lastPosition(), options.signal)
    return catchUp(store, projection, { ...options, head })
  })
