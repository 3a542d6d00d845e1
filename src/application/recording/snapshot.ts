import { type Decider, exists } from '../../domain/decider.js'
import { currentVersion, type Message } from '../../domain/message.js'
import type { StreamId } from '../../domain/values.js'
import {
  type NewEvent,
  type Position,
  type RecordedEvent,
  timeOf,
  type Version,
} from '../../ports/event-store.js'
import { corruptEvent } from '../../ports/known-event.js'
import type { ObjectDetails } from '../../ports/read-model.js'
import { readEvent } from '../../projections/read-events.js'
import { Fault } from '../errors/fault.js'

/** What every state has. */
export interface Status {
  readonly status: string
}

/** What a kind says of the states of its streams. */
export interface Evolving<State extends Status, Event extends Message> {
  readonly decider: Pick<
    Decider<never, State, Event, unknown>,
    'initialState' | 'evolve' | 'upcasters'
  >
  readonly reads: (event: Message) => event is Event
}

/** A kind whose objects are named by `Ids`. */
export interface StreamKind<Ids, State extends Status, Event extends Message>
  extends Evolving<State, Event> {
  readonly stream: (orgId: string, ids: Ids) => StreamId
}

/** A stream of any kind, as it is after one of its events or before the first. */
export interface AnySnapshot {
  readonly name: StreamId
  readonly version: Version
  readonly state: Status
  /** Position of the event that created the object, the last time; `0n` when there is none. */
  readonly created: Position
  /** Position of the last event; `0n` when there is none. */
  readonly changed: Position
  /** The stream before its first event. */
  readonly beginning: () => AnySnapshot
  /** The stream after `recorded`, the next events of it. @throws Fault when one cannot be read */
  readonly replay: (recorded: readonly RecordedEvent[]) => AnySnapshot
}

/** A stream with a `State`. It never changes: each event leads to another snapshot. */
export class Snapshot<State extends Status, Event extends Message> implements AnySnapshot {
  readonly kind: Evolving<State, Event>
  readonly name: StreamId
  readonly state: State
  readonly version: Version
  readonly created: Position
  readonly changed: Position

  constructor(
    kind: Evolving<State, Event>,
    name: StreamId,
    after: Pick<Snapshot<State, Event>, 'state' | 'version' | 'created' | 'changed'> = {
      state: kind.decider.initialState,
      version: 0,
      created: 0n,
      changed: 0n,
    },
  ) {
    this.kind = kind
    this.name = name
    this.state = after.state
    this.version = after.version
    this.created = after.created
    this.changed = after.changed
  }

  beginning(): Snapshot<State, Event> {
    return new Snapshot(this.kind, this.name)
  }

  replay(recorded: readonly RecordedEvent[]): Snapshot<State, Event> {
    return recorded.reduce<Snapshot<State, Event>>(
      (before, event) => before.next(this.#read(event), event),
      this,
    )
  }

  /** The stream after `event`, which was recorded at `place`. */
  next(
    event: Event,
    { version, position }: Pick<RecordedEvent, 'version' | 'position'>,
  ): Snapshot<State, Event> {
    const state = this.kind.decider.evolve(this.state, event, version)
    const isNew = !exists(this.state) && exists(state)
    return new Snapshot(this.kind, this.name, {
      state,
      version,
      created: isNew ? position : this.created,
      changed: position,
    })
  }

  #read(recorded: RecordedEvent): Event {
    const read = readEvent(recorded)
    if (read.isErr()) throw new Fault(read.error)
    if (this.kind.reads(read.value)) return read.value
    throw new Fault(corruptEvent(recorded, 'type'))
  }
}

/** Whether `snapshot` is one of a stream of `kind`. */
export const isOf = <State extends Status, Event extends Message>(
  snapshot: AnySnapshot | undefined,
  kind: Evolving<State, Event>,
): snapshot is Snapshot<State, Event> => snapshot instanceof Snapshot && snapshot.kind === kind

/** The events, none perhaps, that a decision adds to one stream. */
export interface StreamRecord {
  /** The stream as it was decided on. */
  readonly before: AnySnapshot
  readonly events: readonly NewEvent[]
  /** The stream after the events, which were recorded as those of `recorded` from index `from` on. */
  readonly after: (recorded: readonly RecordedEvent[], from: number) => AnySnapshot
}

/** Adds `events`, none perhaps, to the stream that was read as `before`. */
export const record = <State extends Status, Event extends Message>(
  before: Snapshot<State, Event>,
  events: readonly Event[],
): StreamRecord => ({
  before,
  events: events.map((event) => newEvent(before.kind.decider, event)),
  after: (recorded, from) =>
    events.reduce((snapshot, event, index) => {
      const place = recorded[from + index]
      return place ? snapshot.next(event, place) : snapshot
    }, before),
})

/** A decided event, as a store takes it. */
export const newEvent = (
  { upcasters }: Pick<Decider<never, unknown, Message, unknown>, 'upcasters'>,
  { type, data }: Message,
): NewEvent => ({ type, schemaVersion: currentVersion(upcasters, type), data })

/** The common response object of the specification, for a stream of `resourceOwner`. */
export const detailsOf = (
  { created, changed }: AnySnapshot,
  resourceOwner: string,
): ObjectDetails => {
  const creationDate = timeOf(created)
  const changeDate = changed === created ? creationDate : timeOf(changed)
  return { sequence: changed, creationDate, changeDate, resourceOwner }
}

/** `details.sequence` of the object of a stream; undefined when there is none. */
export const sequenceOf = ({ state, changed }: AnySnapshot): Position | undefined =>
  exists(state) ? changed : undefined
