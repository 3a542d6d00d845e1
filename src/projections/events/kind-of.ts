import {
  type AnyEvent,
  type AnyKind,
  type EventKind,
  eventKinds,
  kinds,
} from '../../domain/kinds.js'
import { eventTypesOf } from '../../domain/message.js'
import type { ObjectRef, StreamId } from '../../domain/values.js'

const byEventType: ReadonlyMap<string, AnyKind> = new Map(
  Object.values(kinds).flatMap((kind) =>
    kind.events.flatMap(eventTypesOf).map((eventType) => [eventType, kind] as const),
  ),
)

/** The kind that has events of that type. @throws RangeError when there is none */
export const kindOf = (eventType: string): AnyKind => {
  const kind = byEventType.get(eventType)
  if (kind === undefined) throw new RangeError(`There is no event ${eventType}`)
  return kind
}

/** How an event of that type is read. @throws RangeError when there is none */
export const eventKindOf = (eventType: string): EventKind => {
  const found = eventKinds.find(({ events }) =>
    events.some((schema) => eventTypesOf(schema).includes(eventType)),
  )
  if (found === undefined) throw new RangeError(`There is no event ${eventType}`)
  return found
}

/** Whether an event is one of an object. The others show nothing: they guard what is unique among organizations. */
export const isOfObject = ({ type }: { readonly type: string }): boolean => byEventType.has(type)

/** The object that an event belongs to. @throws RangeError when it is not one of an object */
export const objectOf = ({ type, data }: AnyEvent): ObjectRef => kindOf(type).ref(data)

/** The stream of the object that `ref` names within the organization. */
export const streamOf = (orgId: string, ref: ObjectRef): StreamId =>
  kinds[ref.type].stream(orgId, ref)

/** The organization in the name of `stream`; unchecked. */
export const organizationIn = (stream: StreamId): string => {
  const dash = stream.indexOf('-')
  const plus = stream.indexOf('+', dash + 1)
  return stream.slice(dash + 1, plus < 0 ? undefined : plus)
}
