import type { EventStore } from '../ports/event-store.js'
import type { ReadModel } from '../ports/read-model.js'
import { catchUp } from './catch-up.js'
import { checkpointOf } from './checkpoint-of.js'
import type { Session } from './context.js'
import { Fault, fromPort, unavailable } from './fault.js'
import type { Hooks } from './hooks.js'
import { orCancelled } from './or-cancelled.js'

/** Brings a read model up to date. */
export type Follow = (session: Session) => Promise<void>

/**
 * Lets reads see every write that completed before they began: each waits until the read model has
 * reached the head of the log as it was then, never chasing writers. Reads that wait at the same
 * time share one catch-up.
 */
export const follow = (store: EventStore, readModel: ReadModel, hooks?: Hooks): Follow => {
  let underWay: Promise<void> | undefined

  const catchUpOnce = async (): Promise<void> => {
    const head = await store.lastPosition()
    const reached = await catchUp(store, readModel, { head, hooks })
    if (reached.isErr()) throw new Fault(reached.error)
  }

  return async ({ consistency, signal }) => {
    if (consistency === 'eventual') return
    const head = await fromPort(() => store.lastPosition())
    let reached = await checkpointOf(readModel)
    while (reached < head) {
      const isOwn = underWay === undefined
      underWay ??= fromPort(catchUpOnce).finally(() => {
        underWay = undefined
      })
      await orCancelled(underWay, signal)
      const before = reached
      reached = await checkpointOf(readModel)
      // One that another read began may have been for less than this one asks for.
      if (isOwn && reached === before)
        throw unavailable(
          new Error('The store lacks events below its last position'),
          'not_recorded',
        )
    }
  }
}
