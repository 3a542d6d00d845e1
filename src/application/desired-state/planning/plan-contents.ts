import { ok, Result } from 'neverthrow'
import { aggregates } from '../../../domain/aggregates.js'
import type { ObjectRef } from '../../../domain/values.js'
import type { Condition, Views } from '../../../ports/read-model.js'
import { streamOf } from '../../../projections/read-events.js'
import type { Protected } from '../../errors/errors.js'
import { allObjects } from '../../reading/reads.js'
import type { ParsedProject } from '../declared/desired-project.js'
import type { PlannedEvent } from '../plan/plan.js'
import {
  type CurrentObject,
  changeBy,
  lift,
  marksOn,
  type PendingChange,
  protectDeclared,
  removalBy,
  superseded,
} from './pending-change.js'
import type { Planning } from './sealed-secrets.js'

/** The types of objects that are declared in a project. */
export type ContentType = 'project_role' | 'project_grant' | 'role_mapping'

/** Objects of one type in a project, by their keys. */
export type Rows<Type extends ContentType> = ReadonlyMap<string, Views[Type]>

/** A declared project, with its roles that are declared, named by a declared grant or mapping, or may be pruned. */
export interface DeclaredProject {
  readonly desired: ParsedProject
  /** The project has never existed, so there is nothing to read of what lies in it. */
  readonly isNew: boolean
  readonly rows: Rows<'project_role'>
}

/** The changes of objects of one type in a project: first of what is declared, then the removals. */
export const planEach = async <Type extends ContentType, Declared>(
  planning: Planning,
  {
    type,
    projectId,
    isNew,
    rows,
    declared,
    change,
    remove,
    touch,
    effect,
  }: {
    readonly type: Type
    readonly projectId: string
    readonly isNew: boolean
    /** Those of `declared` that exist, and others that may have a change. */
    readonly rows: Rows<Type>
    /** By their keys, in the declared order. */
    readonly declared: ReadonlyMap<string, Declared>
    /** The events that a declared object needs; `row` is absent when it does not exist. */
    readonly change: (declared: Declared, row: Views[Type] | undefined) => readonly PlannedEvent[]
    readonly remove: (row: Views[Type]) => readonly PlannedEvent[]
    /** An event that replaces an object's fields with the same values. */
    readonly touch: (row: Views[Type]) => PlannedEvent
    /** The roles that users lose and gain when an object changes as declared, or is removed. */
    readonly effect: (
      row: Views[Type],
      declared: Declared | undefined,
    ) => Pick<PendingChange, 'ends' | 'mapping'>
  },
): Promise<Result<readonly PendingChange[], Protected>> => {
  const left = [...rows].filter(
    ([key, row]) => !declared.has(key) && mayLeaveDeclaration(planning)(row),
  )
  const undeclared = planning.access.prune ? left : []
  const refOf = (key: string) => aggregates[type].refOfKey(key, projectId)
  const streamOfKey = (key: string) => streamOf(planning.call.orgId, refOf(key))
  const keys = [...declared.keys(), ...undeclared.map(([key]) => key)]
  const marks = await marksOn(planning, isNew ? [] : keys.map(streamOfKey))

  const changes = Result.combine(
    [...declared].map(([key, each]): Result<PendingChange, Protected> => {
      const found = marks.get(streamOfKey(key))
      const row = rows.get(key)
      const current = currentObject(refOf(key), row)
      if (found?.isNewer) return ok(superseded(current))
      const events = change(each, row)
      const planned = changeBy(events, current)
      if (!row) {
        const added = { ...planned, lastEvent: found?.lastEvent }
        return protectDeclared(planning, added, { current, touch: never })
      }
      const changed = events.length > 0 ? { ...planned, ...effect(row, each) } : planned
      return protectDeclared(planning, changed, { current, touch: () => touch(row) })
    }),
  )
  const removals = undeclared.flatMap(([key, row]) => {
    const found = marks.get(streamOfKey(key))
    if (!found?.isOwn) return []
    const current = currentObject(refOf(key), row)
    if (found.isNewer) return superseded(current)
    return { ...removalBy(remove(row), current), ...effect(row, undefined) }
  })
  const rowsToLift = planning.access.prune ? new Map() : new Map(left)
  const lifts = await liftContents(planning, { type, id: projectId, rows: rowsToLift, touch })
  return changes.map((all) => [...all, ...removals, ...lifts])
}

/** Only an object without a row is added, and that takes an event of its own. */
const never = (): never => {
  throw new Error('An object that does not exist cannot be replaced')
}

/** The changes that end the protection of objects in the project `id`; a newer version of the desired state keeps it. */
export const liftContents = async <Type extends ContentType>(
  planning: Planning,
  given: {
    readonly type: Type
    readonly id: string
    readonly rows: Rows<Type>
    readonly touch: (row: Views[Type]) => PlannedEvent
  },
): Promise<readonly PendingChange[]> => {
  const { type, id, rows, touch } = given
  const objects = [...rows].map(([key, row]) => ({
    row,
    object: aggregates[type].refOfKey(key, id),
  }))
  const streamOfObject = (object: ObjectRef) => streamOf(planning.call.orgId, object)
  const marks = await marksOn(
    planning,
    objects.map(({ object }) => streamOfObject(object)),
  )
  return objects.map(({ row, object }) => {
    const current = currentObject(object, row)
    const isLeft = marks.get(streamOfObject(object))?.isNewer === true
    return isLeft ? superseded(current) : lift(current, () => touch(row))
  })
}

/** Whether an object that is not declared may have a change: it is removed, or protected no longer. */
export const mayLeaveDeclaration =
  ({ access: { prune, managedBy } }: Planning) =>
  ({ protectedBy }: Views[ContentType]): boolean =>
    prune === true || (managedBy !== undefined && protectedBy === managedBy)

/** Reads those objects of the project `id` that are wanted. */
export const rowsIn = async <Type extends ContentType>(
  { runtime, call }: Planning,
  { type, id }: { readonly type: Type; readonly id: string },
  isWanted: (key: string, row: Views[Type]) => boolean,
): Promise<Rows<Type>> => {
  const { orgId } = call
  const rows = new Map<string, Views[Type]>()
  // Mappings lie in no project, and name one that may be of another organization.
  const within =
    aggregates[type].container === undefined
      ? { conditions: equal({ projectId: id, projectOrgId: orgId }) }
      : { projectId: id }
  for await (const row of allObjects(runtime, call, { type, orgId, ...within })) {
    const key = aggregates[type].key(row, orgId)
    if (isWanted(key, row)) rows.set(key, row)
  }
  return rows
}

const equal = (values: Readonly<Record<string, string>>): readonly Condition[] =>
  Object.entries(values).map(([field, value]) => ({
    field,
    value,
    operator: 'equals',
    ignoreCase: false,
  }))

const currentObject = (object: ObjectRef, row: Views[ContentType] | undefined): CurrentObject => {
  if (!row) return { object }
  const { details, protectedBy, ...values } = row
  return { object, details, values, protectedBy }
}
