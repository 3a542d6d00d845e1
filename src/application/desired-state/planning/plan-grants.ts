import { err, ok, type Result } from 'neverthrow'
import { exists, type NotFound } from '../../../domain/decider.js'
import { identityProviders } from '../../../domain/identity-provider/aggregate.js'
import { roleMappings } from '../../../domain/role-mapping/aggregate.js'
import { OrgId, type RoleKey, sameRoles } from '../../../domain/values.js'
import type { Protected } from '../../errors/errors.js'
import type { ParsedMapping } from '../declared/desired-project.js'
import type { Action } from '../plan/plan.js'
import { type PendingChange, plannedEvent } from './pending-change.js'
import { type DeclaredProject, planEach } from './plan-contents.js'
import type { Planning } from './sealed-secrets.js'

/** A declared project with what happens to its roles, by key. */
interface PlannedRoles extends DeclaredProject {
  readonly actions: ReadonlyMap<string, Action>
}

/** The changes of grants to other organizations. A grant of a role that a newer version removed is superseded. */
export const planGrants = async (
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
export const planMappings = async (
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
