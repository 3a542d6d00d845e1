import * as z from 'zod/mini'
import { type AnyEvent, kinds, ObjectInput } from '../../domain/kinds.js'
import { type ObjectRef, OrgId } from '../../domain/values.js'
import type { EventStore, Position } from '../../ports/event-store.js'
import type { KnownEvent } from '../../ports/known-event.js'
import { kindOf, streamOf } from '../../projections/events/kind-of.js'
import { containerOf } from '../../projections/rows/row-key.js'
import { isSignal } from '../method/admit.js'
import { eventTypes, position } from '../method/bounds.js'
import { parse } from '../method/parse.js'

/** Which events a subscription is for. */
export interface SubscribeOptions {
  /** Any of these event types: 1 to 100; every type when absent. */
  readonly types?: readonly AnyEvent['type'][] | undefined
  /** Position after which to begin, exclusive; `0n`, the start of the log, when absent. */
  readonly after?: Position | undefined
  /** Only events of this organization. */
  readonly orgId?: string | undefined
  /**
   * Only events of this object of `orgId`, by its type and ids. Those of a role end with the `project.removed`
   * of its project if the role existed then: that removal has no event of its own.
   */
  readonly object?: ObjectRef | undefined
  /**
   * `'head'`: ends after the events that the store had when the first one was read. When absent, continues with
   * new events.
   */
  readonly until?: 'head' | undefined
  /** Ends the subscription at once, also while it waits or the store does not answer. */
  readonly signal?: AbortSignal | undefined
}

const SubscribeInput = z
  .strictObject({
    after: z._default(position, 0n),
    types: eventTypes,
    orgId: z.optional(OrgId),
    object: z.optional(ObjectInput),
    until: z.optional(z.literal('head', { error: "must be 'head'" })),
  })
  .check(
    z.refine(({ orgId, object }) => orgId !== undefined || object === undefined, {
      error: 'must be given with object',
      path: ['orgId'],
    }),
  )

/** Well-formed options. */
export interface Subscription extends z.output<typeof SubscribeInput> {
  readonly signal?: AbortSignal | undefined
}

/** @throws TypeError that names each unknown or malformed option */
export const subscriptionOf = ({ signal, ...given }: SubscribeOptions = {}): Subscription => {
  if (!isSignal(signal)) throw new TypeError('signal must be an AbortSignal')
  const parsed = parse(SubscribeInput, given)
  if (parsed.isOk()) return { ...parsed.value, signal }
  const { violations } = parsed.error
  throw new TypeError(
    violations.map(({ field, description }) => `${field} ${description}`).join('; '),
  )
}

/** Whether a subscription is for an event; a function when it takes a read of the store to decide. */
type Verdict = boolean | (() => Promise<boolean>)

/** Decides which events a subscription is for. */
export const eventFilter = (
  store: EventStore,
  { types, orgId, object }: Subscription,
): ((event: KnownEvent) => Verdict) => {
  const matches = ({ type, metadata }: KnownEvent): boolean =>
    (types === undefined || types.includes(type)) &&
    (orgId === undefined || metadata.resourceOwner === orgId)
  if (orgId === undefined || object === undefined) return matches

  const stream = streamOf(orgId, object)
  const container = containerOf(object)
  const streamOfContainer = container && streamOf(orgId, container)
  return (event) => {
    if (!matches(event)) return false
    if (event.stream === stream) return true
    const isEnd = event.stream === streamOfContainer && event.type === kindOf(event.type).removal
    return isEnd && (() => existed(store, object, event))
  }
}

/** Whether an object existed when its container was removed; nothing is recorded of it after that. */
const existed = async (
  store: EventStore,
  object: ObjectRef,
  { metadata }: KnownEvent,
): Promise<boolean> => {
  const last = (await store.readStream(streamOf(metadata.resourceOwner, object))).at(-1)
  return last !== undefined && last.type !== kinds[object.type].removal
}
