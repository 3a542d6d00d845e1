import { err, ok, Result } from 'neverthrow'
import { aggregates } from '../../../domain/aggregates.js'
import { exists, type NotFound } from '../../../domain/decider.js'
import { compiled } from '../../../domain/message.js'
import { projects } from '../../../domain/project/aggregate.js'
import { AddProject } from '../../../domain/project/commands.js'
import { type ProjectState, project } from '../../../domain/project/decider.js'
import { sameRoles } from '../../../domain/project-grant/decider.js'
import { AddProjectRole, type ProjectRoleCommand } from '../../../domain/project-role/commands.js'
import { type ProjectRoleState, projectRole } from '../../../domain/project-role/decider.js'
import { type ObjectRef, OrgId, ProjectId, RoleKey } from '../../../domain/values.js'
import type { ProjectGrant, ProjectRole, Views } from '../../../ports/read-model.js'
import { streamOf } from '../../../projections/read-events.js'
import { invalid, type Protected, type WriteError } from '../../errors/errors.js'
import { refusePermission } from '../../method/method.js'
import { allObjects } from '../../reading/reads.js'
import { detailsOf } from '../../recording/stream-state.js'
import type { ParsedGrant, ParsedProject } from '../declared/desired-project.js'
import { permissionsToLift } from '../permissions-for-plan.js'
import type { PlannedEvent } from '../plan/plan.js'
import {
  blocked,
  type CurrentObject,
  changeBy,
  isSuperseded,
  lift,
  marksOn,
  type PendingChange,
  plannedEvents,
  protectDeclared,
  removalBy,
  schemaVersionOf,
  superseded,
} from './pending-change.js'
import type { Planning } from './sealed-secrets.js'

/**
 * The changes of the project at `index`, of its declared roles, of the roles to remove, of its declared grants, and of the
 * grants to remove. Refused: a grant to the owner, and of a role that the project will not have.
 */
export const planProject = async (
  planning: Planning,
  desired: ParsedProject,
  index: number,
): Promise<Result<readonly PendingChange[], WriteError>> => {
  const { runtime, call } = planning
  const { id, name, settings, roles = [], grants = [] } = desired
  const object = { type: 'project', id } as const
  const before = await runtime.states.readLatest(projects, call.orgId, { id })
  const { state } = before
  if (state.status === 'removed') {
    const contents = [
      ...roles.map(({ roleKey }) => aggregates.project_role.refOfKey(roleKey, id)),
      ...grants.map(({ grantedOrgId }) => aggregates.project_grant.refOfKey(grantedOrgId, id)),
    ]
    return ok([object, ...contents].map(blocked))
  }
  const own = grants.findIndex(({ grantedOrgId }) => grantedOrgId === call.orgId)
  if (own >= 0) {
    const field = `projects[${index}].grants[${own}].grantedOrgId`
    return err(invalid(field, 'must not be the organization that owns the project'))
  }
  const isNew = !exists(state)
  const { protectedBy } = before
  const isLeft = await isSuperseded(planning, before.name)
  // A project that a newer version no longer protects has no protected contents.
  const isOpen = isLeft && protectedBy !== planning.access.managedBy
  const inside = isOpen ? { ...planning, access: { ...planning.access, protect: false } } : planning
  const rows = isNew ? new Map() : await roleRows(inside, desired)
  const roleChanges = await planRoles(inside, { desired, isNew, rows })
  if (roleChanges.isErr()) return err(roleChanges.error)
  const given = { desired, isNew, rows, roleChanges: roleChanges.value }
  const grantChanges = await planGrants(inside, given)
  if (grantChanges.isErr()) return err(grantChanges.error)
  const planned = [...roleChanges.value, ...grantChanges.value]
  const contents = isOpen ? planned.map((each) => ({ ...each, isLift: true })) : planned

  const current: CurrentObject = isNew
    ? { object }
    : { object, details: detailsOf(before, call.orgId), values: state, protectedBy }
  if (isLeft) return ok([superseded(current), ...contents])
  const data = { id, name, ...settings }
  return project
    .decide(
      isNew
        ? { type: 'AddProject', data: AddProject.shape.data.parse(data) }
        : { type: 'PatchProject', data },
      state,
    )
    .andThen((events) => {
      const planned = changeBy(plannedEvents(events), current)
      const touch = () => touchOf(state)
      return protectDeclared(planning, planned, { current, touch })
    })
    .map((planned) => [planned, ...contents])
}

