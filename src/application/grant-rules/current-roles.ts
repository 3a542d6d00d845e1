import { err, ok, type Result } from 'neverthrow'
import type { AnyAggregate } from '../../domain/aggregates.js'
import type { OfProject } from '../../domain/facts.js'
import { projects } from '../../domain/project/aggregate.js'
import { projectGrants } from '../../domain/project-grant/aggregate.js'
import { isCurrent, projectRoles } from '../../domain/project-role/aggregate.js'
import {
  type AssignableProject,
  isStillGranted,
  type RoleGeneration,
} from '../../domain/role-generations.js'
import type { OrgId, ProjectId, RoleKey } from '../../domain/values.js'
import type { PermissionDenied } from '../errors/errors.js'
import type { AdmittedCall } from '../method/context.js'
import { writeTargetOf } from '../method/input.js'
import { type NeededPermission, refusePermission } from '../method/method.js'
import type { StreamChange } from '../recording/stream-state.js'
import type { Streams } from '../recording/streams.js'
import type { Runtime } from '../runtime.js'

export interface OwnedProject {
  readonly projectOrgId: OrgId
  readonly projectId: ProjectId
}

/** Reads a project whose roles the organization of the call gives to its users, with the roles in `roleKeys`. */
export const readProject = async (
  streams: Streams,
  { projectOrgId, projectId }: OfProject,
  roleKeys: readonly RoleKey[],
): Promise<AssignableProject> => {
  const orgId = projectOrgId
  const ids = { projectId, grantedOrgId: streams.orgId }
  const [project, grant, ...roles] = await Promise.all([
    streams.read(projects, { id: projectId }, { orgId }),
    orgId === streams.orgId ? undefined : streams.read(projectGrants, ids, { orgId }),
    ...roleKeys.map((roleKey) => streams.read(projectRoles, { projectId, roleKey }, { orgId })),
  ])
  const states = new Map(roleKeys.map((roleKey, index) => [roleKey, roles[index]?.state]))
  return {
    projectId,
    project: project.state,
    projectGrant: grant?.state,
    roleState: (roleKey) => {
      const state = states.get(roleKey)
      if (!state) throw new Error(`The role ${roleKey} was not read`)
      return state
    },
  }
}

/** The `roles` of a user that are still current and that the organization may still give. */
export const currentRolesOfUser = <Role extends RoleGeneration>(
  streams: Streams,
  owned: OfProject,
  { projectGrant }: Pick<AssignableProject, 'projectGrant'>,
  roles: readonly Role[],
): Promise<readonly Role[]> =>
  currentRoles(
    streams,
    owned,
    roles.filter((role) => isStillGranted(role, projectGrant)),
  )

/**
 * The given `roles` that are of the current generation of their role. An ended role guards the append as well, because
 * a failover may have lost its removal.
 */
export const currentRoles = async <Role extends Pick<RoleGeneration, 'roleKey' | 'roleSince'>>(
  streams: Streams,
  { projectOrgId: orgId, projectId }: OfProject,
  roles: readonly Role[],
): Promise<readonly Role[]> => {
  const areCurrent = await Promise.all(
    roles.map(async (role) => {
      const ids = { projectId, roleKey: role.roleKey }
      return isCurrent(role, (await streams.read(projectRoles, ids, { orgId })).state)
    }),
  )
  return roles.filter((_, index) => areCurrent[index])
}

/** A change of a grant of a project, or of roles to a user. */
export interface GrantChange extends StreamChange {
  /** Keys of the roles that it gives, revokes or gives another expiry. */
  readonly changedRoleKeys: () => readonly string[]
}

/** An aggregate whose objects grant roles. */
type GrantAggregate = Pick<AnyAggregate, 'permissions' | 'target' | 'writeTarget'>

/** The question about a grant that `input` names. */
export const grantQuestion = (
  aggregate: GrantAggregate,
  change: { readonly input: unknown; readonly orgId: string; readonly roleKeys: readonly string[] },
): NeededPermission => {
  const { input, orgId, roleKeys } = change
  const object = writeTargetOf(aggregate)(input, orgId)
  return { permission: aggregate.permissions.write, ...(object && { object }), roleKeys }
}

/** Calls `authorize` with the roles of a decision. */
export type PermitRoles = (question: NeededPermission) => Promise<Result<void, PermissionDenied>>

/**
 * Calls `authorize` with the roles of decisions, never twice with the same roles, because a decision may be made again.
 */
export const rolePermits = (runtime: Runtime, call: AdmittedCall): PermitRoles => {
  const answers = new Map<string, ReturnType<typeof refusePermission>>()
  return async (question) => {
    const { object, roleKeys = [] } = question
    if (roleKeys.length === 0) return ok()
    const text = JSON.stringify([object, roleKeys.toSorted()])
    if (!answers.has(text)) answers.set(text, refusePermission(runtime, call, question))
    const denied = await answers.get(text)
    return denied ? err(denied) : ok()
  }
}
