import { err, ok, type Result } from 'neverthrow'
import type { AlreadyExists, NotFound } from '../../domain/decider.js'
import { exists } from '../../domain/decider.js'
import { userGrants } from '../../domain/user-grant/aggregate.js'
import type { UserGrantCommand } from '../../domain/user-grant/commands.js'
import { livingUserGrant, type UserGrantState, userGrant } from '../../domain/user-grant/decider.js'
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
import { type Lives, livesIn, type OwnedProject } from './lives.js'

/** A user, and a project of the organization at hand when its owner is absent. */
export interface UserOfProject {
  readonly userId: UserId
  readonly projectId: ProjectId
  readonly projectOrgId?: OrgId | undefined
}

/** A role that is to be given. */
export interface RoleToGive {
  readonly roleKey: RoleKey
  readonly expiresAt?: Date | undefined
}

/** A change of the grant of one user. */
export type UserGrantChange = UserOfProject &
  (
    | {
        readonly type: 'AddUserGrant' | 'UpdateUserGrant' | 'AddUserGrantRoles'
        readonly roles: readonly RoleToGive[]
      }
    | { readonly type: 'RemoveUserGrantRoles'; readonly roleKeys: readonly RoleKey[] }
    | { readonly type: 'DeactivateUserGrant' | 'ReactivateUserGrant' | 'RemoveUserGrant' }
  )

/** The grant of a user at the time of a decision. */
interface FoundGrant {
  readonly ids: OwnedProject & { readonly userId: UserId }
  readonly before: Snapshot<UserGrantState, Parameters<typeof userGrant.evolve>[1]>
  readonly state: UserGrantState
  readonly lives: Lives
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
  return { ids, before, state: before.state, lives: livesIn(view, ids) }
}

/** Reads the grant of a user as it counts, without the roles that died since they were given: it reads each of them. */
export const livingGrant = (view: View, user: UserOfProject): FoundGrant => {
  const found = recordedGrant(view, user)
  return { ...found, state: livingUserGrant(found.state, found.lives.isLiving) }
}

/** Why a grant of a user cannot be changed. */
export type GrantRefusal = NotFound | AlreadyExists | InvalidArgument

/** Decides on the grant of a user with the present lives of its roles. A new end of a role must come after `now`. */
export const decideUserGrant = (
  view: View,
  change: UserGrantChange,
  now: Date,
): Result<StreamRecord, GrantRefusal> => {
  const goesByRoles = 'roles' in change || 'roleKeys' in change
  const found = goesByRoles ? livingGrant(view, change) : recordedGrant(view, change)
  const refusal = 'roles' in change ? refusalToGive(found, change, now) : undefined
  const { ids, before, lives, state } = found
  if (!lives.exists) return err(refusal ?? { kind: 'NotFound', object: userGrants.ref(ids) })
  if (refusal?.kind === 'NotFound') return err(refusal)
  return userGrant
    .decide(commandOf(found, change), state)
    .andThen((events) => (refusal ? err(refusal) : ok(record(before, events))))
}

/** Why the roles of a change cannot be given. */
const refusalToGive = (
  { ids, lives, state }: FoundGrant,
  { type, roles }: Extract<UserGrantChange, { readonly roles: unknown }>,
  now: Date,
): NotFound | InvalidArgument | undefined => {
  const { projectId } = ids
  const missing = roles.filter(({ roleKey }) => !lives.lifeOf(roleKey))
  if (!lives.exists || !lives.isGranted)
    return { kind: 'NotFound', object: { type: 'project', id: projectId } }
  const [absent] = missing
  if (absent) {
    const { roleKey } = absent
    return { kind: 'NotFound', object: { type: 'project_role', projectId, roleKey } }
  }
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

const commandOf = ({ ids, lives }: FoundGrant, change: UserGrantChange): UserGrantCommand => {
  switch (change.type) {
    case 'AddUserGrant':
    case 'UpdateUserGrant':
    case 'AddUserGrantRoles':
      return { type: change.type, data: { ...ids, roles: rolesOf(lives, change.roles) } }
    case 'RemoveUserGrantRoles':
      return { type: change.type, data: { ...ids, roleKeys: change.roleKeys } }
    case 'DeactivateUserGrant':
    case 'ReactivateUserGrant':
    case 'RemoveUserGrant':
      return { type: change.type, data: ids }
  }
}

/** `roles` with their present lives. */
const rolesOf = (lives: Lives, roles: readonly RoleToGive[]): readonly UserGrantRole[] =>
  roles.flatMap(({ roleKey, expiresAt }) => {
    const life = lives.lifeOf(roleKey)
    if (!life) return []
    return expiresAt ? { ...life, expiresAt: expiresAt.toISOString() } : life
  })
