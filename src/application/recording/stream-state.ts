import type { ObjectDetails } from '../../domain/aggregate.js'
import { exists } from '../../domain/aggregate.js'
import type { Decider } from '../../domain/decider.js'
import type { Message } from '../../domain/message.js'
import type { ObjectRef, StreamId } from '../../domain/values.js'
import {
  type Metadata,
  type NewEvent,
  type Position,
  type RecordedEvent,
  timeOf,
  type Version,
} from '../../ports/event-store.js'
import { corruptEvent } from '../../ports/known-event.js'
import { protectorAfter, readEvent, schemaVersionOf } from '../../projections/read-events.js'
import { Fault } from '../errors/fault.js'
import type { AdmittedCall } from '../method/context.js'

/** Every state has this field. */
export interface Status {
  readonly status: string
}

/** The part of an aggregate that applies its events to a state. */
export interface Evolving<State extends Status, Event extends Message> {
  readonly decider: Pick<Decider<never, State, Event, unknown>, 'initialState' | 'evolve'>
  readonly reads: (event: Message) => event is Event
  /** Type of the event that adds an object; absent if the stream has none. */
  readonly adds?: string
}

/** An aggregate whose objects are named by `Ids`. */
export interface StreamsOf<Ids, State extends Status, Event extends Message>
  extends Evolving<State, Event> {
  readonly stream: (orgId: string, ids: Ids) => StreamId
  /** The object that `ids` name; absent if the streams are of no objects. */
  readonly ref?: (ids: Ids) => ObjectRef
}

/** A stream of any aggregate, after one of its events or before the first. */
export interface AnyStreamState {
  readonly name: StreamId
  readonly version: Version
  readonly state: Status
  /** Position of the event that last created the object; `0n` without one. */
  readonly created: Position
  /** Position of the last event; `0n` without one. */
  readonly changed: Position
  /** `managedBy` of the desired state that protects the object; undefined without one. */
  readonly protectedBy: string | undefined
  /**
   * For each `managedBy` that recorded events of the object since it was last added, its removal included: the version of
   * the last of them, 0 without one. The last that recorded one comes last.
   */
  readonly versions: ReadonlyMap<string, number>
  /** The stream before its first event. */
  readonly beginning: () => AnyStreamState
  /** The stream after `recorded`, its next events. @throws Fault when one cannot be read */
  readonly replay: (recorded: readonly RecordedEvent[]) => AnyStreamState
}

/** A stream with a `State`. It never changes: each event leads to another one. */
export class StreamState<State extends Status, Event extends Message> implements AnyStreamState {
  readonly aggregate: Evolving<State, Event>
  readonly name: StreamId
  readonly state: State
  readonly version: Version
  readonly created: Position
  readonly changed: Position
  readonly protectedBy: string | undefined
  readonly versions: ReadonlyMap<string, number>

  constructor(
    aggregate: Evolving<State, Event>,
    name: StreamId,
    after: Pick<
      StreamState<State, Event>,
      'state' | 'version' | 'created' | 'changed' | 'protectedBy' | 'versions'
    > = {
      state: aggregate.decider.initialState,
      version: 0,
      created: 0n,
      changed: 0n,
      protectedBy: undefined,
      versions: UNMANAGED,
    },
  ) {
    this.aggregate = aggregate
    this.name = name
    this.state = after.state
    this.version = after.version
    this.created = after.created
    this.changed = after.changed
    this.protectedBy = after.protectedBy
    this.versions = after.versions
  }

  beginning(): StreamState<State, Event> {
    return new StreamState(this.aggregate, this.name)
  }

  replay(recorded: readonly RecordedEvent[]): StreamState<State, Event> {
    return recorded.reduce<StreamState<State, Event>>(
      (before, event) => before.next(readAs(this.aggregate, event), event),
      this,
    )
  }

  /** The stream after `event`, which was recorded with this version, position and metadata. */
  next(event: Event, { version, position, metadata }: Place): StreamState<State, Event> {
    const state = this.aggregate.decider.evolve(this.state, event, version)
    const isThere = exists(state)
    const isNew = isThere && !exists(this.state)
    const isAdded = event.type === this.aggregate.adds
    return new StreamState(this.aggregate, this.name, {
      state,
      version,
      created: isNew ? position : this.created,
      changed: position,
      protectedBy: isThere ? protectorAfter(this.protectedBy, metadata) : undefined,
      versions: versionsAfter(isAdded ? UNMANAGED : this.versions, metadata),
    })
  }
}

/** The event, as one of `aggregate`. @throws Fault when it cannot be read */
const readAs = <State extends Status, Event extends Message>(
  aggregate: Evolving<State, Event>,
  recorded: RecordedEvent,
): Event => {
  const read = readEvent(recorded)
  if (read.isErr()) throw new Fault(read.error)
  if (aggregate.reads(read.value)) return read.value
  throw new Fault(corruptEvent(recorded, 'type'))
}

const UNMANAGED: ReadonlyMap<string, number> = new Map()

