import { exists } from '../../../domain/aggregate.js'
import { byType, recordOf } from '../../../domain/aggregates.js'
import { changedFields, type EventSchema, type Message } from '../../../domain/message.js'
import { fieldOf, type ObjectRef, type StreamId } from '../../../domain/values.js'
import { isWithout } from '../../../projections/history-entries.js'
import {
  type AnyStreamState,
  asOneOf,
  change,
  foreseen,
  managerOf,
  type Status,
  type StreamChange,
  StreamState,
  type StreamsOf,
  sequenceOf,
} from '../../recording/stream-state.js'
import type { ReadOptions, Streams } from '../../recording/streams.js'
import type { MappingChange } from '../../writing/dry-run.js'
import type { FieldValue, PlannedChange, PlannedField } from '../plan/plan.js'
import type { Planning } from '../sealed-secrets.js'

/** The decision on one object of a desired state: the change to show, and what to record. */
export interface Draft {
  readonly change: PlannedChange
  /** The stream that was decided on; absent if the object is blocked. */
  readonly before?: AnyStreamState
  /** Absent if no event is recorded. */
  readonly write?: StreamChange | undefined
  /** The other objects that must not have changed when it is recorded. */
  readonly guards?: readonly Guard[]
  /** Whether it ends the protection of the object. */
  readonly isLift?: boolean
  /** Keys of the roles that a grant or mapping gains or loses. */
  readonly changedRoleKeys?: readonly string[]
  /** Keys of the roles that users lose by the change; absent if they can lose none. */
  readonly ends?: readonly string[] | undefined
  /** For a changed mapping, its roles that count before and after. */
  readonly mapping?: MappingChange | undefined
}

/** An object, and its stream before the decision. */
export interface Subject {
  readonly object: ObjectRef
  readonly before: AnyStreamState
  /** Keys of the roles of a grant or mapping that are current before the decision. */
  readonly roleKeys?: readonly string[]
}

/**
 * The draft of a declared object, or of one whose protection ends. `more` has the fields that do not follow from the
 * events.
 */
export const changed = (
  planning: Planning,
  subject: Subject,
  write: StreamChange,
  more: readonly PlannedField[] = [],
): Draft => {
  const { object, before } = subject
  const isNew = !exists(before.state)
  const hasEvents = write.events.length > 0
  const [from, to] = [before.protectedBy, protectorAfter(planning, before)]
  const fields: PlannedField[] = [
    ...(hasEvents ? fieldsAfter(planning, subject, write) : []),
    ...more,
  ]
  if (to !== from)
    fields.push({ field: PROTECTED_BY, ...(!isNew && { from: from ?? '' }), to: to ?? '' })
  const action = isNew ? 'add' : hasEvents ? 'update' : 'unchanged'
  return {
    change: { action, object, fields, ...sequence(before) },
    before,
    ...(hasEvents && { write }),
    isLift: to !== from && to === undefined,
  }
}

const fieldsAfter = (planning: Planning, subject: Subject, write: StreamChange) =>
  fieldsBetween(subject, { object: subject.object, before: foreseenBy(planning, write) })

/** A stream as it will be after `write`. */
export const foreseenBy = ({ runtime, call }: Planning, write: StreamChange): AnyStreamState =>
  foreseen(write, runtime.metadataOf(call))

/** The removal of an object. */
export const removed = (subject: Subject, write: StreamChange): Draft => ({
  ...superseded(subject),
  change: {
    action: 'remove',
    object: subject.object,
    fields: fieldsBetween(subject, undefined),
    ...sequence(subject.before),
  },
  write,
})

/** No change: a newer version of the desired state has marked the object. */
export const superseded = ({ object, before }: Subject): Draft => ({
  change: { action: 'superseded', object, fields: [], ...sequence(before) },
  before,
})

/** No change: the id of the object belongs to a removed one. */
export const blocked = (object: ObjectRef): Draft => ({
  change: { action: 'blocked', object, reason: 'removed', fields: [] },
})

const sequence = (before: AnyStreamState) => {
  const position = sequenceOf(before)
  return position === undefined ? {} : { sequence: String(position) }
}

type Options = Pick<Planning, 'access'>

/** What protects an object after the desired state is applied that declares it, or does not declare it any more. */
const protectorAfter = (
  { access: { managedBy, protect } }: Options,
  { protectedBy }: AnyStreamState,
): string | undefined => {
  if (protect) return managedBy
  return protectedBy === managedBy ? undefined : protectedBy
}

/** Whether the protection of the object changes. Then an event is recorded even if its fields stay the same. */
export const protectionChanges = (options: Options, before: AnyStreamState): boolean =>
  protectorAfter(options, before) !== before.protectedBy

/** The change of a stream by `events`, or by an event with the `same` fields if the protection of the object alone changes. */
export const writeOf = <State extends Status, Event extends Message>(
  planning: Planning,
  before: StreamState<State, Event>,
  events: readonly Event[],
  same: (state: Exclude<State, { readonly status: 'absent' | 'removed' }>) => NoInfer<Event>,
): StreamChange => {
  const { state } = before
  const isForced = events.length === 0 && exists(state) && protectionChanges(planning, before)
  return change(before, isForced ? [same(state)] : events)
}

