import type { Position } from '../../ports/event-store.js'
import type { Host } from '../../ports/host.js'
import { Fault, unavailable } from '../errors/fault.js'
import type { Hooks } from '../hooks.js'
import type { AdmittedCall } from '../method/context.js'
import { fromPort, raceAbort } from '../waiting.js'
import { catchUp, checkpointOf, requireInLog } from './catch-up.js'

/** The head of the log, and the checkpoint of the read model. */
export interface Lag {
  readonly head: Position
  readonly reached: Position
}

/** Brings a read model up to date. Without `seen`, it reads head and checkpoint itself. */
export type Follow = (call: Pick<AdmittedCall, 'signal'>, seen?: Lag) => Promise<void>

/** A catch-up that several reads can wait for. */
interface SharedCatchUp {
  /** The checkpoint at its end. */
  readonly done: Promise<Position>
  /** The checkpoint that was last read, and since when it has been the same. */
  reached: Position
  movedAt: number
}

/**
 * A read stops waiting for a catch-up that has made no progress for this time, in milliseconds, because its connection
 * may be lost. Each further catch-up gets four times as long, so that catch-ups that wait for the same lock do not take
 * all connections.
 */
const LONGEST_SILENCE_MS = 5_000

/**
 * Lets reads see every write that completed before they began: each waits until the read model has reached the head of
 * the log at the start of the read, however much is written meanwhile. Concurrent reads share one catch-up.
 */
export const follow = (
  { store, readModel, environment }: Pick<Host, 'store' | 'readModel' | 'environment'>,
  hooks?: Hooks,
): Follow => {
  // A read model of the same database is ours. Any other may be a wrapper whose `apply` returns something else.
  const isTrusted = readModel.readAtHead?.({ store, readModel }) !== undefined
  let current: SharedCatchUp | undefined
  /** Catch-ups without progress that no read waits for any more, since one last succeeded. */
  const abandoned = new Set<SharedCatchUp>()

  /** May run beside one that makes no progress: only one of them can move the checkpoint. */
  const begin = ({ head, reached }: Lag): SharedCatchUp => {
    if (current) abandoned.add(current)
    const done = fromPort(async () => {
      const caughtUp = await catchUp(store, readModel, {
        head,
        from: reached,
        isTrusted,
        hooks,
        environment,
      })
      if (caughtUp.isErr()) throw new Fault(caughtUp.error)
      abandoned.clear()
      return caughtUp.value
    }).finally(() => {
      abandoned.delete(begun)
      if (current === begun) current = undefined
    })
    const begun = { done, reached, movedAt: environment.elapsed() }
    current = begun
    return begun
  }

  /** The catch-up to wait for, if any, now that the checkpoint is `reached`. */
  const joinable = (reached: Position): SharedCatchUp | undefined => {
    if (current === undefined) return undefined
    const now = environment.elapsed()
    if (current.reached !== reached) current.movedAt = now
    current.reached = reached
    const longest = LONGEST_SILENCE_MS * 4 ** abandoned.size
    return now - current.movedAt < longest ? current : undefined
  }

  const catchUpTo = async (
    head: Position,
    from: Position,
    signal: AbortSignal | undefined,
  ): Promise<void> => {
    let reached = from
    while (reached < head) {
      const joined = joinable(reached)
      const before = reached
      reached = await raceAbort((joined ?? begin({ head, reached })).done, signal)
      // A catch-up that another read began may have had a lower head.
      if (!joined && reached === before)
        throw unavailable(new Error(MISSING_EVENTS), 'not_recorded')
    }
  }

  return async ({ signal }, seen) => {
    const head = seen?.head ?? (await fromPort(() => store.lastPosition()))
    const reached = seen?.reached ?? (await checkpointOf(readModel))
    if (reached < head) await catchUpTo(head, reached, signal)
    // Others may have recorded and applied events since the head was read.
    if (reached > head) await requireInLog(store, reached, signal)
  }
}

const MISSING_EVENTS = 'The store lacks events below its last position'
