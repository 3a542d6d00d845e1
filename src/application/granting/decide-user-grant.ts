import { err, ok, type Result } from 'neverthrow'
import type { AlreadyExists, NotFound } from '../../domain/decider.js'
import { exists } from '../../domain/decider.js'
import { type RoleInput, rolesToGive } from '../../domain/generations.js'
import { userGrants } from '../../domain/user-grant/aggregate.js'
import type { UserGrantCommand } from '../../domain/user-grant/commands.js'
import {
  currentUserGrant,
  type UserGrantState,
  userGrant,
} from '../../domain/user-grant/decider.js'
import type { UserGrantRole } from '../../domain/user-grant/events.js'
import {
  MAX_GRANTED_ROLES,
  MAX_REPORTED,
  OrgId,
  type ProjectId,
  type RoleKey,
  type UserId,
} from '../../domain/values.js'
import { type InvalidArgument, invalid } from '../errors/errors.js'
import { record, type Snapshot, type StreamRecord } from '../recording/snapshot.js'
import type { View } from '../recording/view.js'
import { type FoundProject, type OwnedProject, readProject } from './lives.js'

/** A user, and a project of the organization at hand when its owner is absent. */
export interface UserOfProject {
  readonly userId: UserId
  readonly projectId: ProjectId
  readonly projectOrgId?: OrgId | undefined
}

/** A change of the grant of one user. */
export type UserGrantChange = UserOfProject &
  (
    | {
        readonly type: 'AddUserGrant' | 'UpdateUserGrant' | 'AddUserGrantRoles'
        readonly roles: readonly RoleInput[]
      }
    | { readonly type: 'RemoveUserGrantRoles'; readonly roleKeys: readonly RoleKey[] }
    | { readonly type: 'DeactivateUserGrant' | 'ReactivateUserGrant' | 'RemoveUserGrant' }
  )

/** The grant of a user at the time of a decision. */
interface FoundGrant {
  readonly ids: OwnedProject & { readonly userId: UserId }
  readonly before: Snapshot<UserGrantState, Parameters<typeof userGrant.evolve>[1]>
  readonly state: UserGrantState
  readonly project: FoundProject
}

/** Reads the grant of a user, with all roles that were recorded. */
const recordedGrant = (
  view: View,
  user: UserOfProject & { readonly type?: UserGrantChange['type'] },
): FoundGrant => {
  const { userId, projectId, projectOrgId = OrgId.parse(view.orgId) } = user
  const ids = { userId, projectOrgId, projectId }
  const isNew = user.type === 'AddUserGrant'
  const before = isNew ? view.readNew(userGrants, ids) : view.read(userGrants, ids)
  return { ids, before, state: before.state, project: readProject(view, ids) }
}

/** Reads the grant of a user without the roles that ended since they were given: it reads each of them. */
export const currentGrant = (view: View, user: UserOfProject): FoundGrant => {
  const found = recordedGrant(view, user)
  return { ...found, state: currentUserGrant(found.state, found.project.isCurrent) }
}

/** Why a grant of a user cannot be changed. */
export type GrantRefusal = NotFound | AlreadyExists | InvalidArgument

/** Decides on the grant of a user with the current generations of its roles. A new end of a role must come after `now`. */
export const decideUserGrant = (
  view: View,
  change: UserGrantChange,
  now: Date,
): Result<StreamRecord, GrantRefusal> => {
  const goesByRoles = 'roles' in change || 'roleKeys' in change
  const found = goesByRoles ? currentGrant(view, change) : recordedGrant(view, change)
  const { ids, before, project, state } = found
  const roles = 'roles' in change ? rolesToGive(project, change.roles) : ok([])
  if (roles.isErr()) return err(roles.error)
  if (!exists(project.project)) return err({ kind: 'NotFound', object: userGrants.ref(ids) })
  const refusal = 'roles' in change ? roleRefusal(state, change, now) : undefined
  return userGrant
    .decide(commandOf(ids, change, roles.value), state)
    .andThen((events) => (refusal ? err(refusal) : ok(record(before, events))))
}

/** Why the roles of a change, which exist, cannot be given. */
const roleRefusal = (
  state: UserGrantState,
  { type, roles }: Extract<UserGrantChange, { readonly roles: unknown }>,
  now: Date,
): InvalidArgument | undefined => {
  const held = new Map(exists(state) ? state.roles.map((role) => [role.roleKey, role]) : [])
  const added = roles.filter(({ roleKey }) => !held.has(roleKey)).length
  if (type === 'AddUserGrantRoles' && held.size + added > MAX_GRANTED_ROLES)
    return invalid('roles', `must leave the grant with at most ${MAX_GRANTED_ROLES} roles`)
  const violations = roles.flatMap(({ roleKey, expiresAt }, index) => {
    const isPast = expiresAt !== undefined && expiresAt <= now
    const isNew = expiresAt?.toISOString() !== held.get(roleKey)?.expiresAt
    return isPast && isNew
      ? { field: `roles[${index}].expiresAt`, description: 'must be in the future' }
      : []
  })
  return violations.length > 0
    ? { kind: 'InvalidArgument', violations: violations.slice(0, MAX_REPORTED) }
    : undefined
}

const commandOf = (
  ids: FoundGrant['ids'],
  change: UserGrantChange,
  roles: readonly UserGrantRole[],
): UserGrantCommand => {
  switch (change.type) {
    case 'AddUserGrant':
    case 'UpdateUserGrant':
    case 'AddUserGrantRoles':
      return { type: change.type, data: { ...ids, roles } }
    case 'RemoveUserGrantRoles':
      return { type: change.type, data: { ...ids, roleKeys: change.roleKeys } }
    case 'DeactivateUserGrant':
    case 'ReactivateUserGrant':
    case 'RemoveUserGrant':
      return { type: change.type, data: ids }
  }
}
