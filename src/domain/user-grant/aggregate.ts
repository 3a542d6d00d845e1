import * as z from 'zod/mini'
import {
  type Aggregate,
  type AssignedRole,
  filterableRoleKeys,
  filterableText,
  plainList,
  readerOf,
} from '../aggregate.js'
import { OrgId, type PermissionTarget, ProjectId, type UserGrantRef, UserId } from '../values.js'
import { userGrant } from './decider.js'
import { type UserGrantAdded, UserGrantEvent, userGrantStream } from './events.js'

type Ids = Pick<UserGrantRef, 'userId' | 'projectId' | 'projectOrgId'>

const ref = ({ userId, projectId, projectOrgId }: Ids): UserGrantRef => ({
  type: 'user_grant',
  userId,
  projectId,
  ...(projectOrgId !== undefined && { projectOrgId }),
})

/** The project, so that no host takes that of another organization for one of the organization at hand. */
const projectOf = ({ projectId: id, projectOrgId }: Ids, orgId: string): PermissionTarget =>
  projectOrgId === undefined || projectOrgId === orgId
    ? { type: 'project', id }
    : { type: 'granted_project', id, orgId: projectOrgId }

/** What is shown of a grant of roles to a user. */
export interface UserGrantView {
  readonly userId: string
  readonly projectId: string
  readonly projectOrgId: string
  readonly roles: readonly AssignedRole[]
  readonly state: 'active' | 'inactive'
}

/**
 * The grant after `event`, with the roles of the event; undefined when there is none. The ends of its project, of
 * its roles and of the grant of the project are events of other streams.
 */
export const userGrantView = (
  view: UserGrantView | undefined,
  event: UserGrantEvent,
): UserGrantView | undefined => {
  switch (event.type) {
    case 'user_grant.added':
      return added(event)
    case 'user_grant.updated':
      return view && { ...view, roles: rolesIn(event.data) }
    case 'user_grant.deactivated':
      return view && { ...view, state: 'inactive' }
    case 'user_grant.reactivated':
      return view && { ...view, state: 'active' }
    case 'user_grant.removed':
      return undefined
  }
}

/** Names each field: they are shown in this order, whatever the order in the event. */
const added = (event: UserGrantAdded): UserGrantView => ({
  userId: event.data.userId,
  projectId: event.data.projectId,
  projectOrgId: event.data.projectOrgId,
  roles: rolesIn(event.data),
  state: 'active',
})

const rolesIn = ({ roles }: Pick<UserGrantAdded['data'], 'roles'>): readonly AssignedRole[] =>
  roles.map(({ roleKey, expiresAt }) =>
    expiresAt === undefined ? { roleKey } : { roleKey, expiresAt: new Date(expiresAt) },
  )

/** Grants of roles to users. */
export const userGrants = {
  type: 'user_grant',
  label: 'user grant',
  ids: z.strictObject({ userId: UserId, projectId: ProjectId, projectOrgId: z.optional(OrgId) }),
  ref,
  key: ({ userId, projectId, projectOrgId }, orgId) =>
    `${projectOrgId ?? orgId}+${projectId}+${userId}`,
  refOfKey: (key) => {
    // Ids of organizations and projects have no `+`; that of a user may.
    const [projectOrgId = '', projectId = '', ...rest] = key.split('+')
    return ref({ userId: rest.join('+'), projectId, projectOrgId })
  },
  container: undefined,
  removedWith: 'project',
  stream: (orgId, { userId, projectId, projectOrgId = orgId }) =>
    userGrantStream(orgId, projectOrgId, projectId, userId),
  decider: userGrant,
  events: UserGrantEvent.def.options,
  reads: readerOf<UserGrantEvent>(UserGrantEvent.def.options),
  removal: 'user_grant.removed',
  view: userGrantView,
  covers: ({ userId, projectId, projectOrgId }, orgId) => ({
    projectOrgId: projectOrgId ?? orgId,
    projectId,
    orgId,
    userId,
  }),
  assigns: {
    rolesIn: ({ data }) => ('roles' in data ? rolesIn(data) : undefined),
    rolesOf: ({ roles }) => roles,
    withRoles: (view, roles) => ({ ...view, roles }),
  },
  states: ['active', 'inactive'],
  fields: {
    userId: filterableText((view) => view.userId),
    projectId: filterableText((view) => view.projectId),
    projectOrgId: filterableText((view) => view.projectOrgId),
    roles: plainList,
    roleKey: filterableRoleKeys,
  },
  secretsChanged: () => [],
  target: projectOf,
  permissions: { read: 'user.grant.read', write: 'user.grant.write' },
} satisfies Aggregate<Ids, UserGrantView, UserGrantEvent>
