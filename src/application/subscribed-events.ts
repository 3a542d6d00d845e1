import { projectStream } from '../domain/project/events.js'
import type { StreamId } from '../domain/values.js'
import type { EventStore } from '../ports/event-store.js'
import type { KnownEvent } from '../ports/known-event.js'
import { streamOf } from '../projections/stream-name.js'
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
  const project = object.type === 'project_role' && projectStream(orgId, object.projectId)
  return (event) => {
    if (!isOfKind(event)) return false
    if (event.stream === own) return true
    const endsRole = event.type === 'project.removed' && event.stream === project
    return endsRole && (() => roleExisted(store, own, event))
  }
}

/** Whether a role was there right before its project was removed: its last event is no removal. */
const roleExisted = async (
  store: EventStore,
  role: StreamId,
  { position }: KnownEvent,
): Promise<boolean> => {
  const events = await store.readStream(role)
  const last = events.findLast((event) => event.position < position)
  return last !== undefined && last.type !== 'project_role.removed'
}
