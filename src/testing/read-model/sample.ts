import type { AnyEvent } from '../../domain/aggregates.js'
import { currentVersion } from '../../domain/message.js'
import type { ObjectRef, StreamId } from '../../domain/values.js'
import type { Metadata, NewEvent, Position, RecordedEvent } from '../../ports/event-store.js'
import type { ListQuery, RefOf, SortValue, Views, ViewType } from '../../ports/read-model.js'
import { streamDefinitionOf } from '../../projections/read-events.js'

/** What the laws need of one type of object. */
export interface Sample<Type extends ViewType> {
  /** An object is added, with that id or with a key made of the name and the id; in a project, if its type lies in one. */
  readonly added: (id: string, name: string, projectId?: string) => AnyEvent
  /** The object `id` is deactivated; undefined for a type that is always active. */
  readonly deactivated: ((id: string) => AnyEvent) | undefined
  /** The project that is listed; nothing for a type that does not lie in projects. */
  readonly within: Pick<ListQuery<Type>, 'projectId'>
  /** Events of every type that the object has. */
  readonly scenario: Scenario & { readonly ref: RefOf<Type> }
  /**
   * The fields that lists are sorted by, and how each is read. They are written out, so that a read model
   * that lacks one of them breaks a law.
   */
  readonly sortFields: Readers<Views[Type]>
  /** The fields that lists are filtered by. */
  readonly filterFields: readonly (keyof Views[Type] & string)[]
  /** The id or key, which is unique in a list; `key` where several ids together are. */
  readonly identity: (keyof Views[Type] & string) | 'key'
  /** The field that holds the name; undefined for a type without one. */
  readonly name: (keyof Views[Type] & string) | undefined
}

/** A sequence of events of one object. */
export interface Scenario {
  readonly ref: ObjectRef
  /** The first event adds the object. */
  readonly steps: readonly [Step, ...Step[]]
  /** Earlier events, by organization: of neighbours, and of objects with the same name elsewhere. */
  readonly others: readonly (readonly [orgId: string, event: AnyEvent])[]
}

/**
 * An event, the fields that it changes (absent when it removes the object; those that it takes away are undefined), and
 * a secret that it changes.
 */
export type Step = readonly [event: AnyEvent, changed?: Row, secret?: string]

/** Fields of an object as it is read. */
export type Row = Readonly<Record<string, unknown>>

type Readers<View> = Readonly<Record<string, (row: View) => SortValue>>

/** The sort fields of every type. */
export const SORT_FIELDS_OF_ALL: Readers<Views[ViewType]> = {
  state: (row) => row.state,
  sequence: ({ details }) => details.sequence,
  creationDate: ({ details }) => BigInt(details.creationDate.getTime()),
  changeDate: ({ details }) => BigInt(details.changeDate.getTime()),
}

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
  schemaVersion: currentVersion(streamDefinitionOf(event.type).decider.upcasters, event.type),
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
      const stream = streamDefinitionOf(event.type).stream(orgId, event.data)
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