/** The field of a plan with the desired state that protects an object; empty if it is unprotected. */
const PROTECTED_BY = 'protectedBy'

/** Whether a change only ends the protection of an object. */
export const onlyLifts = ({ fields }: Pick<PlannedChange, 'fields'>): boolean =>
  fields.length === 1 &&
  fields.every((each) => each.field === PROTECTED_BY && 'to' in each && !each.to)

/** Whether the desired state manages the object: it was the last desired state to record an event of it. */
export const isOwn = ({ access: { managedBy } }: Options, stream: AnyStreamState): boolean =>
  managedBy !== undefined && managerOf(stream) === managedBy

/** Whether a newer version of the desired state has marked the object. Any version is newer than none. */
export const isSuperseded = (
  { access: { managedBy, version = 0 } }: Options,
  { versions }: AnyStreamState,
): boolean => managedBy !== undefined && (versions.get(managedBy) ?? 0) > version

const fieldsIn = (schema: EventSchema): readonly string[] =>
  Object.keys(schema.def.innerType.shape.data.def.innerType.shape)

/** The fields of an object that differ, in the order of its events; those that end come last. */
const fieldsBetween = (from: Subject, to: Subject | undefined): readonly PlannedField[] => {
  const { type } = from.object
  const [before, after] = [valuesOf(type, from), valuesOf(type, to)]
  const isNew = !exists(from.before.state)
  const names = changedFields(before, after).filter(
    (field) => !(isNew || !to) || !isWithout(type, field, isNew ? after[field] : before[field]),
  )
  const isEnding = (field: string) => after[field] === undefined
  return [...names.filter((field) => !isEnding(field)), ...names.filter(isEnding)].map((field) => ({
    field,
    ...(before[field] !== undefined && { from: before[field] }),
    ...(after[field] !== undefined && { to: after[field] }),
  }))
}

/** By type, the fields without ids that events set and views show, in the order of the events. */
const SHOWN = byType(({ ids, events, fields }) =>
  // Events of grants and mappings have roles with generations, plans their keys; those of a sign-in its settings.
  [...new Set([...events.flatMap(fieldsIn), 'roleKeys', 'signIn'])].filter(
    (field) => field in fields && !(field in ids.shape),
  ),
)

/** The shown fields of an object; undefined where it has none. */
const valuesOf = (type: ObjectRef['type'], subject: Subject | undefined) => {
  const state = subject && exists(subject.before.state) ? subject.before.state : undefined
  const roles = fieldOf(state, 'roles')
  const recorded = Array.isArray(roles) ? roles.map((role) => fieldOf(role, 'roleKey')) : undefined
  return recordOf(SHOWN[type], (field) =>
    fieldValue(
      field === 'roleKeys' ? state && (subject?.roleKeys ?? recorded) : fieldOf(state, field),
    ),
  )
}

const fieldValue = (value: unknown): FieldValue | undefined => {
  if (Array.isArray(value)) return value.map(String)
  // Settings, whose members are always in one order.
  if (typeof value === 'object' && value !== null) return JSON.stringify(value)
  return typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number'
    ? value
    : undefined
}

/** An object that a decision depends on, as its stream was before the desired state. */
export interface Guard {
  readonly object: ObjectRef
  readonly known: AnyStreamState
}

/** A desired state while it is decided on. */
export interface Scene {
  readonly planning: Planning
  /** The streams before the desired state. */
  readonly streams: Streams
  /** The streams that change, as the decisions so far leave them. */
  readonly foreseen: Map<StreamId, AnyStreamState>
}

interface Foresight extends Pick<Scene, 'foreseen'> {
  /** A project that is added: nothing in it has ever existed, and nothing of it is read. */
  readonly newProject?: string | undefined
}

/** `streams` as the changes that were decided on leave them. All objects that are read are added to `guards`. */
export const foresee = (
  streams: Streams,
  { foreseen, newProject }: Foresight,
  guards?: Map<StreamId, Guard>,
): Streams => {
  if (foreseen.size === 0 && newProject === undefined && !guards) return streams
  const { orgId: own } = streams
  const read = async <Ids, State extends Status, Event extends Message>(
    aggregate: StreamsOf<Ids, State, Event>,
    ids: Ids,
    options?: ReadOptions,
  ): Promise<StreamState<State, Event>> => {
    const name = aggregate.stream(options?.orgId ?? own, ids)
    const object = aggregate.ref?.(ids)
    const isEmpty = newProject !== undefined && fieldOf(object, 'projectId') === newProject
    const known = isEmpty
      ? new StreamState(aggregate, name)
      : await streams.read(aggregate, ids, options)
    if (object) guards?.set(name, { object, known })
    const after = foreseen.get(name)
    return after ? asOneOf(after, aggregate) : known
  }
  return { orgId: own, read }
}
