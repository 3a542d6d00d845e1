import { err, ok, type Result } from 'neverthrow'
import * as z from 'zod/mini'
import { type AlreadyExists, type Decider, exists, type NotFound } from '../decider.js'
import { command } from '../message.js'
import {
  ExpiryTime,
  listOf,
  MAX_GRANTED_ROLES,
  OrgId,
  ProjectId,
  RoleKey,
  type UserGrantRef,
  UserId,
} from '../values.js'
import { type UserGrantAdded, UserGrantEvent, type UserGrantRole } from './events.js'

const idSchemas = { userId: UserId, projectOrgId: OrgId, projectId: ProjectId }

const role = z.strictObject({
  roleKey: RoleKey,
  expiresAt: z.optional(ExpiryTime),
  roleSince: z.int(),
  grantSince: z.optional(z.int()),
})

const grant = { ...idSchemas, roles: listOf(role, 1, MAX_GRANTED_ROLES) }

/** Gives a user roles of a project. */
export const AddUserGrant = command('AddUserGrant', grant)
export interface AddUserGrant extends z.infer<typeof AddUserGrant> {
  /** The new grant. */
  readonly data: UserGrantAdded['data']
}

/** Replaces the roles of a grant. */
export const UpdateUserGrant = command('UpdateUserGrant', grant)
export interface UpdateUserGrant extends z.infer<typeof UpdateUserGrant> {
  /** The grant, and its new roles. */
  readonly data: UserGrantAdded['data']
}

/** Adds roles to a grant. For a role that it has, `expiresAt` is replaced. */
export const AddUserGrantRoles = command('AddUserGrantRoles', grant)
export interface AddUserGrantRoles extends z.infer<typeof AddUserGrantRoles> {
  /** The grant, and the roles to add. */
  readonly data: UserGrantAdded['data']
}

/** Revokes roles. Revoking the last role removes the grant. */
export const RemoveUserGrantRoles = command('RemoveUserGrantRoles', {
  ...idSchemas,
  roleKeys: listOf(RoleKey, 1, MAX_GRANTED_ROLES),
})
export interface RemoveUserGrantRoles extends z.infer<typeof RemoveUserGrantRoles> {
  /** The grant, and the roles to revoke. */
  readonly data: Omit<UserGrantAdded['data'], 'roles'> & {
    /** 1 to 400 keys. */
    readonly roleKeys: readonly RoleKey[]
  }
}

/** Suspends a grant: none of its roles counts. */
export const DeactivateUserGrant = command('DeactivateUserGrant', idSchemas)
export interface DeactivateUserGrant extends z.infer<typeof DeactivateUserGrant> {
  /** The grant. */
  readonly data: Omit<UserGrantAdded['data'], 'roles'>
}

/** Resumes a grant: its roles count again. */
export const ReactivateUserGrant = command('ReactivateUserGrant', idSchemas)
export interface ReactivateUserGrant extends z.infer<typeof ReactivateUserGrant> {
  /** The grant. */
  readonly data: Omit<UserGrantAdded['data'], 'roles'>
}

/** Removes a grant, which revokes all its roles. */
export const RemoveUserGrant = command('RemoveUserGrant', idSchemas)
export interface RemoveUserGrant extends z.infer<typeof RemoveUserGrant> {
  /** The grant. */
  readonly data: Omit<UserGrantAdded['data'], 'roles'>
}

/** Any command of a user grant. */
export const UserGrantCommand = z.discriminatedUnion('type', [
  AddUserGrant,
  UpdateUserGrant,
  AddUserGrantRoles,
  RemoveUserGrantRoles,
  DeactivateUserGrant,
  ReactivateUserGrant,
  RemoveUserGrant,
])
export type UserGrantCommand =
  | AddUserGrant
  | UpdateUserGrant
  | AddUserGrantRoles
  | RemoveUserGrantRoles
  | DeactivateUserGrant
  | ReactivateUserGrant
  | RemoveUserGrant

/** The state of a user grant, on which its commands are decided. */
export type UserGrantState =
  | { readonly status: 'absent' }
  | {
      /** Whether the roles count. */
      readonly status: 'active' | 'inactive'
      /** As recorded, including roles that ended since, see {@link currentUserGrant}. */
      readonly roles: readonly UserGrantRole[]
    }

/** Errors of a user grant's commands. */
export type UserGrantRefusal = NotFound<UserGrantRef> | AlreadyExists<UserGrantRef>

type Decision = Result<readonly UserGrantEvent[], UserGrantRefusal>

