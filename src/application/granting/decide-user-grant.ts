import { err, ok, type Result } from 'neverthrow'
import { type AlreadyExists, exists, type NotFound } from '../../domain/decider.js'
import { userGrants } from '../../domain/user-grant/aggregate.js'
import type { UserGrantCommand } from '../../domain/user-grant/commands.js'
import { type UserGrantState, userGrant } from '../../domain/user-grant/decider.js'
import {
  MAX_GRANTED_ROLES,
  MAX_REPORTED,
  OrgId,
  type ProjectId,
  type RoleKey,
  type UserId,
} from '../../domain/values.js'
import { type InvalidArgument, invalid } from '../errors/errors.js'
import { change, type StreamChange } from '../recording/stream-state.js'
import type { Streams } from '../recording/streams.js'
import { type AssignableProject, readAssignable } from './role-generations.js'

/** A user, and a project of the organization at hand when its owner is absent. */
export interface UserOfProject {
  readonly userId: UserId
  readonly projectId: ProjectId
  readonly projectOrgId?: OrgId | undefined
}

/** A role to give to a user. */
export interface RoleInput {
  readonly roleKey: RoleKey
  readonly expiresAt?: Date | undefined
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

/** Why a grant of a user cannot be changed. */
export type GrantRefusal = NotFound | AlreadyExists | InvalidArgument

/** Decides on the grant of a user with the current generations of its roles. A new `expiresAt` must be after `now`. */
export const decideUserGrant = async (
  streams: Streams,
  command: UserGrantChange,
  now: Date,
): Promise<Result<StreamChange, GrantRefusal>> => {
  const ids = grantIds(streams, command)
  const isNew = command.type === 'AddUserGrant'
  const roleKeys = givesRoles(command) ? command.roles.map(({ roleKey }) => roleKey) : []
  const [before, project] = await Promise.all([
    streams.read(userGrants, ids, isNew ? { load: 'assume-empty' } : {}),
    readAssignable(streams, ids, roleKeys),
  ])
  const dependsOnRoles = givesRoles(command) || command.type === 'RemoveUserGrantRoles'
  const state = dependsOnRoles ? await currentGrant(before.state, project) : before.state
  const refusal = givesRoles(command) ? roleRefusal(command, { project, state, now }) : undefined
  if (!project.exists) return err(refusal ?? { kind: 'NotFound', object: userGrants.ref(ids) })
  if (refusal?.kind === 'NotFound') return err(refusal)
  return userGrant
    .decide(commandOf(command, ids, project), state)
    .andThen((events) => (refusal ? err(refusal) : ok(change(before, events))))
}

/** Reads the grant of a user as it counts, without the roles that have ended since they were given, and its project. */
export const readCurrentGrant = async (streams: Streams, user: UserOfProject) => {
  const ids = grantIds(streams, user)
  const [{ state }, project] = await Promise.all([
    streams.read(userGrants, ids),
    readAssignable(streams, ids, []),
  ])
  return { project, state: await currentGrant(state, project) }
}

type GrantIds = UserOfProject & { readonly projectOrgId: OrgId }
type RolesCommand = Extract<UserGrantChange, { readonly roles: unknown }>

const grantIds = (
  streams: Streams,
  { userId, projectId, projectOrgId = OrgId.parse(streams.orgId) }: UserOfProject,
): GrantIds => ({ userId, projectOrgId, projectId })

const givesRoles = (command: UserGrantChange): command is RolesCommand =>
  command.type === 'AddUserGrant' ||
  command.type === 'UpdateUserGrant' ||
  command.type === 'AddUserGrantRoles'

const currentGrant = async (
  state: UserGrantState,
  project: AssignableProject,
): Promise<UserGrantState> =>
  exists(state) ? { ...state, roles: await project.current(state.roles) } : state

/** Why the roles of a command cannot be given. */
const roleRefusal = (
  { type, projectId, roles }: RolesCommand,
  given: {
    readonly project: AssignableProject
    readonly state: UserGrantState
    readonly now: Date
  },
): NotFound | InvalidArgument | undefined => {
  const { project, state, now } = given
  if (!project.exists || !project.isGranted)
    return { kind: 'NotFound', object: { type: 'project', id: projectId } }
  const missing = roles.find(({ roleKey }) => !project.roles.has(roleKey))
  if (missing) {
    const { roleKey } = missing
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

/** The command of the aggregate, with the current generation of each role that it gives. */
const commandOf = (
  command: UserGrantChange,
  ids: GrantIds,
  project: AssignableProject,
): UserGrantCommand => {
  switch (command.type) {
    case 'AddUserGrant':
    case 'UpdateUserGrant':
    case 'AddUserGrantRoles': {
      const roles = command.roles.flatMap(({ roleKey, expiresAt }) => {
        const generation = project.roles.get(roleKey)
        if (!generation) return []
        return expiresAt ? { ...generation, expiresAt: expiresAt.toISOString() } : generation
      })
      return { type: command.type, data: { ...ids, roles } }
    }
    case 'RemoveUserGrantRoles':
      return { type: command.type, data: { ...ids, roleKeys: command.roleKeys } }
    case 'DeactivateUserGrant':
    case 'ReactivateUserGrant':
    case 'RemoveUserGrant':
      return { type: command.type, data: ids }
  }
}
