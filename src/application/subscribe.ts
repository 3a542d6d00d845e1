import { ID_IN_WORDS, isId } from '../domain/values.js'
import type { EventStore, Position, RecordedEvent } from '../ports/event-store.js'
import type { KnownEvent } from '../ports/known-event.js'
import type { UnreadableEvent } from '../ports/unreadable-event.js'
import { readEvent } from '../projections/read-event.js'
import { organizationIn } from '../projections/stream-name.js'
import type { Watched } from './catch-up.js'
import { isSignal } from './context.js'
import { unavailable } from './fault.js'
import type { Hooks } from './hooks.js'
import { ListHistoryInput } from './list-history.js'
import { type News, newsOf } from './news.js'
import { tellFault } from './observer.js'
import { orCancelled } from './or-cancelled.js'
import { parse } from './parse.js'
import { delay, FIRST_PAUSE, longerPause } from './pause.js'
import { turn } from './turn.js'

/** Most events that are read at once; a slow consumer holds no more than these. */
const BATCH_SIZE = 500

/** Which events a subscription is for. */
export interface SubscribeOptions {
  /** Any of these event types: 1 to 100; every type when absent. */
  readonly types?: ListHistoryInput['types']
  /** Position after which to begin, exclusive; `0n`, all there are, when absent. */
  readonly after?: Position | undefined
  /** Events of one organization. */
  readonly orgId?: string | undefined
  /** Ends the subscription, also while it waits or the store is silent. */
  readonly signal?: AbortSignal | undefined
}

/** Ends a subscription at an event that cannot be read. */
export class SubscriptionEnded extends Error {
  override readonly name = 'SubscriptionEnded'
  /** Which event, and why it cannot be read. */
  override readonly cause: UnreadableEvent

  constructor(cause: UnreadableEvent) {
    super(`${cause.kind} at position ${cause.position}`)
    this.cause = cause
  }
}

/** @see Iam.subscribe */
export const subscribe = (
  store: EventStore,
  options: SubscribeOptions = {},
  hooks?: Hooks,
): AsyncGenerator<KnownEvent, void, void> => {
  const { after, types, orgId, signal } = options
  const parsed = parse(ListHistoryInput, { after, types })
  if (parsed.isErr()) throw new TypeError(JSON.stringify(parsed.error.violations))
  if (orgId !== undefined && !isId(orgId)) throw new TypeError(`orgId must be ${ID_IN_WORDS}`)
  if (!isSignal(signal)) throw new TypeError('signal must be an AbortSignal')
  const ending = new AbortController()
  const events = eventsOf(store, { ...parsed.value, orgId, signal, hooks, ending })
  const [close, fail] = [events.return.bind(events), events.throw.bind(events)]
  // While it waits, they would be heard of only when the next event comes.
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

/** What a subscription is made of. */
interface Subscription extends SubscribeOptions, Watched {
  readonly after: Position
  /** Ends it from outside. */
  readonly ending: AbortController
}

async function* eventsOf(
  store: EventStore,
  { after, types, orgId, signal: outer, hooks, ending }: Subscription,
): AsyncGenerator<KnownEvent, void, void> {
  const { signal } = ending
  const end = () => ending.abort()
  if (outer?.aborted) return
  outer?.addEventListener('abort', end, { once: true })
  const isWanted = ({ type, stream }: KnownEvent): boolean =>
    (types === undefined || types.includes(type)) &&
    (orgId === undefined || organizationIn(stream) === orgId)

  const news = newsOf(store)
  try {
    let position = after
    while (!signal.aborted) {
      const events = await readOrWait(store, position, { news, signal, hooks })
      for (const recorded of events) {
        const event = readEvent(recorded)
        if (event.isErr()) {
          tellFault(hooks, 'subscribe', event.error)
          throw new SubscriptionEnded(event.error)
        }
        position = recorded.position
        if (signal.aborted) return
        if (isWanted(event.value)) yield event.value
      }
      if (events.length === BATCH_SIZE) await turn()
    }
  } finally {
    outer?.removeEventListener('abort', end)
    news.end()
  }
}

/** The next events; `[]` after it waited for some, or for the store. */
const readOrWait = async (
  store: EventStore,
  position: Position,
  { news, signal, hooks }: Watched & { readonly news: News; readonly signal: AbortSignal },
): Promise<readonly RecordedEvent[]> => {
  const seen = news.count()
  for (let pause = FIRST_PAUSE; !signal.aborted; pause = longerPause(pause)) {
    try {
      const events = await orCancelled(store.readAll(position, BATCH_SIZE), signal)
      if (events.length === 0) await news.wait(seen, signal)
      return events
    } catch (cause) {
      if (signal.aborted) return []
      tellFault(hooks, 'subscribe', unavailable(cause, 'not_recorded').error)
      await delay(pause, signal)
    }
  }
  return []
}
