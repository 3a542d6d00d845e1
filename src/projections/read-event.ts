import { err, ok, type Result } from 'neverthrow'
import * as z from 'zod/mini'
import { compiled } from '../domain/compiled.js'
import { identityProviderUpcasters } from '../domain/identity-provider/events.js'
import { currentVersion, type Upcasters, upcast } from '../domain/message.js'
import { projectUpcasters } from '../domain/project/events.js'
import { projectRoleUpcasters } from '../domain/project-role/events.js'
import type { Actor, RecordedEvent } from '../ports/event-store.js'
import type { KnownEvent } from '../ports/known-event.js'
import { corruptEvent, type UnreadableEvent, unknownEvent } from '../ports/unreadable-event.js'
import { EVENT_SCHEMAS, objectOf } from './event-cases.js'
import { streamOf } from './stream-name.js'

/** How the events of one type are read. */
interface Shape {
  /** Of the data alone: the type is known once the shape is found. */
  readonly data: z.ZodMiniType
  readonly version: number
}

const upcasters: Upcasters = {
  ...identityProviderUpcasters,
  ...projectUpcasters,
  ...projectRoleUpcasters,
}

/** By event type: to try the members of a union one by one would take several times as long. */
const shapes: ReadonlyMap<string, Shape> = new Map(
  EVENT_SCHEMAS.flatMap((schema) => {
    const { type, data } = schema.def.innerType.shape
    return type.def.values.map((name) => [
      name,
      { data: data.def.innerType, version: currentVersion(upcasters, name) },
    ])
  }),
)

/**
 * Reads an event of any version ever written as its newest version. Refuses what this version of
 * the library does not know, and what it would not have written. Design §4.
 */
export const readEvent = (recorded: RecordedEvent): Result<KnownEvent, UnreadableEvent> => {
  const shape = shapes.get(recorded.type)
  if (shape === undefined || !isKnownVersion(recorded.schemaVersion, shape))
    return err(unknownEvent(recorded))
  const flaw = flawOf(recorded)
  if (flaw !== undefined) return err(corruptEvent(recorded, flaw))
  const event = inNewestVersion(recorded, shape)
  if (!hasShape(event, shape)) return err(corruptEvent(recorded, firstFlaw(event, shape)))
  return tellsOfItsStream(event) ? ok(event) : err(corruptEvent(recorded, 'stream'))
}

const inNewestVersion = (recorded: RecordedEvent, { version }: Shape): RecordedEvent =>
  recorded.schemaVersion === version
    ? recorded
    : { ...recorded, schemaVersion: version, data: upcast(upcasters, recorded) }

const hasShape = (event: RecordedEvent, shape: Shape): event is KnownEvent =>
  z.validate(compiled(shape.data), event.data)

/** Metadata as storage gives it back: views rely on these fields. */
type StoredMetadata = Partial<Record<'actor' | 'resourceOwner' | 'correlationId', unknown>> | null

/** The first field that views rely on, in the metadata, and that is not as every append has it. */
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

/** Ids hold no `+`; an owner with one could pass for an organization and a project of it. */
const tellsOfItsStream = (event: KnownEvent): boolean => {
  const { resourceOwner } = event.metadata
  return !resourceOwner.includes('+') && event.stream === streamOf(resourceOwner, objectOf(event))
}

const firstFlaw = ({ data }: RecordedEvent, shape: Shape): string => {
  const issue = shape.data.safeParse(data).error?.issues[0]
  const keys = issue?.code === 'unrecognized_keys' ? issue.keys : []
  return ['data', ...(issue?.path ?? []), ...keys].join('.')
}
