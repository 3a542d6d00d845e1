import type { AnyEvent } from '../../../domain/kinds.js'
import { currentVersion } from '../../../domain/message.js'
import type { StreamId } from '../../../domain/values.js'
import type { Metadata, NewEvent, Position, RecordedEvent } from '../../../ports/event-store.js'
import { eventKindOf } from '../../../projections/events/kind-of.js'

/** Metadata that a law sets. */
export type Circumstances = Partial<Pick<Metadata, 'actor' | 'correlationId'>>

/** A log as a store would record it. */
export interface Log {
  /** Everything recorded so far. */
  readonly events: readonly RecordedEvent[]
  /** Everything recorded above `position`. */
  readonly above: (position: Position) => readonly RecordedEvent[]
  /** Records an event of an organization. */
  readonly record: (orgId: string, event: AnyEvent, circumstances?: Circumstances) => RecordedEvent
}

/** `event` as it is written now. */
export const inNewestVersion = (event: AnyEvent): NewEvent => ({
  ...event,
  schemaVersion: currentVersion(eventKindOf(event.type).decider.upcasters, event.type),
})

/** Some neighbouring positions lie within the same millisecond. */
const STEP = 400n

/** A log that starts at `first`. */
export const newLog = (first: Position = 1_700_000_000_000_000n): Log => {
  const events: RecordedEvent[] = []
  const versions = new Map<StreamId, number>()
  return {
    events,
    above: (position) => events.filter((event) => event.position > position),
    record: (orgId, event, circumstances) => {
      const stream = eventKindOf(event.type).stream(orgId, event.data)
      const version = (versions.get(stream) ?? 0) + 1
      const position = first + STEP * BigInt(events.length)
      const actor = { userId: 'u1', orgId: 'operator' }
      const recorded: RecordedEvent = {
        ...inNewestVersion(event),
        appendId: `append-${events.length}`,
        stream,
        version,
        position,
        metadata: { actor, resourceOwner: orgId, ...circumstances },
      }
      versions.set(stream, version)
      events.push(recorded)
      return recorded
    },
  }
}
