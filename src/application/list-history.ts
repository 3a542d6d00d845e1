import { ok } from 'neverthrow'
import * as z from 'zod/mini'
import { listOf, type ObjectRef, requiredText } from '../domain/values.js'
import type { Position } from '../ports/event-store.js'
import type { AnyEvent } from '../ports/known-event.js'
import type { HistoryEntry } from '../ports/read-model.js'
import { EVENT_SCHEMAS } from '../projections/event-cases.js'
import { pageSize, position } from './bounds.js'
import { demandFed } from './demand-fed.js'
import { fromPort } from './fault.js'
import { type Read, read } from './method.js'
import { ObjectInput } from './object-input.js'
import type { Runtime } from './runtime.js'
import { targetOfObject } from './target.js'

const EVENT_TYPES = EVENT_SCHEMAS.flatMap((schema) => schema.def.innerType.shape.type.def.values)

/** Which changes to list: of the organization, or of one object, oldest first. */
export const ListHistoryInput = z.strictObject({
  object: z.optional(ObjectInput),
  actor: z.optional(requiredText),
  types: z.optional(listOf(z.enum(EVENT_TYPES, { error: 'must be an event type' }), 1, 100)),
  after: z._default(position, 0n),
  limit: pageSize,
})
export interface ListHistoryInput {
  /** By its type and ids; all of the organization when absent. It may have been removed since. */
  readonly object?: ObjectRef | undefined
  /** `userId` of who acted: 1 to 200 characters (code points); anybody when absent. */
  readonly actor?: string | undefined
  /** Any of these event types: 1 to 100; every type when absent. */
  readonly types?: readonly AnyEvent['type'][] | undefined
  /** Position after which to begin, exclusive: `0n` to `2n ** 64n - 1n`; `0n`, the start, when absent. */
  readonly after?: Position | undefined
  /** 1 to 1000 entries; 100 when absent. */
  readonly limit?: number | undefined
}

/** A page of history. */
export interface HistoryPage {
  /** Oldest first. */
  readonly items: readonly HistoryEntry[]
  /** What to ask for `after` next; absent when there is no more. */
  readonly nextAfter?: Position
}

/** Who changed what, when; the history of removed objects stays. */
export const listHistory = (runtime: Runtime): Read<ListHistoryInput, HistoryPage> =>
  read(
    runtime,
    {
      method: 'history.list',
      permissions: ['event.read'],
      schema: ListHistoryInput,
      target: targetOfObject,
    },
    async (session, { object, actor, types, after, limit }) => {
      await runtime.follow(session)
      const found = await fromPort(() =>
        runtime.readModel.history({
          orgId: session.orgId,
          after,
          // One more than asked for tells whether there are more.
          limit: limit + 1,
          ...(object !== undefined && { object }),
          ...(actor !== undefined && { actor }),
          ...(types !== undefined && { types }),
        }),
      )
      if (found.length === 0) await demandFed(runtime, session)
      const items = found.slice(0, limit)
      const last = items.at(-1)
      return ok({ items, ...(last && found.length > limit && { nextAfter: last.sequence }) })
    },
  )
