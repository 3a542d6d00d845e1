import { err, ok, type Result } from 'neverthrow'
import type { ObjectDetails } from '../../../domain/aggregate.js'
import { type AnyEvent, byType, recordOf } from '../../../domain/aggregates.js'
import { exists } from '../../../domain/decider.js'
import { changedFields, type EventSchema, eventTypesOf } from '../../../domain/message.js'
import { fieldOf, type ObjectRef, type StreamId } from '../../../domain/values.js'
import { MAX_WRITES, type Position, type RecordedEvent } from '../../../ports/event-store.js'
import { isWithout } from '../../../projections/history-entries.js'
import { aggregateOf, readBatch, schemaVersionOf } from '../../../projections/read-events.js'
import type { Protected } from '../../errors/errors.js'
import { Fault } from '../../errors/fault.js'
import { readStreams } from '../../recording/read-streams.js'
import { type AnyStreamState, detailsOf } from '../../recording/stream-state.js'
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

/** An object as its stream was read. */
export const currentState = (
  { call: { orgId } }: Planning,
  object: ObjectRef,
  before: AnyStreamState,
): CurrentObject => {
  const { state, protectedBy } = before
  if (!exists(state)) return { object }
  return { object, details: detailsOf(before, orgId), values: { ...state }, protectedBy }
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
  // An event that replaces the fields of an object ends those that it leaves out.
  const ended = events
    .filter(({ type }) => type === `${object.type}.updated`)
    .flatMap(({ data }) =>
      fieldsToReplace(current).filter((field) => fieldOf(data, field) === undefined),
    )
    .map((field) => ({ field, from: values[field] }))
  const action = details ? (events.length > 0 ? 'update' : 'unchanged') : 'add'
  return pending(action, current, { events, fields: [...fields, ...ended, ...more] })
}

/**
 * The change of a declared object, which also protects it or ends its protection if needed. Refused if another desired
 * state protects the object.
 */
export const protectDeclared = (
  { access: { managedBy, protect } }: Pick<Planning, 'access'>,
  planned: PendingChange,
  current: CurrentObject,
): Result<PendingChange, Protected> => {
  const { protectedBy: from } = current
  const isOther = from !== undefined && from !== managedBy
  const unlessProtected = isOther ? from : undefined
  const to = protect ? managedBy : unlessProtected
  const hasEvents = planned.change.events.length > 0
  if (isOther && (hasEvents || to !== from)) return err({ kind: 'Protected', managedBy: from })
  return ok(to === from ? planned : protectedAs(planned, current, to))
}

/** The change that ends the protection of an object that is no longer declared. */
export const lift = (current: CurrentObject): PendingChange =>
  protectedAs(changeBy([], current), current, undefined)

const protectedAs = (
  planned: PendingChange,
  current: CurrentObject,
  to: string | undefined,
): PendingChange => {
  const { action, events, fields } = planned.change
  const field: PlannedField =
    action === 'add'
      ? { field: PROTECTED_BY, to }
      : { field: PROTECTED_BY, from: current.protectedBy ?? '', to: to ?? '' }
  return {
    ...planned,
    change: {
      ...planned.change,
      action: action === 'unchanged' ? 'update' : action,
      fields: [...fields, field],
      events: events.length > 0 ? events : [touch(current)],
    },
    isLift: to === undefined,
  }
}

/** An event that replaces the fields of an object with the same values. */
const touch = (current: CurrentObject): PlannedEvent => {
  const { object, values = {} } = current
  const data = recordOf(fieldsToReplace(current), (field) => values[field])
  return plannedEvent(`${object.type}.updated`, data)
}

/** The fields of an object that an event replaces. */
const fieldsToReplace = ({ object, values = {} }: CurrentObject): readonly string[] =>
  REPLACED[object.type].filter((field) => values[field] !== undefined)

/** The field of a plan with the desired state that protects an object; empty if it is unprotected. */
const PROTECTED_BY = 'protectedBy'