/** `state` without the roles that ended since they were given. */
export const currentUserGrant = (
  state: UserGrantState,
  isCurrent: (role: UserGrantRole) => boolean,
): UserGrantState => (exists(state) ? { ...state, roles: state.roles.filter(isCurrent) } : state)

const refuse = (
  kind: UserGrantRefusal['kind'],
  { userId, projectId, projectOrgId }: UserGrantCommand['data'],
): Decision => err({ kind, object: { type: 'user_grant', userId, projectId, projectOrgId } })

/** A grant whose roles have all ended still exists, and may be added again. */
const add = ({ data }: AddUserGrant, state: UserGrantState): Decision => {
  if (exists(state) && state.roles.length > 0) return refuse('AlreadyExists', data)
  return ok([{ type: 'user_grant.added', data }])
}

const update = ({ data }: UpdateUserGrant, state: UserGrantState): Decision => {
  if (!exists(state)) return refuse('NotFound', data)
  return replace(data, state.roles)
}

const addRoles = ({ data }: AddUserGrantRoles, state: UserGrantState): Decision => {
  if (!exists(state)) return refuse('NotFound', data)
  const roles = new Map([...state.roles, ...data.roles].map((role) => [role.roleKey, role]))
  return replace({ ...data, roles: [...roles.values()] }, state.roles)
}

const removeRoles = ({ data }: RemoveUserGrantRoles, state: UserGrantState): Decision => {
  if (!exists(state)) return refuse('NotFound', data)
  const { roleKeys, ...ids } = data
  const taken = new Set(roleKeys)
  const roles = state.roles.filter(({ roleKey }) => !taken.has(roleKey))
  if (roles.length === 0 && state.roles.length > 0)
    return ok([{ type: 'user_grant.removed', data: ids }])
  return replace({ ...ids, roles }, state.roles)
}

/** Records `data` unless it has the same roles as `before`, in any order. */
const replace = (data: UserGrantAdded['data'], before: readonly UserGrantRole[]): Decision => {
  const held = new Map(before.map((role) => [role.roleKey, role]))
  const isSame =
    data.roles.length === held.size &&
    data.roles.every(({ roleKey, expiresAt }) => {
      const role = held.get(roleKey)
      return role !== undefined && role.expiresAt === expiresAt
    })
  return ok(isSame ? [] : [{ type: 'user_grant.updated', data }])
}

const deactivate = ({ data }: DeactivateUserGrant, state: UserGrantState): Decision => {
  if (!exists(state)) return refuse('NotFound', data)
  return ok(state.status === 'inactive' ? [] : [{ type: 'user_grant.deactivated', data }])
}

const reactivate = ({ data }: ReactivateUserGrant, state: UserGrantState): Decision => {
  if (!exists(state)) return refuse('NotFound', data)
  return ok(state.status === 'active' ? [] : [{ type: 'user_grant.reactivated', data }])
}

const remove = ({ data }: RemoveUserGrant, state: UserGrantState): Decision => {
  if (!exists(state)) return refuse('NotFound', data)
  return ok([{ type: 'user_grant.removed', data }])
}

const decide = (command: UserGrantCommand, state: UserGrantState): Decision => {
  switch (command.type) {
    case 'AddUserGrant':
      return add(command, state)
    case 'UpdateUserGrant':
      return update(command, state)
    case 'AddUserGrantRoles':
      return addRoles(command, state)
    case 'RemoveUserGrantRoles':
      return removeRoles(command, state)
    case 'DeactivateUserGrant':
      return deactivate(command, state)
    case 'ReactivateUserGrant':
      return reactivate(command, state)
    case 'RemoveUserGrant':
      return remove(command, state)
  }
}

const evolve = (state: UserGrantState, event: UserGrantEvent): UserGrantState => {
  switch (event.type) {
    case 'user_grant.added':
      return { status: 'active', roles: event.data.roles }
    case 'user_grant.updated':
      return exists(state) ? { ...state, roles: event.data.roles } : state
    case 'user_grant.deactivated':
      return exists(state) ? { ...state, status: 'inactive' } : state
    case 'user_grant.reactivated':
      return exists(state) ? { ...state, status: 'active' } : state
    case 'user_grant.removed':
      return { status: 'absent' }
  }
}

/** A grant of roles of a project to a user. */
export const userGrant: Decider<
  UserGrantCommand,
  UserGrantState,
  UserGrantEvent,
  UserGrantRefusal
> = {
  eventSchema: UserGrantEvent,
  upcasters: {},
  initialState: { status: 'absent' },
  decide,
  evolve,
}