/** The changes that end the protection of a project that is no longer declared, and of the objects in it. */
export const liftProject = async (
  planning: Planning,
  id: ProjectId,
): Promise<Result<readonly PendingChange[], WriteError>> => {
  const { runtime, call } = planning
  const object = { type: 'project', id } as const
  const before = await runtime.states.readLatest(projects, call.orgId, { id })
  const { state, protectedBy } = before
  if (protectedBy === undefined || protectedBy !== planning.access.managedBy) return ok([])
  const isOwn = (row: { readonly protectedBy?: string | undefined }) =>
    row.protectedBy === protectedBy
  const roles = await rowsIn(planning, { type: 'project_role', id }, (_, row) => isOwn(row))
  const grants = await rowsIn(planning, { type: 'project_grant', id }, (_, row) => isOwn(row))
  const types = [
    'project' as const,
    ...(roles.size > 0 ? ['project_role' as const] : []),
    ...(grants.size > 0 ? ['project_grant' as const] : []),
  ]
  for (const question of permissionsToLift(types, { object, method: call.method })) {
    const denied = await refusePermission(runtime, call, question)
    if (denied) return err(denied)
  }
  const current = { object, details: detailsOf(before, call.orgId), protectedBy }
  const isLeft = await isSuperseded(planning, before.name)
  return ok([
    isLeft ? superseded(current) : lift(current, () => touchOf(state)),
    ...(await liftContents(planning, { type: 'project_role', id, rows: roles, touch: touchRole })),
    ...(await liftContents(planning, {
      type: 'project_grant',
      id,
      rows: grants,
      touch: touchGrant,
    })),
  ])
}

/** An event that replaces a project's fields with the same values. */
const touchOf = (state: ProjectState): PlannedEvent => {
  if (!exists(state)) throw new Error('A project that does not exist has no fields')
  const { status: _, ...data } = state
  return { type: 'project.updated', schemaVersion: schemaVersionOf('project.updated'), data }
}

const touchRole = (row: ProjectRole): PlannedEvent => {
  const { displayName, group, permissions } = row
  const data = {
    projectId: ProjectId.parse(row.projectId),
    roleKey: RoleKey.parse(row.roleKey),
    displayName,
    group,
    permissions,
  }
  const type = 'project_role.updated'
  return { type, schemaVersion: schemaVersionOf(type), data }
}

const touchGrant = (row: ProjectGrant): PlannedEvent => {
  const data = {
    projectId: ProjectId.parse(row.projectId),
    grantedOrgId: OrgId.parse(row.grantedOrgId),
    roleKeys: row.roleKeys.map((roleKey) => RoleKey.parse(roleKey)),
  }
  const type = 'project_grant.updated'
  return { type, schemaVersion: schemaVersionOf(type), data }
}

/** The types of objects in a project. */
type ContentType = 'project_role' | 'project_grant'

/** Objects of one type in a project, by their keys in it. */
type Rows<Type extends ContentType> = ReadonlyMap<string, Views[Type]>

/** A declared project, with its roles that are declared, named by a declared grant, or may be pruned. */
interface DeclaredProject {
  readonly desired: ParsedProject
  /** The project has never existed, so there is nothing in it to read. */
  readonly isNew: boolean
  readonly rows: Rows<'project_role'>
}

