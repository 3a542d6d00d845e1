import type { EventStore, Position } from '../../ports/event-store.js'
import type { ReadModel } from '../../ports/read-model.js'
import { Fault, fromPort, unavailable } from '../errors/fault.js'
import type { AdmittedCall } from '../method/context.js'
import type { Hooks } from '../observing/hooks.js'
import { raceAbort } from '../waiting/race-abort.js'
import { catchUp } from './catch-up.js'
import { checkpointOf } from './checkpoint-of.js'

/** Where the log ends, and how far the read model is. */
export interface Progress {
  readonly head: Position
  readonly reached: Position
}

/** Brings a read model up to date; with what was `seen`, neither port is asked for it. */
export type Follow = (call: AdmittedCall, seen?: Progress) => Promise<void>

/** A catch-up that reads may wait for. */
interface CatchUp {
  /** Where the read model is at its end. */
  readonly done: Promise<Position>
  /** Where the read model was seen last, and since when. */
  reached: Position
  movedAt: number
}

/**
 * After how many milliseconds without progress nobody joins a catch-up: its connection may be lost. Four
 * times as long for each one more: what they all wait for, such as a lock, must not take all connections.
 */
const LONGEST_SILENCE = 5_000

/**
 * Lets reads see every write that completed before they began: each waits until the read model has
 * reached the head of the log as it was then, never chasing writers. Reads that wait at the same
 * time share one catch-up.
 */
export const follow = (store: EventStore, readModel: ReadModel, hooks?: Hooks): Follow => {
  // Only those that are of one database are made by who knows what the other needs; any other may be a wrapper.
  const isTrusted = readModel.readAtHead?.({ store, readModel }) !== undefined
  let underWay: CatchUp | undefined
  /** How many there are, those that nobody joins any more among them. */
  let unsettled = 0

  const catchUpOnce = async ({ head, reached }: Progress): Promise<Position> => {
    const caughtUp = await catchUp(store, readModel, { head, from: reached, isTrusted, hooks })
    if (caughtUp.isErr()) throw new Fault(caughtUp.error)
    return caughtUp.value
  }

  /** May be beside one that is silent: only one of them moves the checkpoint. */
  const begin = (progress: Progress): CatchUp => {
    unsettled++
    const done = fromPort(() => catchUpOnce(progress)).finally(() => {
      unsettled--
      if (underWay === begun) underWay = undefined
    })
    const begun = { done, reached: progress.reached, movedAt: performance.now() }
    underWay = begun
    return begun
  }

  /** The one to wait for, if any, now that the read model has `reached` a position. */
  const joinable = (reached: Position): CatchUp | undefined => {
    if (underWay === undefined) return undefined
    const now = performance.now()
    if (underWay.reached !== reached) underWay.movedAt = now
    underWay.reached = reached
    const longest = LONGEST_SILENCE * 4 ** (unsettled - 1)
    return now - underWay.movedAt < longest ? underWay : undefined
  }

  return async ({ consistency, signal }, seen) => {
    if (consistency === 'eventual') return
    const head = seen?.head ?? (await fromPort(() => store.lastPosition()))
    let reached = seen?.reached ?? (await checkpointOf(readModel))
    while (reached < head) {
      const joined = joinable(reached)
      const before = reached
      reached = await raceAbort((joined ?? begin({ head, reached })).done, signal)
      // One that another read began may have been for less than this one asks for.
      if (!joined && reached === before)
        throw unavailable(
          new Error('The store lacks events below its last position'),
          'not_recorded',
        )
    }
  }
}
