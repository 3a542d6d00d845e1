import { ok } from 'neverthrow'
import * as z from 'zod/mini'
import { type AnyEvent, ObjectInput } from '../../domain/kinds.js'
import { choice, type ObjectRef, requiredText } from '../../domain/values.js'
import type { Position } from '../../ports/event-store.js'
import type { HistoryEntry, HistoryQuery } from '../../ports/read-model.js'
import { fromPort } from '../errors/fault.js'
import { date, eventTypes, firstPositionIn, pageSize, position } from '../method/bounds.js'
import { type Read, read } from '../method/method.js'
import { targetOfObject } from '../method/target.js'
import type { Runtime } from '../runtime.js'
import { requireFed } from './require-fed.js'

/** A `Date`, which `stateAt` takes, would otherwise pass as an object without bounds. */
const timeBounds = z.pipe(
  z.custom<NonNullable<ListHistoryInput['time']>>((value) => !(value instanceof Date), {
    error: 'must have from or to',
  }),
  z.strictObject({ from: z.optional(date), to: z.optional(date) }),
)

/** Which changes to list: of the organization, or of one object. */
export const ListHistoryInput = z
  .strictObject({
    object: z.optional(ObjectInput),
    including: z.optional(choice(['roles'])),
    actor: z.optional(requiredText),
    types: eventTypes,
    order: z._default(choice(['asc', 'desc']), 'asc'),
    after: z._default(position, 0n),
    before: z.optional(position),
    time: z.optional(timeBounds),
    limit: pageSize,
  })
  .check(
    z.refine(({ object, including }) => including === undefined || object?.type === 'project', {
      error: 'needs an object of type project',
      path: ['including'],
    }),
  )
export interface ListHistoryInput {
  /** By its type and ids, also one that was removed; all of the organization when absent. */
  readonly object?: ObjectRef | undefined
  /** With an `object` that is a project: also the history of its roles, removed ones included. */
  readonly including?: 'roles' | undefined
  /** `userId` of the actor: 1 to 200 characters (code points); any when absent. */
  readonly actor?: string | undefined
  /** Any of these event types: 1 to 100; every type when absent. */
  readonly types?: readonly AnyEvent['type'][] | undefined
  /** Oldest first, `asc`, when absent; newest first with `desc`. */
  readonly order?: 'asc' | 'desc' | undefined
  /** Only entries above this position, exclusive: `0n` to `2n ** 64n - 1n`; `0n`, the start, when absent. */
  readonly after?: Position | undefined
  /** Only entries below this position, exclusive: `0n` to `2n ** 64n - 1n`; no bound when absent. */
  readonly before?: Position | undefined
  /** Only entries of this time, to the millisecond; `after` and `before` apply too. */
  readonly time?:
    | {
        /** Inclusive; no bound when absent. */
        readonly from?: Date | undefined
        /** Exclusive; no bound when absent. */
        readonly to?: Date | undefined
      }
    | undefined
  /** 1 to 1000 entries; 100 when absent. */
  readonly limit?: number | undefined
}

/** A page of history. */
export interface HistoryPage {
  /** In the order of `order`. */
  readonly items: readonly HistoryEntry[]
  /** With the order `asc`: `after` of the next page; absent on the last. */
  readonly nextAfter?: Position
  /** With the order `desc`: `before` of the next page; absent on the last. */
  readonly nextBefore?: Position
}

/**
 * Who changed what, when; removed objects keep their history. The history of a role shows the removal of its
 * project if the role existed then: it ended with it.
 */
export const listHistory = (runtime: Runtime): Read<ListHistoryInput, HistoryPage> =>
  read(
    runtime,
    {
      method: 'history.list',
      permissions: ['event.read'],
      schema: ListHistoryInput,
      target: targetOfObject,
    },
    async (call, { object, including, actor, types, order, limit, ...range }) => {
      const bounds = boundsOf(range)
      await runtime.follow(call)
      const found = await fromPort(() =>
        runtime.readModel.history({
          orgId: call.orgId,
          ...bounds,
          order,
          // One more entry shows whether there is another page.
          limit: limit + 1,
          ...(object !== undefined && { object }),
          ...(including !== undefined && { including }),
          ...(actor !== undefined && { actor }),
          ...(types !== undefined && { types }),
        }),
      )
      if (found.length === 0) await requireFed(runtime, call)
      const items = found.slice(0, limit)
      const last = items.at(-1)
      if (last === undefined || found.length <= limit) return ok({ items })
      const { sequence } = last
      return ok(order === 'asc' ? { items, nextAfter: sequence } : { items, nextBefore: sequence })
    },
  )

type Range = Pick<z.output<typeof ListHistoryInput>, 'after' | 'before' | 'time'>

/** A position contains its time, so bounds of time become bounds of positions. */
const boundsOf = ({ after, before, time }: Range): Pick<HistoryQuery, 'after' | 'before'> => {
  const earliest = time?.from && firstPositionIn(time.from) - 1n
  const end = time?.to && firstPositionIn(time.to)
  const lowest = before === undefined || (end !== undefined && end < before) ? end : before
  return {
    after: earliest !== undefined && earliest > after ? earliest : after,
    ...(lowest !== undefined && { before: lowest }),
  }
}