const roleRows = async (
  planning: Planning,
  { id, roles, grants = [] }: ParsedProject,
): Promise<Rows<'project_role'>> => {
  const named = new Set<string>(roles?.map(({ roleKey }) => roleKey))
  for (const { roleKeys } of grants) for (const roleKey of roleKeys) named.add(roleKey)
  if (roles === undefined && named.size === 0) return new Map()
  const mayLeave = mayLeaveDeclaration(planning)
  return rowsIn(
    planning,
    { type: 'project_role', id },
    (key, row) => named.has(key) || (roles !== undefined && mayLeave(row)),
  )
}

/** Whether an object that is not declared may change: it is removed, or its protection ends. */
const mayLeaveDeclaration =
  ({ access: { prune, managedBy } }: Planning) =>
  ({ protectedBy }: Views[ContentType]): boolean =>
    prune === true || (managedBy !== undefined && protectedBy === managedBy)

/** Reads those objects of the project `id` that are wanted. */
const rowsIn = async <Type extends ContentType>(
  { runtime, call }: Planning,
  { type, id }: { readonly type: Type; readonly id: string },
  isWanted: (key: string, row: Views[Type]) => boolean,
): Promise<Rows<Type>> => {
  const { orgId } = call
  const rows = new Map<string, Views[Type]>()
  for await (const row of allObjects(runtime, call, { type, orgId, projectId: id })) {
    const key = aggregates[type].key(row, orgId)
    if (isWanted(key, row)) rows.set(key, row)
  }
  return rows
}

const planRoles = async (
  planning: Planning,
  { desired: { id: projectId, roles }, isNew, rows }: DeclaredProject,
): Promise<Result<readonly PendingChange[], Protected>> => {
  if (roles === undefined) return ok([])
  return planEach(planning, {
    type: 'project_role',
    projectId,
    isNew,
    rows,
    declared: new Map(roles.map((role) => [role.roleKey, role])),
    change: (role, row) => {
      const data = { projectId, ...role }
      return decideRole(
        row
          ? { type: 'PatchProjectRole', data }
          : { type: 'AddProjectRole', data: compiled(AddProjectRole.shape.data).parse(data) },
        row,
      )
    },
    remove: (row) => {
      const data = { projectId, roleKey: RoleKey.parse(row.roleKey) }
      return decideRole({ type: 'RemoveProjectRole', data }, row)
    },
    touch: touchRole,
    ends: (row, role) => (role ? undefined : [row.roleKey]),
  })
}

const decideRole = (
  command: ProjectRoleCommand,
  row: ProjectRole | undefined,
): readonly PlannedEvent[] => {
  // No rule depends on the generation of the role.
  const state: ProjectRoleState = row
    ? { ...row, status: row.state, since: 1 }
    : projectRole.initialState
  const decision = projectRole.decide(command, state)
  if (decision.isErr())
    throw new Error(`A planned change of a role is refused: ${decision.error.kind}`)
  return plannedEvents(decision.value)
}

