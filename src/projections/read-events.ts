import { err, ok, type Result } from 'neverthrow'
import * as z from 'zod/mini'
import {
  type AnyAggregate,
  type AnyEvent,
  aggregates,
  type StreamDefinition,
  streamDefinitions,
} from '../domain/aggregates.js'
import { compiled, currentVersion, eventTypesOf, upcast } from '../domain/message.js'
import type { ObjectRef, StreamId } from '../domain/values.js'
import type { Actor, Metadata, RecordedEvent } from '../ports/event-store.js'
import {
  corruptEvent,
  type KnownEvent,
  type UnreadableEvent,
  unknownEvent,
} from '../ports/known-event.js'

const byEventType: ReadonlyMap<string, AnyAggregate> = new Map(
  Object.values(aggregates).flatMap((aggregate) =>
    aggregate.events.flatMap(eventTypesOf).map((eventType) => [eventType, aggregate] as const),
  ),
)

/** The aggregate that has events of that type. @throws RangeError without one */
export const aggregateOf = (eventType: string): AnyAggregate => {
  const aggregate = byEventType.get(eventType)
  if (aggregate === undefined) throw new RangeError(`There is no event ${eventType}`)
  return aggregate
}

/** The streams that have events of that type. @throws RangeError when there are none */
export const streamDefinitionOf = (eventType: string): StreamDefinition =>
  shapeOf(eventType).definition

/** The version in which events of that type are written. @throws RangeError when there are none */
export const schemaVersionOf = (eventType: string): number => shapeOf(eventType).version

const shapeOf = (eventType: string): Shape => {
  const shape = shapes.get(eventType)
  if (shape === undefined) throw new RangeError(`There is no event ${eventType}`)
  return shape
}

/** Whether an event belongs to an object. Other events only guard uniqueness across organizations. */
export const isOfObject = ({ type }: { readonly type: string }): boolean => byEventType.has(type)

/** The object that an event belongs to. @throws RangeError when it is not one of an object */
export const objectOf = ({ type, data }: AnyEvent): ObjectRef => aggregateOf(type).ref(data)

/** The stream of the object that `ref` names within the organization. */
export const streamOf = (orgId: string, ref: ObjectRef): StreamId =>
  aggregates[ref.type].stream(orgId, ref)

/** The organization in the name of `stream`; unchecked. */
export const organizationIn = (stream: StreamId): string => {
  const dash = stream.indexOf('-')
  const plus = stream.indexOf('+', dash + 1)
  return stream.slice(dash + 1, plus < 0 ? undefined : plus)
}

/** How the events of one type are read. */
interface Shape {
  readonly definition: StreamDefinition
  /** Schema of the data alone: the type is checked before. */
  readonly data: z.ZodMiniType
  readonly version: number
}

const shapesOf = (definition: StreamDefinition): readonly (readonly [type: string, Shape])[] =>
  definition.events.flatMap((schema) => {
    const data = schema.def.innerType.shape.data.def.innerType
    return eventTypesOf(schema).map((type) => {
      const version = currentVersion(definition.decider.upcasters, type)
      return [type, { definition, data, version }] as const
    })
  })

/** By event type: trying the members of a union one by one takes several times as long. */
const shapes: ReadonlyMap<string, Shape> = new Map(streamDefinitions.flatMap(shapesOf))

/**
 * Reads an event of any version as its newest version. Refuses an event that is unknown to this version of the library
 * or malformed.
 */
export const readEvent = (recorded: RecordedEvent): Result<KnownEvent, UnreadableEvent> => {
  const shape = shapes.get(recorded.type)
  if (shape === undefined || !isKnownVersion(recorded.schemaVersion, shape))
    return err(unknownEvent(recorded))
  const flaw = flawOf(recorded)
  if (flaw !== undefined) return err(corruptEvent(recorded, flaw))
  const event = inNewestVersion(recorded, shape)
  if (!hasShape(event, shape)) return err(corruptEvent(recorded, firstFlaw(event, shape)))
  return matchesStream(event, shape) ? ok(event) : err(corruptEvent(recorded, 'stream'))
}

