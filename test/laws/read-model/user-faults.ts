import type { Slice, UserRoles, UsersQuery } from '../../../src/ports/access-reads.js'
import type { Fault } from './fault.js'
import { blindTo } from './grant-faults.js'

const USERS = 'The users of an organization are those'
const PAST = 'The users at a position are the'
const FOUND = 'Users are found page by page'
const HOLDERS = 'The holders in one organization are'

/** The model with what `users` is asked for changed. */
const askedForUsers =
  (change: (query: UsersQuery) => UsersQuery): Fault['plant'] =>
  (sound) => ({ users: (query) => sound.users(change(query)) })

/** The model with the users that it finds changed. */
const finding =
  (change: (page: Slice<UserRoles>) => Partial<Slice<UserRoles>>): Fault['plant'] =>
  (sound) => ({
    users: async (query) => {
      const page = await sound.users(query)
      return { ...page, ...change(page) }
    },
  })

/** The model with the roles of each user changed. */
const withRoles = (change: (roles: UserRoles['roles']) => UserRoles['roles']): Fault['plant'] =>
  finding(({ items }) => ({
    items: items.map(({ userId, roles }) => ({ userId, roles: change(roles) })),
  }))

/** Faults in the list of an organization's users. */
export const USER_FAULTS: readonly Fault[] = [
  ...[
    'project.deactivated',
    'project.removed',
    'project_grant.deactivated',
    'project_grant.removed',
    'project_role.removed',
    'user_grant.deactivated',
    'user_grant.removed',
    'role_mapping.removed',
    'membership.removed',
    'identity_provider.deactivated',
    'identity_provider.removed',
  ].map((type) => ({
    fault: `finds users without regard to ${type}`,
    law: USERS,
    plant: blindTo([type], ['users']),
  })),
  {
    fault: 'finds the first role of each user alone',
    law: USERS,
    plant: withRoles((roles) => roles.slice(0, 1)),
  },
  {
    fault: 'finds no roles by groups',
    law: USERS,
    plant: withRoles((roles) => roles.filter(({ via }) => via === 'grant')),
  },
  {
    fault: 'finds the roles of users in another order',
    law: USERS,
    plant: withRoles((roles) => roles.toReversed()),
  },
  {
    fault: 'does not tell when the roles of users end',
    law: USERS,
    plant: withRoles((roles) => roles.map(({ expiresAt: _, ...role }) => role)),
  },
  {
    fault: 'lets all roles of a user begin together',
    law: USERS,
    plant: withRoles((roles) => {
      const [first] = roles
      return first ? roles.map((role) => ({ ...role, since: first.since })) : roles
    }),
  },
  {
    fault: 'finds the users of now in the past',
    law: PAST,
    plant: askedForUsers(({ at: _, ...query }) => query),
  },
  {
    fault: 'finds past users as of before the event',
    law: PAST,
    plant: askedForUsers(({ at, ...query }) => (at ? { ...query, at: at - 1n } : query)),
  },
  ...(['userIds', 'projectId', 'projectOrgId', 'roleKey', 'permission', 'after'] as const).map(
    (field) => ({
      fault: `finds users without regard to ${field}`,
      law: FOUND,
      plant: askedForUsers(({ [field]: _, ...query }) => query),
    }),
  ),
  {
    fault: 'ends the list of users with the first page',
    law: FOUND,
    plant: finding(() => ({ hasMore: false })),
  },
  {
    fault: 'finds holders in all organizations',
    law: HOLDERS,
    plant: (sound) => ({ holders: ({ userOrgId: _, ...query }) => sound.holders(query) }),
  },
  {
    fault: 'narrows a page of holders to an organization after it was cut',
    law: HOLDERS,
    plant: (sound) => ({
      holders: async ({ userOrgId, ...query }) => {
        const { items, hasMore } = await sound.holders(query)
        return {
          items: items.filter(({ orgId }) => orgId === (userOrgId ?? orgId)),
          hasMore,
        }
      },
    }),
  },
]
