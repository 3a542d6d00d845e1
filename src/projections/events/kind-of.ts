import { type AnyEvent, type AnyKind, kinds } from '../../domain/kinds.js'
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

/** The object that an event belongs to. */
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
