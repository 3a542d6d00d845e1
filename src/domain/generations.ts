import { err, ok, type Result } from 'neverthrow'
import { exists, type NotFound } from './decider.js'
import type { ProjectState } from './project/decider.js'
import type { ProjectGrantState } from './project-grant/decider.js'
import type { ProjectRoleState } from './project-role/decider.js'
import type { UserGrantState } from './user-grant/decider.js'
import type { UserGrantRole } from './user-grant/events.js'
import type { ProjectId, ProjectRef, ProjectRoleRef, RoleKey } from './values.js'

/**
 * A generation of a role lasts from the event that adds the role to the one that removes it. A role that is added again
 * is another generation, which nobody has been given. Grants therefore record a role with the version that began it.
 */
export type RoleGeneration = Pick<UserGrantRole, 'roleKey' | 'roleSince' | 'grantSince'>

/** A project of which an organization gives roles to its users. */
export interface AssignableProject {
  readonly projectId: ProjectId
  readonly project: ProjectState
  /** The grant of the project to that organization; undefined where the organization owns the project. */
  readonly projectGrant: ProjectGrantState | undefined
  /** The state of each role that is to be given. */
  readonly roleState: (roleKey: RoleKey) => ProjectRoleState
}

/** A role that is to be given. */
export interface RoleInput {
  readonly roleKey: RoleKey
  readonly expiresAt?: Date | undefined
}

/** The current generations of roles; refused when the organization lacks the project or one of them. */
export const rolesToGive = (
  { projectId, project, projectGrant, roleState }: AssignableProject,
  inputs: readonly RoleInput[],
): Result<readonly UserGrantRole[], NotFound<ProjectRef> | NotFound<ProjectRoleRef>> => {
  const states = inputs.map((input) => ({ ...input, state: roleState(input.roleKey) }))
  if (!exists(project) || (projectGrant && !exists(projectGrant)))
    return err({ kind: 'NotFound', object: { type: 'project', id: projectId } })
  const roles: UserGrantRole[] = []
  for (const { roleKey, expiresAt, state } of states) {
    const generation = currentGeneration(roleKey, state, projectGrant)
    if (generation === undefined)
      return err({ kind: 'NotFound', object: { type: 'project_role', projectId, roleKey } })
    roles.push({ ...generation, ...(expiresAt && { expiresAt: expiresAt.toISOString() }) })
  }
  return ok(roles)
}

const currentGeneration = (
  roleKey: RoleKey,
  state: ProjectRoleState,
  projectGrant: ProjectGrantState | undefined,
): RoleGeneration | undefined => {
  if (!exists(state)) return undefined
  if (projectGrant === undefined) return { roleKey, roleSince: state.since }
  const granted = roleIn(projectGrant, roleKey)
  // A role that was added again is not the one that the organization was granted.
  if (granted?.roleSince !== state.since) return undefined
  return { roleKey, roleSince: state.since, grantSince: granted.since }
}

/** Whether a role that was given still is in the generation that was given. */
export const isCurrent = (
  { roleSince }: Pick<RoleGeneration, 'roleSince'>,
  state: ProjectRoleState,
): boolean => exists(state) && state.since === roleSince

/**
 * Whether the organization of a user may still give a role as it was given. A grant of the project that has had the role
 * since the same event has it in the same generation.
 */
export const isStillGranted = (
  { roleKey, grantSince }: RoleGeneration,
  projectGrant: ProjectGrantState | undefined,
): boolean => projectGrant === undefined || roleIn(projectGrant, roleKey)?.since === grantSince

/** What a grant to an organization, or to a user, holds. */
type GrantState = ProjectGrantState | UserGrantState

/**
 * Keys of the roles that a change of a grant gives or takes, or to which it gives another end. All roles of a grant that
 * begins, ends, is deactivated or reactivated.
 */
export const changedRoleKeys = (before: GrantState, after: GrantState): readonly string[] => {
  const from = generationsIn(before)
  const to = generationsIn(after)
  const keys = [...new Set([...from.keys(), ...to.keys()])]
  if (before.status !== after.status) return keys
  return keys.filter((roleKey) => from.get(roleKey) !== to.get(roleKey))
}

/** The roles of a grant by their keys, each as a text of what tells it from the same role given otherwise. */
const generationsIn = (state: GrantState): ReadonlyMap<string, string> => {
  const roles: readonly (RoleGeneration & Pick<UserGrantRole, 'expiresAt'>)[] = exists(state)
    ? state.roles
    : []
  return new Map(
    roles.map(({ roleKey, roleSince, grantSince, expiresAt }) => [
      roleKey,
      `${roleSince} ${grantSince} ${expiresAt}`,
    ]),
  )
}

const roleIn = (projectGrant: ProjectGrantState, roleKey: RoleKey) =>
  exists(projectGrant) ? projectGrant.roles.find((role) => role.roleKey === roleKey) : undefined
