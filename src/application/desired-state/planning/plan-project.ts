import { err, ok, type Result } from 'neverthrow'
import { aggregates } from '../../../domain/aggregates.js'
import { exists, type NotFound } from '../../../domain/decider.js'
import { identityProviders } from '../../../domain/identity-provider/aggregate.js'
import { compiled } from '../../../domain/message.js'
import { project, projects } from '../../../domain/project/aggregate.js'
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
import { roleMappings } from '../../../domain/role-mapping/aggregate.js'
import { OrgId, type RoleKey, sameRoles } from '../../../domain/values.js'
import { invalid, type Protected, type WriteError } from '../../errors/errors.js'
import type { ParsedMapping, ParsedProject } from '../declared/desired-project.js'
import type { Action, PlannedEvent } from '../plan/plan.js'
import {
  blocked,
  changeBy,
  currentState,
  isSuperseded,
  type PendingChange,
  plannedEvent,
  plannedEvents,
  protectDeclared,
  superseded,
} from './pending-change.js'
import {
  type DeclaredProject,
  mayLeaveDeclaration,
  planEach,
  type Rows,
  rowsIn,
} from './plan-contents.js'
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
    const projectOrgId = OrgId.parse(call.orgId)
    const contents = [
      ...roles.map(({ roleKey }) => aggregates.project_role.refOfKey(roleKey, id)),
      ...grants.map(({ grantedOrgId }) => aggregates.project_grant.refOfKey(grantedOrgId, id)),
      ...mappings.map((mapping) => roleMappings.ref({ ...mapping, projectId: id, projectOrgId })),
    ]
    return ok([object, ...contents].map(blocked))
  }
  const own = grants.findIndex(({ grantedOrgId }) => grantedOrgId === call.orgId)
  if (own >= 0) {
    const field = `projects[${index}].grants[${own}].grantedOrgId`
    return err(invalid(field, 'must not be the organization that owns the project'))
  }
  const isNew = !exists(state)
  const isLeft = await isSuperseded(planning, before.name)
  // A project that a newer version no longer protects has no protected contents.
  const isOpen = isLeft && before.protectedBy !== planning.access.managedBy
  const inside = isOpen ? { ...planning, access: { ...planning.access, protect: false } } : planning
  const rows = isNew ? new Map() : await roleRows(inside, desired)
  const roleChanges = await planRoles(inside, { desired, isNew, rows })
  if (roleChanges.isErr()) return err(roleChanges.error)
  const actions = new Map(
    roleChanges.value.map(({ change: { action, object } }) => [
      aggregates.project_role.key(object, ''),
      action,
    ]),
  )
  const given = { desired, isNew, rows, actions }
  const grantChanges = await planGrants(inside, given)
  if (grantChanges.isErr()) return err(grantChanges.error)
  const mappingChanges = await planMappings(inside, given)
  if (mappingChanges.isErr()) return err(mappingChanges.error)
  const planned = [...roleChanges.value, ...grantChanges.value, ...mappingChanges.value]
  const contents = isOpen ? planned.map((each) => ({ ...each, isLift: true })) : planned

  const current = currentState(planning, object, before)
  if (isLeft) return ok([superseded(current), ...contents])
  const data = { id, name, ...settings }
  return project
    .decide(
      isNew
        ? { type: 'AddProject', data: AddProject.shape.data.parse(data) }
        : { type: 'PatchProject', data },
      state,
    )
    .andThen((events) =>
      protectDeclared(planning, changeBy(plannedEvents(events), current), current),
    )
    .map((planned) => [planned, ...contents])
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
  project: DeclaredProject,
): Promise<Result<readonly PendingChange[], NotFound | Protected>> => {
  const { id: projectId, roles } = project.desired
  if (roles === undefined) return ok([])
  return planEach(planning, project, {
    type: 'project_role',
    rows: project.rows,
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

/** A declared project with what happens to its roles, by key. */
interface PlannedRoles extends DeclaredProject {
  readonly actions: ReadonlyMap<string, Action>
}

/** The changes of grants to other organizations. A grant of a role that a newer version removed is superseded. */
const planGrants = async (
  planning: Planning,
  project: PlannedRoles,
): Promise<Result<readonly PendingChange[], NotFound | Protected>> => {
  const { id: projectId, grants } = project.desired
  if (grants === undefined) return ok([])
  return planEach(planning, project, {
    type: 'project_grant',
    declared: new Map(grants.map((grant) => [grant.grantedOrgId, grant])),
    stays: ({ roleKeys }) => leftToNewer(project, roleKeys),
    change: (grant, row) => {
      if (row && sameRoles(kept(project, row), grant.roleKeys)) return []
      const type = row ? 'project_grant.updated' : 'project_grant.added'
      return [plannedEvent(type, { projectId, ...grant })]
    },
    effect: (row, grant) => {
      const given = new Set<string>(grant?.roleKeys)
      return { ends: kept(project, row).filter((roleKey) => !given.has(roleKey)) }
    },
  })
}

/**
 * The changes of mappings of groups. A mapping of a role that a newer version removed is superseded, one of a removed
 * provider is blocked.
 */
const planMappings = async (
  planning: Planning,
  project: PlannedRoles,
): Promise<Result<readonly PendingChange[], NotFound | Protected>> => {
  const { id: projectId, mappings } = project.desired
  if (mappings === undefined) return ok([])
  const { orgId } = planning.call
  const projectOrgId = OrgId.parse(orgId)
  const removed = await removedProviders(planning, mappings)
  if (removed.isErr()) return err(removed.error)
  const keyOf = (mapping: ParsedMapping) =>
    roleMappings.key({ ...mapping, projectId, projectOrgId }, orgId)
  return planEach(planning, project, {
    type: 'role_mapping',
    declared: new Map(mappings.map((mapping) => [keyOf(mapping), mapping])),
    stays: ({ idpId, roleKeys }) =>
      leftToNewer(project, roleKeys).map(
        (isLeft) => isLeft ?? (removed.value.has(idpId) ? 'blocked' : undefined),
      ),
    change: (mapping, row) => {
      const isSame = row?.validFor === mapping.validFor
      if (row && isSame && sameRoles(kept(project, row), mapping.roleKeys)) return []
      const type = row ? 'role_mapping.updated' : 'role_mapping.added'
      return [plannedEvent(type, { ...mapping, projectId, projectOrgId })]
    },
    effect: (row, mapping) => {
      const before = { ...row, roleKeys: kept(project, row) }
      return { ends: before.roleKeys, mapping: { before, after: mapping } }
    },
  })
}

/** Those providers of `mappings` that were removed. Refused: one that does not exist and is not declared. */
const removedProviders = async (
  { runtime, call: { orgId }, access }: Planning,
  mappings: readonly ParsedMapping[],
): Promise<Result<ReadonlySet<string>, NotFound>> => {
  const declared = new Set<string>(access.identityProviders?.map(({ idpId }) => idpId))
  const removed = new Set<string>()
  for (const idpId of new Set(mappings.map((mapping) => mapping.idpId))) {
    const { state } = await runtime.states.readLatest(identityProviders, orgId, { idpId })
    if (state.status === 'removed') removed.add(idpId)
    else if (!exists(state) && !declared.has(idpId))
      return err({ kind: 'NotFound', object: identityProviders.ref({ idpId }) })
  }
  return ok(removed)
}

/** The roles of a grant or mapping without those that the plan removes: their end needs no event of its own. */
const kept = (
  { actions }: PlannedRoles,
  { roleKeys }: { readonly roleKeys: readonly string[] },
): readonly string[] => roleKeys.filter((roleKey) => actions.get(roleKey) !== 'remove')

/** Whether a newer version removed one of the roles. Refused: a role that the project will not have. */
const leftToNewer = (
  { desired: { id: projectId }, rows, actions }: PlannedRoles,
  roleKeys: readonly RoleKey[],
): Result<'superseded' | undefined, NotFound> => {
  const missing = roleKeys.filter((roleKey) => {
    const action = actions.get(roleKey) ?? 'superseded'
    return action === 'superseded' ? !rows.has(roleKey) : action === 'remove'
  })
  const absent = missing.find((roleKey) => actions.get(roleKey) !== 'superseded')
  if (absent === undefined) return ok(missing.length > 0 ? 'superseded' : undefined)
  return err({ kind: 'NotFound', object: { type: 'project_role', projectId, roleKey: absent } })
}
