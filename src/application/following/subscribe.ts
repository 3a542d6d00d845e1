import * as z from 'zod/mini'
import { type AnyEvent, aggregates, ObjectInput } from '../../domain/aggregates.js'
import { type ObjectRef, OrgId } from '../../domain/values.js'
import type { EventStore, Position } from '../../ports/event-store.js'
import type { KnownEvent, UnreadableEvent } from '../../ports/known-event.js'
import { aggregateOf, readEvent, streamOf } from '../../projections/read-events.js'
import { WHOLE_REMOVALS, wholesOf } from '../../projections/rows.js'
import { errorOf, isBug } from '../errors/fault.js'
import { type Observed, reportFault } from '../hooks.js'
import { isSignal } from '../method/context.js'
import { eventTypes, parse, position } from '../method/input.js'
import { callPort, fromPort, growingPauses } from '../waiting.js'
import { appendSignal, logPages } from './log-pages.js'

/** Options of `iam.subscribe`. */
export interface SubscribeOptions {
  /** Only these event types: 1 to 100. Default: all. */
  readonly types?: readonly AnyEvent['type'][] | undefined
  /** Position after which to begin, exclusive. Default: `0n`, the start of the log. */
  readonly after?: Position | undefined
  /** Only events of this organization. */
  readonly orgId?: string | undefined
  /**
   * Only events of this object of `orgId`, by type and ids. If it is removed with a project or an identity provider of
   * `orgId`, its events end with the `project.removed` or `identity_provider.removed`: it has no such event of its own.
   */
  readonly object?: ObjectRef | undefined
  /**
   * `'head'`: ends after the events that the store had when the first one was read. Absent: continues with new events.
   */
  readonly until?: 'head' | undefined
  /** Ends the subscription at once, even while it waits or the store does not respond. */
  readonly signal?: AbortSignal | undefined
}

/** Ends a subscription at an event that cannot be read. */
export class SubscriptionEnded extends Error {
  override readonly name = 'SubscriptionEnded'
  /** The event, and why it cannot be read. */
  override readonly cause: UnreadableEvent

  constructor(cause: UnreadableEvent) {
    super(`${cause.kind} at position ${cause.position}`)
    this.cause = cause
  }
}

/** @see Iam.subscribe */
export const subscribe = (
  store: EventStore,
  options: SubscribeOptions | undefined,
  observed: Observed,
): AsyncGenerator<KnownEvent, void, void> => {
  const ending = new AbortController()
  const events = eventsOf(store, subscriptionOf(options), { ...observed, ending })
  const [close, fail] = [events.return.bind(events), events.throw.bind(events)]
  // A generator that waits would react to them only at the next event.
  events.return = () => {
    ending.abort()
    return close()
  }
  events.throw = (error) => {
    ending.abort()
    return fail(error)
  }
  return events
}

/** Most events that are read at once, and so held in memory for a slow consumer. */
const PAGE_SIZE = 500

async function* eventsOf(
  store: EventStore,
  subscription: Subscription,
  { hooks, environment, ending }: Observed & { readonly ending: AbortController },
): AsyncGenerator<KnownEvent, void, void> {
  const { signal } = ending
  const end = () => ending.abort()
  if (subscription.signal?.aborted) return
  subscription.signal?.addEventListener('abort', end)
  const appends = appendSignal({ store, environment })
  const pauses = growingPauses(environment)
  const filter = eventFilter(store, subscription)
  let position = subscription.after
  let last: Position | undefined
  try {
    while (!signal.aborted) {
      const seen = appends.count()
      try {
        if (subscription.until === 'head')
          last ??= await callPort(() => store.lastPosition(), signal)
        if (last !== undefined && position >= last) return
        for await (const { events } of logPages(store, position, {
          size: PAGE_SIZE,
          signal,
          environment,
        }))
          for (const recorded of events) {
            if (signal.aborted || (last !== undefined && recorded.position > last)) return
            const event = readEvent(recorded)
            if (event.isErr()) {
              reportFault(hooks, 'subscribe', event.error)
              throw new SubscriptionEnded(event.error)
            }
            const verdict = filter(event.value)
            const isWanted =
              typeof verdict === 'boolean' ? verdict : await callPort(verdict, signal)
            if (isWanted) yield event.value
            position = recorded.position
            pauses.reset()
            if (position === last) return
          }
        if (last !== undefined) {
          // A failover may have lost the last events.
          const head = await callPort(() => store.lastPosition(), signal)
          if (head < last) last = head
        }
        await appends.wait(seen, signal)
      } catch (thrown) {
        const error = errorOf(thrown)
        if (error.kind !== 'Unavailable') return
        reportFault(hooks, 'subscribe', error)
        if (isBug(error.cause)) throw error.cause
        await pauses.next(signal)
      }
    }
  } finally {
    subscription.signal?.removeEventListener('abort', end)
    appends.end()
  }
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
interface Subscription extends z.output<typeof SubscribeInput> {
  readonly signal?: AbortSignal | undefined
}

/** @throws TypeError that names each unknown or malformed option */
const subscriptionOf = ({ signal, ...options }: SubscribeOptions = {}): Subscription => {
  if (!isSignal(signal)) throw new TypeError('signal must be an AbortSignal')
  const parsed = parse(SubscribeInput, options)
  if (parsed.isOk()) return { ...parsed.value, signal }
  const { violations } = parsed.error
  throw new TypeError(
    violations.map(({ field, description }) => `${field} ${description}`).join('; '),
  )
}

/** Whether a subscription includes an event; a function if the store must be read to decide. */
type Verdict = boolean | (() => Promise<boolean>)

/** Decides which events a subscription includes. */
const eventFilter = (
  store: EventStore,
  { types, orgId, object }: Subscription,
): ((event: KnownEvent) => Verdict) => {
  const matches = ({ type, metadata }: KnownEvent): boolean =>
    (types === undefined || types.includes(type)) &&
    (orgId === undefined || metadata.resourceOwner === orgId)
  if (orgId === undefined || object === undefined) return matches

  const stream = streamOf(orgId, object)
  const wholes = wholesOf(orgId, object).map((whole) => streamOf(orgId, whole))
  return (event) => {
    if (!matches(event)) return false
    if (event.stream === stream) return true
    const isEnd = wholes.includes(event.stream) && aggregateOf(event.type).removes === event.type
    return isEnd && (() => existedBefore(store, { orgId, object }, event))
  }
}

/** Whether an object existed right before one of {@link wholesOf} was removed. */
const existedBefore = async (
  store: EventStore,
  { orgId, object }: { readonly orgId: string; readonly object: ObjectRef },
  { position }: KnownEvent,
): Promise<boolean> => {
  const events = await store.readStream(streamOf(orgId, object))
  const last = events.findLast((event) => event.position < position)
  if (last === undefined || aggregates[object.type].removes === last.type) return false
  const since = { after: last.position, until: position - 1n }
  return !(await isRemovedWithWhole(store, { orgId, object }, since))
}

/** Whether the project or the provider that contains an object was removed above `after`, and not above `until`. */
const isRemovedWithWhole = async (
  store: EventStore,
  { orgId, object }: { readonly orgId: string; readonly object: ObjectRef },
  { after, until }: { readonly after: Position; readonly until: Position },
): Promise<boolean> => {
  const streams = await Promise.all(
    wholesOf(orgId, object).map((whole) =>
      fromPort(() => store.readStream(streamOf(orgId, whole))),
    ),
  )
  return streams
    .flat()
    .some(
      ({ type, position }) =>
        position > after && position <= until && WHOLE_REMOVALS.includes(type),
    )
}
