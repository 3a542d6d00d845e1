import { err, ok, type Result } from 'neverthrow'
import * as z from 'zod/mini'
import {
  type AggregateDefinition,
  type Detailed,
  defineAggregate,
  exists,
  filterableText,
  optionalText,
  type ViewOf,
} from '../aggregate.js'
import type { AlreadyExists, Decider, NotFound } from '../decider.js'
import { OrgId, ProjectId, Resource, type StreamId, type UserGrantRef, UserId } from '../values.js'
import type {
  AddUserGrant,
  AddUserGrantRoles,
  DeactivateUserGrant,
  ReactivateUserGrant,
  RemoveUserGrant,
  RemoveUserGrantRoles,
  UpdateUserGrant,
  UserGrantCommand,
} from './command-schemas.js'
import { type UserGrantAdded, UserGrantEvent, type UserGrantRole } from './events.js'

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

const refuse = (kind: UserGrantRefusal['kind'], data: UserGrantCommand['data']): Decision =>
  err({ kind, object: userGrants.ref(data) })

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

/** A role that a user was given. */
export interface GrantedRole {
  /** The key that authorization checks use. */
  readonly roleKey: string
  /** When the role expires; absent for never. */
  readonly expiresAt?: Date
}

/** The ids of a user grant. */
export interface UserGrantIds {
  /** Your id of the user. */
  readonly userId: string
  /** The `id` of the project. */
  readonly projectId: string
  /** The organization that owns the project. */
  readonly projectOrgId: string
  /** The resource that the roles are given on; absent for the whole project. */
  readonly resource?: string
}

/** A user's grant of roles as reads return it. */
export interface UserGrant extends UserGrantIds, Detailed {
  /**
   * The roles that the user was given, including expired ones. Roles that were removed since, or are no longer in the
   * project's grant, are left out, even if they were added again.
   */
  readonly roles: readonly GrantedRole[]
  /** While a grant is inactive, none of its roles counts. */
  readonly state: 'active' | 'inactive'
}

/** The fields of {@link UserGrant} that its own events set. */
export type UserGrantView = ViewOf<UserGrant>

const asRoles = ({ roles }: Pick<UserGrantAdded['data'], 'roles'>): readonly GrantedRole[] =>
  roles.map(({ roleKey, expiresAt }) =>
    expiresAt === undefined ? { roleKey } : { roleKey, expiresAt: new Date(expiresAt) },
  )

/** Grants of roles to users. */
export const userGrants = defineAggregate({
  type: 'user_grant',
  label: 'user grant',
  ids: z.strictObject({
    userId: UserId,
    projectId: ProjectId,
    projectOrgId: z.optional(OrgId),
    resource: z.optional(Resource),
  }),
  keyIds: ['projectOrgId', 'projectId', 'userId'],
  decider: userGrant,
  events: UserGrantEvent.def.options,
  adds: 'user_grant.added',
  removes: 'user_grant.removed',
  show: (state, { userId, projectId, projectOrgId, resource }, orgId): UserGrantView => ({
    userId,
    projectId,
    projectOrgId: projectOrgId ?? orgId,
    ...(resource !== undefined && { resource }),
    roles: asRoles(state),
    state: state.status,
  }),
  fact: ({ status, roles }, { userId, projectId, projectOrgId, resource }, orgId) => ({
    in: 'held',
    projectOrgId: projectOrgId ?? orgId,
    projectId,
    orgId,
    resource,
    holder: { userId },
    state: status,
    roles,
  }),
  within: ['project'],
  states: ['active', 'inactive'],
  fields: {
    userId: filterableText,
    projectId: filterableText,
    projectOrgId: filterableText,
    resource: optionalText,
    roles: { holds: 'roles' },
    roleKey: { holds: 'roleKeys', filterable: true },
  },
  // The project with its owner, so that no host takes another organization's project for its own.
  target: ({ projectId: id, projectOrgId, resource }, orgId) => {
    const on = resource === undefined ? {} : { resource }
    return projectOrgId === undefined || projectOrgId === orgId
      ? { type: 'project', id, ...on }
      : { type: 'granted_project', id, orgId: projectOrgId, ...on }
  },
  permissions: { read: 'user.grant.read', write: 'user.grant.write' },
} satisfies AggregateDefinition<UserGrantRef, UserGrantView, UserGrantEvent, UserGrantState>)

/**
 * One stream for each user, project and resource, so that two appends cannot both add a grant. The user comes last,
 * because the id may contain a `+`.
 */
export const userGrantStream = (
  orgId: string,
  projectOrgId: string,
  projectId: string,
  userId: string,
  resource?: string,
): StreamId => userGrants.stream(orgId, { userId, projectId, projectOrgId, resource })