/** A grant of a role that a newer version removed is superseded. */
const planGrants = async (
  planning: Planning,
  {
    desired: { id: projectId, grants },
    isNew,
    rows,
    roleChanges,
  }: DeclaredProject & { readonly roleChanges: readonly PendingChange[] },
): Promise<Result<readonly PendingChange[], NotFound | Protected>> => {
  if (grants === undefined) return ok([])
  const type = 'project_grant'
  const actions = new Map(
    roleChanges.map(({ change: { action, object } }) => [
      aggregates.project_role.key(object, ''),
      action,
    ]),
  )
  const isLeftToNewer = (roleKey: string) => actions.get(roleKey) === 'superseded'
  const isRemoved = (roleKey: string) => actions.get(roleKey) === 'remove'
  const isThere = (roleKey: string) =>
    !actions.has(roleKey) || isLeftToNewer(roleKey) ? rows.has(roleKey) : !isRemoved(roleKey)
  const declared = new Map<string, ParsedGrant>(grants.map((grant) => [grant.grantedOrgId, grant]))
  const mayLeave = mayLeaveDeclaration(planning)
  const isWanted = (key: string, row: ProjectGrant) => declared.has(key) || mayLeave(row)
  const planned = await planEach(planning, {
    type,
    projectId,
    isNew,
    rows: isNew ? new Map() : await rowsIn(planning, { type, id: projectId }, isWanted),
    declared,
    change: (grant, row) => {
      // A role that is removed before the grant is recorded needs no event of the grant.
      const held = row?.roleKeys.filter((roleKey) => !isRemoved(roleKey))
      if (held && sameRoles(held, grant.roleKeys)) return []
      const type = row ? 'project_grant.updated' : 'project_grant.added'
      return [{ type, schemaVersion: schemaVersionOf(type), data: { projectId, ...grant } }]
    },
    remove: (row) => {
      const data = { projectId, grantedOrgId: OrgId.parse(row.grantedOrgId) }
      return plannedEvents([{ type: 'project_grant.removed', data }])
    },
    touch: touchGrant,
    ends: (row, grant) => {
      const kept = new Set<string>(grant?.roleKeys)
      return row.roleKeys.filter((roleKey) => !kept.has(roleKey) && !isRemoved(roleKey))
    },
  })
  if (planned.isErr()) return err(planned.error)

  const changes = [...planned.value]
  for (const [place, { roleKeys }] of grants.entries()) {
    const pending = planned.value[place]
    if (!pending) throw new Error('A declared grant was not planned')
    if (pending.change.action === 'superseded') continue
    const missing = roleKeys.filter((roleKey) => !isThere(roleKey))
    const absent = missing.find((roleKey) => !isLeftToNewer(roleKey))
    if (absent !== undefined)
      return err({ kind: 'NotFound', object: { type: 'project_role', projectId, roleKey: absent } })
    if (missing.length > 0) changes[place] = superseded({ ...pending, ...pending.change })
  }
  return ok(changes)
}

/** The changes of objects of one type in a project: first declared objects, then removals. */
const planEach = async <Type extends ContentType, Declared>(
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
    ends,
  }: {
    readonly type: Type
    readonly projectId: string
    readonly isNew: boolean
    /** The `declared` objects that exist, and others that may change. */
    readonly rows: Rows<Type>
    /** By their keys in the project, in the declared order. */
    readonly declared: ReadonlyMap<string, Declared>
    /** The events that a declared object needs; `row` is absent if it does not exist. */
    readonly change: (declared: Declared, row: Views[Type] | undefined) => readonly PlannedEvent[]
    readonly remove: (row: Views[Type]) => readonly PlannedEvent[]
    /** An event that replaces an object's fields with the same values. */
    readonly touch: (row: Views[Type]) => PlannedEvent
    /** Keys of the roles that users lose when an object changes as declared, or is removed. */
    readonly ends: (
      row: Views[Type],
      declared: Declared | undefined,
    ) => readonly string[] | undefined
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
      const changed = events.length > 0 ? { ...planned, ends: ends(row, each) } : planned
      return protectDeclared(planning, changed, { current, touch: () => touch(row) })
    }),
  )
  const removals = undeclared.flatMap(([key, row]) => {
    const found = marks.get(streamOfKey(key))
    if (!found?.isOwn) return []
    const current = currentObject(refOf(key), row)
    if (found.isNewer) return superseded(current)
    return { ...removalBy(remove(row), current), ends: ends(row, undefined) }
  })
  const rowsToLift = planning.access.prune ? new Map() : new Map(left)
  const lifts = await liftContents(planning, { type, id: projectId, rows: rowsToLift, touch })
  return changes.map((all) => [...all, ...removals, ...lifts])
}

/** Only an object without a row is added, which has an event of its own. */
const never = (): never => {
  throw new Error('An object that does not exist cannot be replaced')
}

/** The changes that end the protection of objects in the project `id`; a newer version of the desired state keeps it. */
const liftContents = async <Type extends ContentType>(
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

const currentObject = (object: ObjectRef, row: Views[ContentType] | undefined): CurrentObject => {
  if (!row) return { object }
  const { details, protectedBy, ...values } = row
  return { object, details, values, protectedBy }
}
