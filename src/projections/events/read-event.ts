import { err, ok, type Result } from 'neverthrow'
import * as z from 'zod/mini'
import { compiled } from '../../domain/compiled.js'
import { type AnyEvent, type EventKind, eventKinds } from '../../domain/kinds.js'
import { currentVersion, eventTypesOf, upcast } from '../../domain/message.js'
import type { Actor, RecordedEvent } from '../../ports/event-store.js'
import type { KnownEvent } from '../../ports/known-event.js'
import { corruptEvent, type UnreadableEvent, unknownEvent } from '../../ports/unreadable-event.js'

/** How the events of one type are read. */
interface Shape {
  readonly kind: EventKind
  /** Schema of the data alone: the type is checked before. */
  readonly data: z.ZodMiniType
  readonly version: number
}

const shapesOf = (kind: EventKind): readonly (readonly [type: string, Shape])[] =>
  kind.events.flatMap((schema) => {
    const data = schema.def.innerType.shape.data.def.innerType
    return eventTypesOf(schema).map((type) => {
      const version = currentVersion(kind.decider.upcasters, type)
      return [type, { kind, data, version }] as const
    })
  })

/** By event type: trying the members of a union one by one takes several times as long. */
const shapes: ReadonlyMap<string, Shape> = new Map(eventKinds.flatMap(shapesOf))

/**
 * Reads an event of any version ever written as its newest version. Refuses an event that is unknown to
 * this version of the library or not as it writes it. Design §4.
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

const inNewestVersion = (recorded: RecordedEvent, { kind, version }: Shape): RecordedEvent =>
  recorded.schemaVersion === version
    ? recorded
    : { ...recorded, schemaVersion: version, data: upcast(kind.decider.upcasters, recorded) }

const hasShape = (event: RecordedEvent, shape: Shape): event is RecordedEvent & AnyEvent =>
  z.validate(compiled(shape.data), event.data)

/** Metadata as a store returns it, with the fields that views need. */
type StoredMetadata = Partial<Record<'actor' | 'resourceOwner' | 'correlationId', unknown>> | null

/** Path of the first of these fields that is not as an append has it. */
const flawOf = ({ metadata }: { readonly metadata?: StoredMetadata }): string | undefined => {
  const actor: Partial<Record<keyof Actor, unknown>> | null = metadata?.actor ?? null
  if (typeof actor?.userId !== 'string') return 'metadata.actor.userId'
  if (typeof actor.orgId !== 'string') return 'metadata.actor.orgId'
  if (typeof metadata?.resourceOwner !== 'string') return 'metadata.resourceOwner'
  const correlationId = metadata.correlationId ?? ''
  return typeof correlationId === 'string' ? undefined : 'metadata.correlationId'
}

const isKnownVersion = (version: number, shape: Shape): boolean =>
  Number.isInteger(version) && version >= 1 && version <= shape.version

/** An owner with `+`, which no id has, could be taken for an organization and a project. */
const matchesStream = ({ metadata, stream, data }: KnownEvent, { kind }: Shape): boolean => {
  const { resourceOwner } = metadata
  return !resourceOwner.includes('+') && stream === kind.stream(resourceOwner, data)
}

const firstFlaw = ({ data }: RecordedEvent, shape: Shape): string => {
  const issue = shape.data.safeParse(data).error?.issues[0]
  const keys = issue?.code === 'unrecognized_keys' ? issue.keys : []
  return ['data', ...(issue?.path ?? []), ...keys].join('.')
}
