import * as z from 'zod/mini'
import {
  type AggregateDefinition,
  type AssignedRole,
  assignedRoles,
  defineAggregate,
  filterableRoleKeys,
  filterableText,
  type ObjectDetails,
  type ViewOf,
} from '../aggregate.js'
import { OrgId, ProjectId, type StreamId, type UserGrantRef, UserId } from '../values.js'
import { userGrant } from './decider.js'
import { type UserGrantAdded, UserGrantEvent } from './events.js'

/** A role that a user was given. */
export interface GrantedRole {
  /** The key that authorization checks use. */
  readonly roleKey: string
  /** When the role expires; absent for never. */
  readonly expiresAt?: Date
}

/** A user's grant of roles as reads return it. */
export interface UserGrant {
  /** Your id of the user. */
  readonly userId: string
  /** The `id` of the project. */
  readonly projectId: string
  /** The organization that owns the project. */
  readonly projectOrgId: string
  /**
   * The roles that the user was given, including expired ones. Roles that were removed since, or are no longer in the
   * project's grant, are left out, even if they were added again.
   */
  readonly roles: readonly GrantedRole[]
  /** While a grant is inactive, none of its roles counts. */
  readonly state: 'active' | 'inactive'
  /** Owner, times and position of the object. */
  readonly details: ObjectDetails
}

/** The fields of {@link UserGrant} that its own events set. */
export type UserGrantView = ViewOf<UserGrant>

/**
 * The grant after `event`, with the roles of the event; undefined if it does not exist. The ends of its project, of its
 * roles and of the grant of the project are events of other streams.
 */
export const userGrantView = (
  view: UserGrantView | undefined,
  event: UserGrantEvent,
): UserGrantView | undefined => {
  switch (event.type) {
    case 'user_grant.added':
      return added(event)
    case 'user_grant.updated':
      return view && { ...view, roles: asRoles(event.data) }
    case 'user_grant.deactivated':
      return view && { ...view, state: 'inactive' }
    case 'user_grant.reactivated':
      return view && { ...view, state: 'active' }
    case 'user_grant.removed':
      return undefined
  }
}

/** Names each field, so that the order does not depend on the event. */
const added = (event: UserGrantAdded): UserGrantView => ({
  userId: event.data.userId,
  projectId: event.data.projectId,
  projectOrgId: event.data.projectOrgId,
  roles: asRoles(event.data),
  state: 'active',
})

const rolesIn = (event: UserGrantEvent): readonly AssignedRole[] | undefined => {
  switch (event.type) {
    case 'user_grant.added':
    case 'user_grant.updated':
      return asRoles(event.data)
    case 'user_grant.deactivated':
    case 'user_grant.reactivated':
    case 'user_grant.removed':
      return undefined
  }
}

const asRoles = ({ roles }: Pick<UserGrantAdded['data'], 'roles'>): readonly AssignedRole[] =>
  roles.map(({ roleKey, expiresAt }) =>
    expiresAt === undefined ? { roleKey } : { roleKey, expiresAt: new Date(expiresAt) },
  )

/** Grants of roles to users. */
export const userGrants = defineAggregate({
  type: 'user_grant',
  label: 'user grant',
  ids: z.strictObject({ userId: UserId, projectId: ProjectId, projectOrgId: z.optional(OrgId) }),
  keyIds: ['projectOrgId', 'projectId', 'userId'],
  decider: userGrant,
  events: UserGrantEvent.def.options,
  effects: {
    'user_grant.added': 'adds',
    'user_grant.updated': 'changes',
    'user_grant.deactivated': 'changes',
    'user_grant.reactivated': 'changes',
    'user_grant.removed': 'removes',
  },
  view: userGrantView,
  states: ['active', 'inactive'],
  fields: {
    userId: filterableText((view) => view.userId),
    projectId: filterableText((view) => view.projectId),
    projectOrgId: filterableText((view) => view.projectOrgId),
    roles: assignedRoles,
    roleKey: filterableRoleKeys,
  },
  // The project with its owner, so that no host takes another organization's project for its own.
  target: ({ projectId: id, projectOrgId }, orgId) =>
    projectOrgId === undefined || projectOrgId === orgId
      ? { type: 'project', id }
      : { type: 'granted_project', id, orgId: projectOrgId },
  permissions: { read: 'user.grant.read', write: 'user.grant.write' },
  assignments: {
    assignmentScope: ({ userId, projectId, projectOrgId }, orgId) => ({
      projectOrgId: projectOrgId ?? orgId,
      projectId,
      orgId,
      userId,
    }),
    removedWith: 'project',
    assigns: {
      rolesIn,
      rolesOf: ({ roles }) => roles,
      withRoles: (view, roles) => ({ ...view, roles }),
    },
  },
} satisfies AggregateDefinition<UserGrantRef, UserGrantView, UserGrantEvent>)

/**
 * One stream for each user and project, so that two appends cannot both add a grant. The user comes last, because the
 * id may contain a `+`.
 */
export const userGrantStream = (
  orgId: string,
  projectOrgId: string,
  projectId: string,
  userId: string,
): StreamId => userGrants.stream(orgId, { userId, projectId, projectOrgId })
