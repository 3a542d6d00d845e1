import type { EventStore } from '../../ports/event-store.js'
import type { KnownEvent } from '../../ports/known-event.js'
import type { UnreadableEvent } from '../../ports/unreadable-event.js'
import { readEvent } from '../../projections/events/read-event.js'
import { unavailable } from '../errors/fault.js'
import type { Hooks } from '../observing/hooks.js'
import { reportFault } from '../observing/observer.js'
import { delay, FIRST_PAUSE, longerPause } from '../waiting/pause.js'
import { raceAbort } from '../waiting/race-abort.js'
import { yieldToEventLoop } from '../waiting/yield-to-event-loop.js'
import { appendSignal } from './append-signal.js'
import type { WithHooks } from './catch-up.js'
import {
  eventFilter,
  type SubscribeOptions,
  type Subscription,
  subscriptionOf,
} from './subscription.js'

/** Most events that are read at once, and so held in memory for a slow consumer. */
const BATCH_SIZE = 500

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
  options?: SubscribeOptions,
  hooks?: Hooks,
): AsyncGenerator<KnownEvent, void, void> => {
  const ending = new AbortController()
  const events = eventsOf(store, { ...subscriptionOf(options), hooks, ending })
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

interface RunningSubscription extends Subscription, WithHooks {
  /** Ends the subscription from outside. */
  readonly ending: AbortController
}

async function* eventsOf(
  store: EventStore,
  { hooks, ending, ...subscription }: RunningSubscription,
): AsyncGenerator<KnownEvent, void, void> {
  const { signal } = ending
  const end = () => ending.abort()
  if (subscription.signal?.aborted) return
  subscription.signal?.addEventListener('abort', end)
  const ask = <Answer>(read: () => Promise<Answer>) => retryRead(read, { signal, hooks })
  const filter = eventFilter(store, subscription)

  const appends = appendSignal(store)
  try {
    let position = subscription.after
    const last = subscription.until === 'head' ? await ask(() => store.lastPosition()) : undefined
    while (!signal.aborted && (last === undefined || position < last)) {
      const seen = appends.count()
      const events = (await ask(() => store.readAll(position, BATCH_SIZE))) ?? []
      if (events.length === 0) await appends.wait(seen, signal)
      for (const recorded of events) {
        if (last !== undefined && recorded.position > last) return
        const event = readEvent(recorded)
        if (event.isErr()) {
          reportFault(hooks, 'subscribe', event.error)
          throw new SubscriptionEnded(event.error)
        }
        position = recorded.position
        if (signal.aborted) return
        const verdict = filter(event.value)
        if (typeof verdict === 'boolean' ? verdict : await ask(verdict)) yield event.value
      }
      if (events.length === BATCH_SIZE) await yieldToEventLoop()
    }
  } finally {
    subscription.signal?.removeEventListener('abort', end)
    appends.end()
  }
}

/** Reads from the store until it answers; undefined once `signal` aborts. */
const retryRead = async <Answer>(
  read: () => Promise<Answer>,
  { signal, hooks }: WithHooks & { readonly signal: AbortSignal },
): Promise<Answer | undefined> => {
  for (let pause = FIRST_PAUSE; !signal.aborted; pause = longerPause(pause)) {
    try {
      return await raceAbort(read(), signal)
    } catch (cause) {
      reportFault(hooks, 'subscribe', unavailable(cause, 'not_recorded').error)
      await delay(pause, signal)
    }
  }
  return undefined
}
