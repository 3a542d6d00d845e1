import { kinds } from '../../domain/kinds.js'
import type { ObjectRef } from '../../domain/values.js'
import type { EventStore } from '../../ports/event-store.js'
import type { KnownEvent } from '../../ports/known-event.js'
import { kindOf, streamOf } from '../../projections/events/kind-of.js'
import { containerOf } from '../../projections/rows/row-key.js'
import type { Subscription } from './subscribe-options.js'

/** Whether a subscription is for an event; a question when the store has to be asked. */
type Verdict = boolean | (() => Promise<boolean>)

/** Tells which events the subscription is for. */
export const subscribedEvents = (
  store: EventStore,
  { types, orgId, object }: Subscription,
): ((event: KnownEvent) => Verdict) => {
  const isOfKind = ({ type, metadata }: KnownEvent): boolean =>
    (types === undefined || types.includes(type)) &&
    (orgId === undefined || metadata.resourceOwner === orgId)
  if (orgId === undefined || object === undefined) return isOfKind

  const own = streamOf(orgId, object)
  const container = containerOf(object)
  const streamOfContainer = container && streamOf(orgId, container)
  return (event) => {
    if (!isOfKind(event)) return false
    if (event.stream === own) return true
    const isEnd = event.stream === streamOfContainer && event.type === kindOf(event.type).removal
    return isEnd && (() => existed(store, object, event))
  }
}

/** Whether an object was there right before its container was removed: its last event is no removal. */
const existed = async (
  store: EventStore,
  object: ObjectRef,
  { position, metadata }: KnownEvent,
): Promise<boolean> => {
  const events = await store.readStream(streamOf(metadata.resourceOwner, object))
  const last = events.findLast((event) => event.position < position)
  return last !== undefined && last.type !== kinds[object.type].removal
}