/** An event that was read before, in its newest version. It is not checked again. */
export const readAgain = (recorded: RecordedEvent): KnownEvent =>
  // Cast: it was an event of its type when it was applied.
  inNewestVersion(recorded, shapeOf(recorded.type)) as KnownEvent

const inNewestVersion = (recorded: RecordedEvent, { definition, version }: Shape): RecordedEvent =>
  recorded.schemaVersion === version
    ? recorded
    : { ...recorded, schemaVersion: version, data: upcast(definition.decider.upcasters, recorded) }

const hasShape = (event: RecordedEvent, shape: Shape): event is RecordedEvent & AnyEvent =>
  z.validate(compiled(shape.data), event.data)

/** Texts of metadata that views show and that an append may lack. */
const OPTIONAL_TEXTS = ['correlationId', 'reason', 'managedBy'] as const

/** Metadata as a store returns it, with the fields that views need. */
type StoredMetadata = Partial<
  Record<'actor' | 'resourceOwner' | (typeof OPTIONAL_TEXTS)[number], unknown>
> | null

/** Path of the first of these fields that is not as an append has it. */
const flawOf = ({ metadata }: { readonly metadata?: StoredMetadata }): string | undefined => {
  const actor: Partial<Record<keyof Actor, unknown>> | null = metadata?.actor ?? null
  if (typeof actor?.userId !== 'string') return 'metadata.actor.userId'
  if (typeof actor.orgId !== 'string') return 'metadata.actor.orgId'
  if (typeof metadata?.resourceOwner !== 'string') return 'metadata.resourceOwner'
  const flawed = OPTIONAL_TEXTS.find((field) => typeof (metadata[field] ?? '') !== 'string')
  return flawed && `metadata.${flawed}`
}

const isKnownVersion = (version: number, shape: Shape): boolean =>
  Number.isInteger(version) && version >= 1 && version <= shape.version

/** An owner with `+`, which no id has, could be taken for an organization and a project. */
const matchesStream = ({ metadata, stream, data }: KnownEvent, { definition }: Shape): boolean => {
  const { resourceOwner } = metadata
  return !resourceOwner.includes('+') && stream === definition.stream(resourceOwner, data)
}

const firstFlaw = ({ data }: RecordedEvent, shape: Shape): string => {
  const issue = shape.data.safeParse(data).error?.issues[0]
  const keys = issue?.code === 'unrecognized_keys' ? issue.keys : []
  return ['data', ...(issue?.path ?? []), ...keys].join('.')
}

/** The events of a batch up to the first that cannot be read. */
export interface ReadBatch {
  readonly known: readonly KnownEvent[]
  readonly unreadable?: UnreadableEvent
}

/** Batches that were read before, which a read model need not read again. */
const alreadyRead = new WeakMap<readonly RecordedEvent[], readonly KnownEvent[]>()

/** Reads `events` up to the first that cannot be read. */
export const readBatch = (events: readonly RecordedEvent[]): ReadBatch => {
  const known: KnownEvent[] = []
  alreadyRead.set(known, known)
  for (const recorded of events) {
    const event = readEvent(recorded)
    if (event.isErr()) return { known, unreadable: event.error }
    known.push(event.value)
  }
  return { known }
}

/**
 * Reads all of `events`. Throws at the first that cannot be read, with the refusal as its `cause`: callers of a
 * read model have read them before, and stop there.
 */
export const readEvents = (events: readonly RecordedEvent[]): readonly KnownEvent[] => {
  const before = alreadyRead.get(events)
  if (before) return before
  const { known, unreadable } = readBatch(events)
  if (!unreadable) return known
  const { kind, position } = unreadable
  throw new Error(`${kind} at position ${position}`, { cause: unreadable })
}

/**
 * The desired state that protects an object after one of its events; undefined if none does. Only an event of a desired
 * state protects an object, and only one of the same desired state lifts that.
 *
 * @param before - what protected it before; undefined of an object that the event adds
 */
export const protectorAfter = (
  before: string | undefined,
  { managedBy, protect }: Pick<Metadata, 'managedBy' | 'protect'>,
): string | undefined => {
  if (managedBy === undefined || (before !== undefined && before !== managedBy)) return before
  return protect === true ? managedBy : undefined
}
