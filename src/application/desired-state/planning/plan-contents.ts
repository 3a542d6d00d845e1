import { err, ok, Result } from 'neverthrow'
import { aggregates } from '../../../domain/aggregates.js'
import type { NotFound } from '../../../domain/decider.js'
import type { ObjectRef } from '../../../domain/values.js'
import type { Condition, Views } from '../../../ports/read-model.js'
import { streamOf } from '../../../projections/read-events.js'
import type { PermissionDenied, Protected } from '../../errors/errors.js'
import { refusePermission } from '../../method/method.js'
import { allObjects } from '../../reading/reads.js'
import type { ParsedProject } from '../declared/desired-project.js'
import { permissionsToLift } from '../permissions-for-plan.js'
import type { PlannedEvent } from '../plan/plan.js'
import {
  blocked,
  type CurrentObject,
  changeBy,
  currentState,
  lift,
  marksOn,
  type PendingChange,
  protectDeclared,
  removal,
  superseded,
} from './pending-change.js'
import type { Planning } from './sealed-secrets.js'

/** The types of objects that are declared in a project. */
const CONTENT_TYPES = ['project_role', 'project_grant', 'role_mapping'] as const
type ContentType = (typeof CONTENT_TYPES)[number]

/** Objects of one type in a project, by their keys. */
export type Rows<Type extends ContentType> = ReadonlyMap<string, Views[Type]>

/** A declared project, with its roles that are declared, named by a declared grant or mapping, or may be pruned. */
export interface DeclaredProject {
  readonly desired: ParsedProject
  /** The project has never existed, so there is nothing to read of what lies in it. */
  readonly isNew: boolean
  readonly rows: Rows<'project_role'>
}

/** What a desired state declares of one type in a project. */
interface Contents<Type extends ContentType, Declared> {
  readonly type: Type
  /** By their keys, in the declared order. */
  readonly declared: ReadonlyMap<string, Declared>
  /** Those of `declared` that exist, and others that may have a change; read here when absent. */
  readonly rows?: Rows<Type>
  /** Why a declared object is not changed; undefined if it may be. */
  readonly stays?: (declared: Declared) => Result<'blocked' | 'superseded' | undefined, NotFound>
  /** The events that a declared object needs; `row` is absent when it does not exist. */
  readonly change: (declared: Declared, row: Views[Type] | undefined) => readonly PlannedEvent[]
  /** The roles that users lose and gain when an object changes as declared, or is removed. */
  readonly effect: (
    row: Views[Type],
    declared: Declared | undefined,
  ) => Pick<PendingChange, 'ends' | 'mapping'>
}

/** The changes of objects of one type in a project: first of what is declared, then the removals. */
export const planEach = async <Type extends ContentType, Declared>(
  planning: Planning,
  { desired: { id }, isNew }: DeclaredProject,
  given: Contents<Type, Declared>,
): Promise<Result<readonly PendingChange[], NotFound | Protected>> => {
  const { type, declared, stays = () => ok(undefined), change, effect } = given
  const mayLeave = mayLeaveDeclaration(planning)
  const isWanted = (key: string, row: Views[Type]) => declared.has(key) || mayLeave(row)
  const rows =
    given.rows ??
    (isNew ? new Map<string, Views[Type]>() : await rowsIn(planning, { type, id }, isWanted))
  const left = [...rows].filter(([key, row]) => !declared.has(key) && mayLeave(row))
  const undeclared = planning.access.prune ? left : []
  const refOf = (key: string) => aggregates[type].refOfKey(key, id)
  const streamOfKey = (key: string) => streamOf(planning.call.orgId, refOf(key))
  const keys = [...declared.keys(), ...undeclared.map(([key]) => key)]
  const marks = await marksOn(planning, isNew ? [] : keys.map(streamOfKey))

  const changes = Result.combine(
    [...declared].map(([key, each]): Result<PendingChange, NotFound | Protected> => {
      const found = marks.get(streamOfKey(key))
      const row = rows.get(key)
      const current = currentObject(refOf(key), row)
      if (found?.isNewer) return ok(superseded(current))
      const reason = stays(each)
      if (reason.isErr()) return err(reason.error)
      if (reason.value)
        return ok(reason.value === 'blocked' ? blocked(current.object) : superseded(current))
      const events = change(each, row)
      const planned = {
        ...changeBy(events, current),
        ...(row ? events.length > 0 && effect(row, each) : { lastEvent: found?.lastEvent }),
      }
      return protectDeclared(planning, planned, current)
    }),
  )
  const removals = undeclared.flatMap(([key, row]) => {
    const found = marks.get(streamOfKey(key))
    if (!found?.isOwn) return []
    const current = currentObject(refOf(key), row)
    return found.isNewer ? superseded(current) : { ...removal(current), ...effect(row, undefined) }
  })
  const toLift = planning.access.prune ? [] : left
  const lifts = await liftEach(
    planning,
    toLift.map(([key, row]) => currentObject(refOf(key), row)),
  )
  return changes.map((all) => [...all, ...removals, ...lifts])
}

/** The changes that end the protection of objects; a newer version of the desired state keeps it. */
const liftEach = async (
  planning: Planning,
  objects: readonly CurrentObject[],
): Promise<readonly PendingChange[]> => {
  const streamOfObject = ({ object }: CurrentObject) => streamOf(planning.call.orgId, object)
  const marks = await marksOn(planning, objects.map(streamOfObject))
  return objects.map((current) =>
    marks.get(streamOfObject(current))?.isNewer === true ? superseded(current) : lift(current),
  )
}

/** The changes that end the protection of an object that is no longer declared, and of the objects in it. */
export const liftObject = async (
  planning: Planning,
  object: ObjectRef,
): Promise<Result<readonly PendingChange[], PermissionDenied>> => {
  const { runtime, call } = planning
  const { managedBy } = planning.access
  const before = await runtime.states.readLatest(aggregates[object.type], call.orgId, object)
  if (managedBy === undefined || before.protectedBy !== managedBy) return ok([])
  const objects = [currentState(planning, object, before)]
  if (object.type === 'project')
    for (const type of CONTENT_TYPES) {
      const { id } = object
      const isOwn = (_: string, row: Views[ContentType]) => row.protectedBy === managedBy
      for (const [key, row] of await rowsIn(planning, { type, id }, isOwn))
        objects.push(currentObject(aggregates[type].refOfKey(key, id), row))
    }
  const types = objects.map((each) => each.object.type)
  for (const question of permissionsToLift(types, { object, method: call.method })) {
    const denied = await refusePermission(runtime, call, question)
    if (denied) return err(denied)
  }
  return ok(await liftEach(planning, objects))
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
