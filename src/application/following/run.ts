import { err, ok, type Result } from 'neverthrow'
import type { EventStore, Position } from '../../ports/event-store.js'
import type { Projection } from '../../ports/projection.js'
import type { IamError } from '../errors/errors.js'
import { errorOf, fromPort } from '../errors/fault.js'
import { reportFault } from '../observing/observer.js'
import { delay, FIRST_PAUSE, longerPause } from '../waiting/pause.js'
import { raceAbort } from '../waiting/race-abort.js'
import { appendSignal } from './append-signal.js'
import { type CatchUpOptions, catchUp, type Watched } from './catch-up.js'
import { checkpointOf } from './checkpoint-of.js'

/** Longest wait for a projection to tell how far it came, once aborted, in milliseconds. */
const FAREWELL = 1_000

/**
 * Keeps `projection` up to date until `signal` aborts; waits while the store is out of order.
 *
 * @returns the position it has reached by then, cancelled if it does not tell; or why it cannot go on
 */
export const run = async (
  store: EventStore,
  projection: Projection,
  options: CatchUpOptions & Watched,
): Promise<Result<Position, IamError>> => {
  const { signal } = options
  const news = appendSignal(store)
  let pause = FIRST_PAUSE
  try {
    while (!signal?.aborted) {
      const seen = news.count()
      const caughtUp = await catchUpToHead(store, projection, options)
      if (caughtUp.isErr()) reportFault(options.hooks, 'run', caughtUp.error)
      if (caughtUp.isOk()) {
        pause = FIRST_PAUSE
        await news.wait(seen, signal)
      } else if (caughtUp.error.kind === 'Unavailable') {
        await delay(pause, signal)
        pause = longerPause(pause)
      } else if (caughtUp.error.kind !== 'Cancelled') return err(caughtUp.error)
    }
    return await reached(projection)
  } finally {
    news.end()
  }
}

const reached = async (projection: Projection): Promise<Result<Position, IamError>> => {
  try {
    return ok(await raceAbort(checkpointOf(projection), AbortSignal.timeout(FAREWELL)))
  } catch (thrown) {
    return err(errorOf(thrown))
  }
}

/** Feeds `projection` what there is, once. */
export const catchUpToHead = async (
  store: EventStore,
  projection: Projection,
  options: CatchUpOptions & Watched,
): Promise<Result<Position, IamError>> => {
  try {
    const asking = fromPort(() => store.lastPosition())
    const head = await raceAbort(asking, options.signal)
    return await catchUp(store, projection, { ...options, head })
  } catch (thrown) {
    return err(errorOf(thrown))
  }
}
