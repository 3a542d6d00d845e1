import { type AnyKind, kinds } from '../../domain/kinds.js'
import { eventTypesOf } from '../../domain/message.js'

const byEventType: ReadonlyMap<string, AnyKind> = new Map(
  Object.values(kinds).flatMap((kind) =>
    kind.events.flatMap(eventTypesOf).map((eventType) => [eventType, kind] as const),
  ),
)

/** The kind that has events of that type; throws when none has, for events are read before. */
export const kindOf = (eventType: string): AnyKind => {
  const kind = byEventType.get(eventType)
  if (kind === undefined) throw new RangeError(`There is no event ${eventType}`)
  return kind
}