/** Whether a change begins or ends the protection of its object. */
export const changesProtection = ({ fields }: Pick<PlannedChange, 'fields'>): boolean =>
  fields.some(({ field }) => field === PROTECTED_BY)

/** Whether a change only ends the protection of an object. */
export const onlyLifts = ({ fields }: Pick<PlannedChange, 'fields'>): boolean =>
  fields.length === 1 &&
  fields.every((each) => each.field === PROTECTED_BY && 'to' in each && !each.to)

/** The removal of an object. */
export const removal = (current: CurrentObject): PendingChange => {
  const { object, values = {} } = current
  const { type, ...ids } = object
  const fields = SHOWN[type]
    .filter((field) => !isWithout(type, field, values[field]))
    .map((field) => ({ field, from: values[field] }))
  return pending('remove', current, { events: [plannedEvent(`${type}.removed`, ids)], fields })
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

const fieldsIn = (schema: EventSchema): readonly string[] =>
  Object.keys(schema.def.innerType.shape.data.def.innerType.shape)

/** By type, the fields of the event that replaces those of an object, with the keys of roles. */
const REPLACED = byType(({ type, events }) =>
  events
    .filter((schema) => eventTypesOf<string>(schema).includes(`${type}.updated`))
    .flatMap(fieldsIn)
    .map((field) => (field === 'roles' ? 'roleKeys' : field)),
)

/** By type, the fields without ids that planned events set and views show, in the order of the recorded events. */
const SHOWN = byType(({ ids, events, fields }) =>
  // The events of grants and mappings have roles with generations, a plan their keys.
  [...new Set([...events.flatMap(fieldsIn), 'roleKeys'])].filter(
    (field) => field in fields && !(field in ids.shape),
  ),
)

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

/** The decided events, in the form of a plan. */
export const plannedEvents = (events: readonly AnyEvent[]): readonly PlannedEvent[] =>
  events.map(({ type, data }) => plannedEvent(type, data))

/** An event in the form of a plan. */
export const plannedEvent = (type: string, data: object): PlannedEvent =>
  // Cast: `data` has the fields of the type, with the keys of roles instead of their generations.
  ({ type, schemaVersion: schemaVersionOf(type), data }) as PlannedEvent

/** The marks of desired states on an object since it was last added, its removal included. */
interface ObjectMarks {
  /** Whether this desired state recorded it last, and so manages the object. */
  readonly isOwn: boolean
  /** Whether a newer version of this desired state has recorded it. Any version is newer than none. */
  readonly isNewer: boolean
  /** Position of the last event, marked or not; `0n` without events. */
  readonly lastEvent: Position
}

/**
 * The marks on the objects of `streams`; none for a desired state without `managedBy`. Events without a mark
 * leave earlier marks in force.
 */
export const marksOn = async (
  planning: Planning,
  streams: readonly StreamId[],
): Promise<ReadonlyMap<StreamId, ObjectMarks>> => {
  const { access, runtime } = planning
  if (access.managedBy === undefined) return new Map()
  const marks = new Map<StreamId, ObjectMarks>()
  for (let from = 0; from < streams.length; from += MAX_WRITES) {
    const some = streams.slice(from, from + MAX_WRITES)
    const reads = some.map((stream) => ({ stream, afterVersion: 0 }))
    const found = await readStreams(runtime.store, reads)
    for (const [index, stream] of some.entries())
      marks.set(stream, marksOf(access, found[index] ?? []))
    await runtime.environment.yield()
  }
  return marks
}

/** Whether a newer version of the desired state has marked the object of `stream`. */
export const isSuperseded = async (planning: Planning, stream: StreamId): Promise<boolean> =>
  (await marksOn(planning, [stream])).get(stream)?.isNewer === true

const marksOf = (
  { managedBy, version = 0 }: Planning['access'],
  events: readonly RecordedEvent[],
): ObjectMarks => {
  const { known, unreadable } = readBatch(events)
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
