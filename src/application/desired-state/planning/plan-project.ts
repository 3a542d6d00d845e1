import { err, ok, type Result } from 'neverthrow'
import { aggregates } from '../../../domain/aggregates.js'
import { exists } from '../../../domain/decider.js'
import { compiled } from '../../../domain/message.js'
import { type ProjectState, project, projects } from '../../../domain/project/aggregate.js'
import { AddProject } from '../../../domain/project/command-schemas.js'
import {
  type ProjectRole,
  type ProjectRoleState,
  projectRole,
} from '../../../domain/project-role/aggregate.js'
import {
  AddProjectRole,
  type ProjectRoleCommand,
} from '../../../domain/project-role/command-schemas.js'
import { ProjectId, RoleKey } from '../../../domain/values.js'
import { invalid, type Protected, type WriteError } from '../../errors/errors.js'
import { refusePermission } from '../../method/method.js'
import { detailsOf } from '../../recording/stream-state.js'
import type { ParsedProject } from '../declared/desired-project.js'
import { permissionsToLift } from '../permissions-for-plan.js'
import type { PlannedEvent } from '../plan/plan.js'
import {
  blocked,
  type CurrentObject,
  changeBy,
  isSuperseded,
  lift,
  type PendingChange,
  plannedEvents,
  protectDeclared,
  schemaVersionOf,
  superseded,
} from './pending-change.js'
import {
  type DeclaredProject,
  liftContents,
  mayLeaveDeclaration,
  planEach,
  type Rows,
  rowsIn,
} from './plan-contents.js'
import { mappingRef, planGrants, planMappings, touchGrant, touchMapping } from './plan-grants.js'
import type { Planning } from './sealed-secrets.js'

/**
 * The changes of the project at `index`: of its declared roles, the roles to remove, its declared grants, the grants to
 * remove, its declared mappings, and the mappings to remove. Refused: a grant to the owner; a grant or mapping of a role that
 * the project will not have; a mapping of a provider that does not exist and is not declared.
 */
export const planProject = async (
  planning: Planning,
  desired: ParsedProject,
  index: number,
): Promise<Result<readonly PendingChange[], WriteError>> => {
  const { runtime, call } = planning
  const { id, name, settings, roles = [], grants = [], mappings = [] } = desired
  const object = { type: 'project', id } as const
  const before = await runtime.states.readLatest(projects, call.orgId, { id })
  const { state } = before
  if (state.status === 'removed') {
    const contents = [
      ...roles.map(({ roleKey }) => aggregates.project_role.refOfKey(roleKey, id)),
      ...grants.map(({ grantedOrgId }) => aggregates.project_grant.refOfKey(grantedOrgId, id)),
      ...mappings.map((mapping) => mappingRef(planning, id, mapping)),
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
  const mappingChanges = await planMappings(inside, given)
  if (mappingChanges.isErr()) return err(mappingChanges.error)
  const planned = [...roleChanges.value, ...grantChanges.value, ...mappingChanges.value]
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
  const mappings = await rowsIn(planning, { type: 'role_mapping', id }, (_, row) => isOwn(row))
  const types = [
    'project' as const,
    ...(roles.size > 0 ? ['project_role' as const] : []),
    ...(grants.size > 0 ? ['project_grant' as const] : []),
    ...(mappings.size > 0 ? ['role_mapping' as const] : []),
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
    ...(await liftContents(planning, {
      type: 'role_mapping',
      id,
      rows: mappings,
      touch: touchMapping,
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

const roleRows = async (
  planning: Planning,
  { id, roles, grants = [], mappings = [] }: ParsedProject,
): Promise<Rows<'project_role'>> => {
  const named = new Set<string>(roles?.map(({ roleKey }) => roleKey))
  for (const { roleKeys } of [...grants, ...mappings])
    for (const roleKey of roleKeys) named.add(roleKey)
  if (roles === undefined && named.size === 0) return new Map()
  const mayLeave = mayLeaveDeclaration(planning)
  return rowsIn(
    planning,
    { type: 'project_role', id },
    (key, row) => named.has(key) || (roles !== undefined && mayLeave(row)),
  )
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
    effect: (row, role) => (role ? {} : { ends: [row.roleKey] }),
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
