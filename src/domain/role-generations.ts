import { err, ok, type Result } from 'neverthrow'
import { exists } from './aggregate.js'
import type { NotFound } from './decider.js'
import type { ProjectState } from './project/aggregate.js'
import type { ProjectGrantState } from './project-grant/aggregate.js'
import type { ProjectRoleState } from './project-role/aggregate.js'
import type { RoleMappingState } from './role-mapping/aggregate.js'
import type { UserGrantState } from './user-grant/aggregate.js'
import type { UserGrantRole } from './user-grant/events.js'
import type { ProjectRef, ProjectRoleRef, RoleKey } from './values.js'

/**
 * A generation of a role lasts from the event that adds the role to the event that removes it. Adding the role again
 * begins a new generation, which nobody has yet. Grants therefore record a role with the version that began its
 * generation.
 */
export type RoleGeneration = Pick<UserGrantRole, 'roleKey' | 'roleSince' | 'grantSince'>

/** A project whose roles an organization gives to its users. */
export interface AssignableProject {
  readonly projectId: string
  readonly project: ProjectState
  /** The project's grant to that organization; undefined if the organization owns the project. */
  readonly projectGrant: ProjectGrantState | undefined
  readonly roleState: (roleKey: RoleKey) => ProjectRoleState
}

/** A role to give. */
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
  // The organization was not granted a role that was added again since.
  if (granted?.roleSince !== state.since) return undefined
  return { roleKey, roleSince: state.since, grantSince: granted.since }
}

/** Whether what has an end has ended at `now`. */
export const isExpired = (
  { expiresAt }: { readonly expiresAt?: Date | undefined },
  now: Date,
): boolean => expiresAt !== undefined && expiresAt <= now

/**
 * Whether the user's organization may still give a role. A project grant that has had the role since the same event has
 * it in the same generation.
 */
export const isStillGranted = (
  { roleKey, grantSince }: RoleGeneration,
  projectGrant: ProjectGrantState | undefined,
): boolean => projectGrant === undefined || roleIn(projectGrant, roleKey)?.since === grantSince

/** The roles of a project grant, a user grant or a mapping. */
type GrantState = ProjectGrantState | UserGrantState | RoleMappingState

/**
 * Keys of the roles that a change of a grant adds, removes or gives another expiry; all of them when the grant is
 * added, removed, deactivated or reactivated.
 */
export const changedRoleKeys = (before: GrantState, after: GrantState): readonly string[] => {
  const from = generationsIn(before)
  const to = generationsIn(after)
  const keys = [...new Set([...from.keys(), ...to.keys()])]
  if (before.status !== after.status || validityOf(before) !== validityOf(after)) return keys
  return keys.filter((roleKey) => from.get(roleKey) !== to.get(roleKey))
}

const validityOf = (state: GrantState): number | undefined =>
  'validFor' in state ? state.validFor : undefined

/**
 * The roles of a grant by key, each as a text that differs if the role is given in another generation or with another
 * expiry.
 */
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
