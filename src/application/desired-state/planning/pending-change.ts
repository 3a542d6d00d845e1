import { err, ok, type Result } from 'neverthrow'
import type { ObjectDetails } from '../../../domain/aggregate.js'
import { type AnyEvent, byType } from '../../../domain/aggregates.js'
import { changedFields, currentVersion } from '../../../domain/message.js'
import type { ObjectRef, StreamId } from '../../../domain/values.js'
import type { Position } from '../../../ports/event-store.js'
import { isWithout } from '../../../projections/history-entries.js'
import { aggregateOf, readBatch } from '../../../projections/read-events.js'
import type { Protected } from '../../errors/errors.js'
import { Fault, fromPort } from '../../errors/fault.js'
import type { MappingChange } from '../../writing/dry-run.js'
import type { Action, FieldValue, PlannedChange, PlannedEvent, PlannedField } from '../plan/plan.js'
import type { Planning } from './sealed-secrets.js'

/** A planned change that is not recorded yet, with the details of its object. */
export interface PendingChange {
  readonly change: PlannedChange
  /** Details of the object when it was read; absent if it does not exist. */
  readonly details?: ObjectDetails | undefined
  /**
   * For a role or grant that does not exist: position of the last event of its stream, `0n` without events. It detects
   * that the object was added and removed again since. Absent if the stream was not read.
   */
  readonly lastEvent?: Position | undefined
  /** Whether it ends the protection of the object. */
  readonly isLift?: boolean
  /** Keys of the roles that users lose by the change; absent if they can lose none. */
  readonly ends?: readonly string[] | undefined
  /** For a changed mapping, its roles that count before and after. */
  readonly mapping?: MappingChange | undefined
}

/** An object as it was read; without details and values if it does not exist. */
export interface CurrentObject {
  readonly object: ObjectRef
  readonly details?: ObjectDetails | undefined
  readonly values?: Values
  /** The desired state that protects it. */
  readonly protectedBy?: string | undefined
}

/** Values of an object by field name. */
type Values = Readonly<Record<string, FieldValue>>

/**
 * The change of a declared object by `events`, which may be empty. `more` has the fields that do not follow from them.
 */
export const changeBy = (
  events: readonly PlannedEvent[],
  current: CurrentObject,
  more: readonly PlannedField[] = [],
): PendingChange => {
  const { object, details, values = {} } = current
  const after = valuesIn(events, object)
  const fields = details
    ? changedFields(values, after).map((field) => ({
        field,
        from: values[field],
        to: after[field],
      }))
    : Object.entries(after)
        .filter(([field, to]) => !isWithout(object.type, field, to))
        .map(([field, to]) => ({ field, to }))
  const action = details ? (events.length > 0 ? 'update' : 'unchanged') : 'add'
  return pending(action, current, { events, fields: [...fields, ...more] })
}

/**
 * The change of a declared object, which also protects it or ends its protection if needed, with `touch` if it has no
 * other events. Refused if another desired state protects the object.
 *
 * @param touch - an event that replaces the object's fields with the same values
 */
export const protectDeclared = (
  { access: { managedBy, protect } }: Pick<Planning, 'access'>,
  planned: PendingChange,
  { current, touch }: { readonly current: CurrentObject; readonly touch: () => PlannedEvent },
): Result<PendingChange, Protected> => {
  const { protectedBy: from } = current
  const isOther = from !== undefined && from !== managedBy
  const unlessProtected = isOther ? from : undefined
  const to = protect ? managedBy : unlessProtected
  const hasEvents = planned.change.events.length > 0
  if (isOther && (hasEvents || to !== from)) return err({ kind: 'Protected', managedBy: from })
  return ok(to === from ? planned : protectedAs(planned, { from, to, touch }))
}

/** The change that ends the protection of an object that is no longer declared. */
export const lift = (current: CurrentObject, touch: () => PlannedEvent): PendingChange => {
  const unchanged = changeBy([], current)
  return protectedAs(unchanged, { from: current.protectedBy, to: undefined, touch })
}

const protectedAs = (
  planned: PendingChange,
  given: {
    readonly from: string | undefined
    readonly to: string | undefined
    readonly touch: () => PlannedEvent
  },
): PendingChange => {
  const { from, to, touch } = given
  const { action, events, fields } = planned.change
  const field: PlannedField =
    action === 'add'
      ? { field: PROTECTED_BY, to }
      : { field: PROTECTED_BY, from: from ?? '', to: to ?? '' }
  return {
    ...planned,
    change: {
      ...planned.change,
      action: action === 'unchanged' ? 'update' : action,
      fields: [...fields, field],
      events: events.length > 0 ? events : [touch()],
    },
    isLift: to === undefined,
  }
}

/** The field of a plan with the desired state that protects an object; empty if it is unprotected. */
const PROTECTED_BY = 'protectedBy'

/** Whether a change begins or ends the protection of its object. */
export const changesProtection = ({ fields }: Pick<PlannedChange, 'fields'>): boolean =>
  fields.some(({ field }) => field === PROTECTED_BY)

/** Whether a change only ends the protection of an object. */
export const onlyLifts = ({ fields }: Pick<PlannedChange, 'fields'>): boolean =>
  fields.length === 1 &&
  fields.every((each) => each.field === PROTECTED_BY && 'to' in each && !each.to)