const versionsAfter = (
  before: ReadonlyMap<string, number>,
  { managedBy, managedVersion = 0 }: Metadata,
): ReadonlyMap<string, number> => {
  if (managedBy === undefined) return before
  const after = new Map(before)
  after.delete(managedBy)
  return after.set(managedBy, managedVersion)
}

/** The desired state that manages an object: the last that recorded an event of it; undefined without one. */
export const managerOf = ({ versions }: Pick<AnyStreamState, 'versions'>): string | undefined =>
  [...versions.keys()].at(-1)

/** Whether `stream` is one of `aggregate`. */
export const isOf = <State extends Status, Event extends Message>(
  stream: AnyStreamState | undefined,
  aggregate: Evolving<State, Event>,
): stream is StreamState<State, Event> =>
  stream instanceof StreamState && stream.aggregate === aggregate

/** `stream` as one of `aggregate`. @throws Error when it was read as one of another */
export const asOneOf = <State extends Status, Event extends Message>(
  stream: AnyStreamState,
  aggregate: Evolving<State, Event>,
): StreamState<State, Event> => {
  if (isOf(stream, aggregate)) return stream
  throw new Error(`${stream.name} was read as a stream of another aggregate`)
}

type Place = Pick<RecordedEvent, 'version' | 'position' | 'metadata'>

/** The events that a decision adds to one stream; may be empty. */
export interface StreamChange {
  /** The stream that the decision was made on. */
  readonly before: AnyStreamState
  readonly events: readonly NewEvent[]
  /** The stream after the events, which are in `recorded` from index `from` on. */
  readonly after: (recorded: readonly Place[], from: number) => AnyStreamState
}

/** Adds `events`, which may be empty, to the stream that was read as `before`. */
export const change = <State extends Status, Event extends Message>(
  before: StreamState<State, Event>,
  events: readonly Event[],
): StreamChange => ({
  before,
  events: events.map(({ type, data }) => ({ type, schemaVersion: schemaVersionOf(type), data })),
  after: (recorded, from) =>
    events.reduce((state, event, index) => {
      const place = recorded[from + index]
      if (place === undefined)
        throw new Error(`The store recorded too few events of ${before.name}`)
      return state.next(event, place)
    }, before),
})

/** The stream after a change that is not recorded yet; its position is the one before. */
export const foreseen = (
  { before, events, after }: StreamChange,
  metadata: Metadata,
): AnyStreamState => {
  const { version, changed: position } = before
  return after(
    events.map((_, index) => ({ version: version + index + 1, position, metadata })),
    0,
  )
}

/** The `details` of an outcome, for a stream of `resourceOwner`. */
export const detailsOf = (
  { created, changed }: AnyStreamState,
  resourceOwner: string,
): ObjectDetails => ({
  sequence: changed,
  creationDate: timeOf(created),
  changeDate: timeOf(changed),
  resourceOwner,
})

/** `details.sequence` of the object of a stream; undefined if it does not exist. */
export const sequenceOf = ({ state, changed }: AnyStreamState): Position | undefined =>
  exists(state) ? changed : undefined

/** Marks events as made by a desired state. */
export interface Marks {
  readonly managedBy?: string | undefined
  /** Version of the desired state; only with `managedBy`. */
  readonly version?: number | undefined
  /** Whether the desired state protects the objects after that; only with `managedBy`. */
  readonly protect?: boolean | undefined
}

/** The key as stores have it: each organization has its own. */
export const storedKey = (orgId: string, idempotencyKey: string): string =>
  `${orgId}+${idempotencyKey}`

/** The metadata of an append: actor, organization and marks. */
export type MetadataOf = (call: AdmittedCall, marks?: Marks, commandHash?: string) => Metadata

/**
 * @see MetadataOf
 *
 * Successive equal metadata are one frozen object, so that a memory store keeps it once and a database serializes it
 * once.
 */
export const metadataFactory = (): MetadataOf => {
  let last: Metadata | undefined
  return (call, marks = {}, commandHash) => {
    const { actorId, actorOrgId, orgId, correlationId, reason, idempotencyKey } = call
    if (
      last?.actor.userId !== actorId ||
      last.actor.orgId !== actorOrgId ||
      last.resourceOwner !== orgId
    ) {
      const actor = Object.freeze({ userId: actorId, orgId: actorOrgId })
      last = Object.freeze({ actor, resourceOwner: orgId })
    }
    const { managedBy, version: managedVersion, protect } = marks
    if ((correlationId ?? reason ?? managedBy ?? idempotencyKey) === undefined) return last
    return {
      ...last,
      ...(correlationId !== undefined && { correlationId }),
      ...(reason !== undefined && { reason }),
      ...(managedBy !== undefined && { managedBy }),
      ...(managedVersion !== undefined && { managedVersion }),
      ...(protect === true && { protect }),
      ...(idempotencyKey !== undefined && { idempotencyKey: storedKey(orgId, idempotencyKey) }),
      ...(commandHash !== undefined && { commandHash }),
    }
  }
}
