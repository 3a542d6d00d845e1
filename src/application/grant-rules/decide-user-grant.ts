import { err, ok, type Result } from 'neverthrow'
import { exists } from '../../domain/aggregate.js'
import type { AlreadyExists, NotFound } from '../../domain/decider.js'
import {
  changedRoleKeys,
  isExpired,
  type RoleInput,
  rolesToGive,
} from '../../domain/role-generations.js'
import { type UserGrantState, userGrant, userGrants } from '../../domain/user-grant/aggregate.js'
import type { UserGrantCommand } from '../../domain/user-grant/command-schemas.js'
import type { UserGrantRole } from '../../domain/user-grant/events.js'
import {
  MAX_GRANTED_ROLES,
  MAX_REPORTED,
  type OrgId,
  type ProjectId,
  type Resource,
  type RoleKey,
  type UserGrantRef,
  type UserId,
} from '../../domain/values.js'
import { type InvalidArgument, invalid } from '../errors/errors.js'
import { change } from '../recording/stream-state.js'
import type { Streams } from '../recording/streams.js'
import {
  currentRolesOfUser,
  type GrantChange,
  type OwnedProject,
  readProject,
} from './current-roles.js'

/** A user, and a project; its owner is the organization of the call when absent. */
export interface UserOfProject {
  readonly userId: UserId
  readonly projectId: ProjectId
  readonly projectOrgId?: OrgId | undefined
  /** Absent for the whole project. */
  readonly resource?: Resource | undefined
}

/** A change of the grant of one user. `GiveUserGrant` adds a missing grant. */
export type UserGrantChange =
  | DecidedChange
  | (UserOfProject & { readonly type: 'GiveUserGrant'; readonly roles: readonly RoleInput[] })

type DecidedChange = UserOfProject &
  (
    | {
        readonly type: 'AddUserGrant' | 'UpdateUserGrant' | 'AddUserGrantRoles'
        readonly roles: readonly RoleInput[]
      }
    | { readonly type: 'RemoveUserGrantRoles'; readonly roleKeys: readonly RoleKey[] }
    | { readonly type: 'DeactivateUserGrant' | 'ReactivateUserGrant' | 'RemoveUserGrant' }
  )

/** Errors of changes to a user's grant. */
export type GrantRefusal = NotFound | AlreadyExists | InvalidArgument

/** Decides on the grant of a user with the current generations of its roles. A new `expiresAt` must be after `now`. */
export const decideUserGrant = async (
  streams: Streams,
  command: UserGrantChange,
  now: Date,
): Promise<Result<GrantChange, GrantRefusal>> => {
  const ids = grantIds(streams, command)
  const isNew = command.type === 'AddUserGrant'
  const inputs = givesRoles(command) ? command.roles : undefined
  const [before, project] = await Promise.all([
    streams.read(userGrants, ids, isNew ? { load: 'assume-empty' } : {}),
    readProject(streams, ids, inputs?.map(({ roleKey }) => roleKey) ?? []),
  ])
  let { state } = before
  if (exists(state) && (inputs || command.type === 'RemoveUserGrantRoles'))
    state = { ...state, roles: await currentRolesOfUser(streams, ids, project, state.roles) }
  const roles = inputs ? rolesToGive(project, inputs) : ok([])
  if (roles.isErr()) return err(roles.error)
  if (!exists(project.project)) return err({ kind: 'NotFound', object: userGrants.ref(ids) })
  const decided = asDecided(command, state)
  const refusal = givesRoles(decided) ? roleRefusal(state, decided, now) : undefined
  return userGrant.decide(commandOf(decided, ids, roles.value), state).andThen((events) => {
    if (refusal) return err(refusal)
    const after = () => events.reduce((last, event) => userGrant.evolve(last, event, 0), state)
    return ok({
      ...change(before, events),
      changedRoleKeys: () => changedRoleKeys(state, after()),
    })
  })
}

/** The current roles of a user; undefined if the project does not exist. */
export const readCurrentRoles = async (
  streams: Streams,
  ids: Omit<UserGrantRef, 'type'>,
): Promise<readonly UserGrantRole[] | undefined> => {
  const owned = { ...ids, projectOrgId: ids.projectOrgId ?? streams.orgId }
  const [{ state }, project] = await Promise.all([
    streams.read(userGrants, ids),
    readProject(streams, owned, []),
  ])
  if (!exists(project.project)) return undefined
  return exists(state) ? currentRolesOfUser(streams, owned, project, state.roles) : []
}

type GrantIds = OwnedProject & Pick<UserOfProject, 'userId'> & { readonly resource?: Resource }
type RolesCommand = Extract<DecidedChange, { readonly roles: unknown }>

const grantIds = (
  streams: Streams,
  { userId, projectId, projectOrgId = streams.orgId, resource }: UserOfProject,
): GrantIds => ({
  userId,
  projectId,
  projectOrgId,
  ...(resource !== undefined && { resource }),
})

const givesRoles = <Change extends UserGrantChange>(
  command: Change,
): command is Extract<Change, { readonly roles: unknown }> => 'roles' in command

/** Giving roles adds them to a grant with current roles; without one, it adds the grant. */
const asDecided = (command: UserGrantChange, state: UserGrantState): DecidedChange => {
  if (command.type !== 'GiveUserGrant') return command
  const hasRoles = exists(state) && state.roles.length > 0
  return { ...command, type: hasRoles ? 'AddUserGrantRoles' : 'AddUserGrant' }
}

/** Why roles that exist cannot be given. */
const roleRefusal = (
  state: UserGrantState,
  { type, roles }: RolesCommand,
  now: Date,
): InvalidArgument | undefined => {
  const held = new Map(exists(state) ? state.roles.map((role) => [role.roleKey, role]) : [])
  const added = roles.filter(({ roleKey }) => !held.has(roleKey)).length
  if (type === 'AddUserGrantRoles' && held.size + added > MAX_GRANTED_ROLES)
    return invalid('roles', `must leave the grant with at most ${MAX_GRANTED_ROLES} roles`)
  const violations = roles.flatMap(({ roleKey, expiresAt }, index) => {
    const isNew = expiresAt?.toISOString() !== held.get(roleKey)?.expiresAt
    return isNew && isExpired({ expiresAt }, now)
      ? { field: `roles[${index}].expiresAt`, description: 'must be in the future' }
      : []
  })
  return violations.length > 0
    ? { kind: 'InvalidArgument', violations: violations.slice(0, MAX_REPORTED) }
    : undefined
}

const commandOf = (
  command: DecidedChange,
  ids: GrantIds,
  roles: readonly UserGrantRole[],
): UserGrantCommand => {
  if (givesRoles(command)) return { type: command.type, data: { ...ids, roles } }
  if (command.type === 'RemoveUserGrantRoles')
    return { type: command.type, data: { ...ids, roleKeys: command.roleKeys } }
  return { type: command.type, data: ids }
}