/** The removal of an object by `events`. */
export const removalBy = (
  events: readonly PlannedEvent[],
  current: CurrentObject,
): PendingChange => {
  const { object, values = {} } = current
  const fields = SHOWN[object.type]
    .filter((field) => !isWithout(object.type, field, values[field]))
    .map((field) => ({ field, from: values[field] }))
  return pending('remove', current, { events, fields })
}

/** No change: the id of the object belongs to a removed one. */
export const blocked = (object: ObjectRef): PendingChange => ({
  change: { action: 'blocked', object, reason: 'removed', fields: [], events: [] },
})

/** No change: a newer version of the desired state has marked the object. */
export const superseded = (current: CurrentObject): PendingChange =>
  pending('superseded', current, { fields: [], events: [] })

const pending = (
  action: Action,
  { object, details }: CurrentObject,
  { fields, events }: Pick<PlannedChange, 'fields' | 'events'>,
): PendingChange => {
  const change = { action, object, fields, events }
  return details
    ? { change: { ...change, sequence: String(details.sequence) }, details }
    : { change }
}

/** By type, the fields without ids that planned events set and views show, in the order of the recorded events. */
const SHOWN = byType(({ ids, events, fields }) => {
  const inEvents = events.flatMap((schema) =>
    Object.keys(schema.def.innerType.shape.data.def.innerType.shape),
  )
  // The events of grants and mappings have roles with generations, a plan their keys.
  return [...new Set([...inEvents, 'roleKeys'])].filter(
    (field) => field in fields && !(field in ids.shape),
  )
})

/** The values that `events` set, in the order in which they are shown. */
const valuesIn = (events: readonly PlannedEvent[], { type }: ObjectRef): Values => {
  const all = events.reduce<Values>((merged, { data }) => Object.assign(merged, data), {})
  const values: Record<string, FieldValue> = {}
  for (const field of SHOWN[type]) {
    const value = all[field]
    if (value !== undefined) values[field] = value
  }
  return values
}

const DECIDED = [
  'project.added',
  'project.updated',
  'project_role.added',
  'project_role.updated',
  'project_role.removed',
  'project_grant.removed',
  'role_mapping.removed',
  'identity_provider.oidc_added',
  'identity_provider.oidc_config_updated',
  'identity_provider.updated',
  'identity_provider.deactivated',
] as const satisfies readonly PlannedEvent['type'][]

type DecidedEvent = Extract<AnyEvent, { readonly type: (typeof DECIDED)[number] }>

const isDecided = (event: AnyEvent): event is DecidedEvent =>
  DECIDED.some((type) => type === event.type)

/** The decided events, in the form of a plan. */
export const plannedEvents = (events: readonly AnyEvent[]): readonly PlannedEvent[] =>
  events.map((event) => {
    if (!isDecided(event)) throw new Error(`A plan cannot have an event ${event.type}`)
    return { ...event, schemaVersion: schemaVersionOf(event.type) }
  })

/** The version in which a planned event is recorded. */
export const schemaVersionOf = (type: PlannedEvent['type']): number =>
  currentVersion(aggregateOf(type).decider.upcasters, type)

/** The marks of desired states on an object since it was last added, its removal included. */
interface ObjectMarks {
  /** Whether this desired state recorded it last, and so manages the object. */
  readonly isOwn: boolean
  /** Whether a newer version of this desired state has recorded it. Any version is newer than none. */
  readonly isNewer: boolean
  /** Position of the last event, marked or not; `0n` without events. */
  readonly lastEvent: Position
}

/** Streams that are read at the same time. */
const CONCURRENCY = 50

/**
 * The marks on the objects of `streams`; none for a desired state without `managedBy`. Events without a mark
 * leave earlier marks in force.
 */
export const marksOn = async (
  planning: Planning,
  streams: readonly StreamId[],
): Promise<ReadonlyMap<StreamId, ObjectMarks>> => {
  const marks = new Map<StreamId, ObjectMarks>()
  if (planning.access.managedBy === undefined) return marks
  for (let from = 0; from < streams.length; from += CONCURRENCY) {
    const reading = streams
      .slice(from, from + CONCURRENCY)
      .map(async (stream) => marks.set(stream, await marksOf(planning, stream)))
    await Promise.all(reading)
    await planning.runtime.environment.yield()
  }
  return marks
}

/** Whether a newer version of the desired state has marked the object of `stream`. */
export const isSuperseded = async (planning: Planning, stream: StreamId): Promise<boolean> =>
  (await marksOn(planning, [stream])).get(stream)?.isNewer === true

const marksOf = async (
  { runtime: { store }, access: { managedBy, version = 0 } }: Planning,
  stream: StreamId,
): Promise<ObjectMarks> => {
  const { known, unreadable } = readBatch(await fromPort(() => store.readStream(stream)))
  if (unreadable) throw new Fault(unreadable)
  // Marks from before a role was removed and added again do not apply to the new role.
  const added = known.findLastIndex((event) => aggregateOf(event.type).effectOf(event) === 'adds')
  const marked = known.slice(added).filter(({ metadata }) => metadata.managedBy !== undefined)
  const own = marked.findLast(({ metadata }) => metadata.managedBy === managedBy)
  return {
    isOwn: marked.at(-1)?.metadata.managedBy === managedBy,
    isNewer: (own?.metadata.managedVersion ?? 0) > version,
    lastEvent: known.at(-1)?.position ?? 0n,
  }
}
