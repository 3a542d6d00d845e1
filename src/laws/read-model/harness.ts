import type { AnyEvent } from '../../domain/aggregates.js'
import type { PermittedRole } from '../../domain/facts.js'
import { projectGrantStream } from '../../domain/project-grant/aggregate.js'
import { projectRoleStream } from '../../domain/project-role/aggregate.js'
import type { StreamId } from '../../domain/values.js'
import type {
  EventStore,
  Metadata,
  NewEvent,
  Position,
  RecordedEvent,
} from '../../ports/event-store.js'
import type { ReadModel } from '../../ports/read-model.js'
import { project, type Row } from '../../projections/project.js'
import { isOfObject, schemaVersionOf, streamDefinitionOf } from '../../projections/read-events.js'
import { demand, type Law } from '../law.js'
import { eventOf } from './object-samples.js'

/** Where the data of a read model under test is kept. */
export interface ReadModelHome {
  /** A read model without any data. Handles that were opened before are not used any more. */
  readonly open: () => ReadModel | Promise<ReadModel>
  /** Another handle, as another process would have it, on the data of the last `open`. */
  readonly reopen: () => ReadModel | Promise<ReadModel>
  /** The store beside the read model that was opened last; needed when that has `readAtHead`. */
  readonly store?: () => EventStore | undefined
}

/** One sentence of the port, and what shows that a read model keeps to it. */
export type ReadModelLaw = Law<ReadModelHome>

/** Applies what `log` holds above the checkpoint. */
export const feed = async (model: ReadModel, log: Log): Promise<void> => {
  const from = await model.checkpoint()
  demand(await model.apply(from, log.above(from)), `${model.name} to apply from its checkpoint`)
}

/** A read model that has applied what `log` holds. */
export const fedWith = async ({ open }: ReadModelHome, log: Log): Promise<ReadModel> => {
  const model = await open()
  await feed(model, log)
  return model
}

/** A read model that applied `log` event by event, and after a reset all at once. */
export async function* fedTwice({ open }: ReadModelHome, log: Log): AsyncGenerator<ReadModel> {
  const model = await open()
  for (const size of [1, log.events.length]) {
    await model.reset()
    for (let start = 0; start < log.events.length; start += size)
      await model.apply(await model.checkpoint(), log.events.slice(start, start + size))
    yield model
  }
}

/** Runs `check` after each event of `log`, which was applied alone, and then with all before it. */
export const afterEach = async (
  { open }: ReadModelHome,
  log: Log,
  check: (model: ReadModel, index: number) => Promise<void>,
): Promise<void> => {
  const model = await open()
  for (const [index, event] of log.events.entries()) {
    await model.apply(await model.checkpoint(), [event])
    await check(model, index)
  }
  for (const index of log.events.keys()) {
    await model.reset()
    await model.apply(0n, log.events.slice(0, index + 1))
    await check(model, index)
  }
}

/** A log of these events. */
export const logOf = (recorded: readonly (readonly [...Recorded, ...unknown[]])[]): Log => {
  const log = newLog()
  for (const [orgId, event] of recorded) log.record(orgId, event)
  return log
}

/** An event of an organization. */
export type Recorded = readonly [orgId: string, event: AnyEvent]

/** Metadata that a law sets. */
export type Circumstances = Partial<
  Pick<Metadata, 'actor' | 'correlationId' | 'reason' | 'managedBy' | 'protect'>
>

/** A log as a store would record it. */
export interface Log {
  /** Everything recorded so far. */
  readonly events: readonly RecordedEvent[]
  /** Everything recorded above `position`. */
  readonly above: (position: Position) => readonly RecordedEvent[]
  /** Records an event of an organization. Roles that it gives are of the generations that are current then. */
  readonly record: (orgId: string, event: AnyEvent, circumstances?: Circumstances) => RecordedEvent
  /** The objects so far, by stream; undefined of one that was removed. */
  readonly rows: Rows
}

/** `event` as it is written now. */
export const inNewestVersion = (event: AnyEvent): NewEvent => ({
  ...event,
  schemaVersion: schemaVersionOf(event.type),
})

/** `event` with the current generations of the roles that it gives; the first where the log has none. */
const withGenerations = (rows: Rows, orgId: string, event: AnyEvent): AnyEvent => {
  if (!('roles' in event.data)) return event
  const { projectId, roles } = event.data
  const owner = 'projectOrgId' in event.data ? event.data.projectOrgId : orgId
  const permitted = permittedIn(rows.get(projectGrantStream(owner, projectId, orgId)))
  return eventOf(event.type, {
    ...event.data,
    roles: roles.map((role) => {
      const { roleKey } = role
      const fact = rows.get(projectRoleStream(owner, projectId, roleKey))?.fact?.fact
      const roleSince = fact?.in === 'role' ? fact.since : role.roleSince
      const grantSince = permitted.find((each) => each.roleKey === roleKey)?.since
      return { ...role, roleSince, ...(grantSince !== undefined && { grantSince }) }
    }),
  })
}

export const permittedIn = (grant: Row | undefined): readonly PermittedRole[] =>
  grant?.fact?.fact.in === 'project_grant' ? grant.fact.fact.roles : []

type Rows = ReadonlyMap<StreamId, Row | undefined>

/** Some neighbouring positions lie within the same millisecond. */
const STEP = 400n

/** A log that starts at `first`. */
export const newLog = (first: Position = 1_700_000_000_000_000n): Log => {
  const events: RecordedEvent[] = []
  const versions = new Map<StreamId, number>()
  const rows = new Map<StreamId, Row | undefined>()
  return {
    events,
    rows,
    above: (position) => events.filter((event) => event.position > position),
    record: (orgId, draft, circumstances) => {
      const event = withGenerations(rows, orgId, draft)
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
      if (isOfObject(event)) rows.set(stream, project(rows.get(stream), { ...recorded, ...event }))
      events.push(recorded)
      return recorded
    },
  }
}
