import type {
  UserGrantAdded,
  UserGrantEvent,
  UserGrantUpdated,
} from '../../../domain/user-grant/events.js'
import { OrgId, ProjectId, RoleKey, UserId } from '../../../domain/values.js'
import type { AccessQuery, HeldRolesQuery, HoldersQuery } from '../../../ports/access-reads.js'
import { type Sample, SORT_FIELDS_OF_ALL } from './sample.js'

/** Names a grant of a user. */
interface Ids {
  readonly userId: string
  readonly projectId: string
  readonly projectOrgId: string
}

/** Keys of roles; a list of key and end for one that expires. */
export type Roles = readonly (string | readonly [roleKey: string, expiresAt: string])[]

const idsOf = ({ userId, projectId, projectOrgId }: Ids) => ({
  userId: UserId.parse(userId),
  projectOrgId: OrgId.parse(projectOrgId),
  projectId: ProjectId.parse(projectId),
})

/** A user is given roles. */
export const userGrantAdded = (ids: Ids, roles: Roles): UserGrantAdded => ({
  type: 'user_grant.added',
  data: {
    ...idsOf(ids),
    roles: roles.map((role) => {
      const [roleKey, expiresAt] = typeof role === 'string' ? [role] : role
      const lives = { roleKey: RoleKey.parse(roleKey), roleSince: 1 }
      return expiresAt === undefined ? lives : { ...lives, expiresAt }
    }),
  },
})

/** The roles of a user are replaced. */
export const userGrantUpdated = (ids: Ids, roles: Roles): UserGrantUpdated => ({
  type: 'user_grant.updated',
  data: userGrantAdded(ids, roles).data,
})

const eventOf =
  (type: 'user_grant.deactivated' | 'user_grant.reactivated' | 'user_grant.removed') =>
  (ids: Ids): UserGrantEvent => ({ type, data: idsOf(ids) })

/** The roles of a user do not count. */
export const userGrantDeactivated = eventOf('user_grant.deactivated')
/** They count again. */
export const userGrantReactivated = eventOf('user_grant.reactivated')
/** The roles of a user are taken. */
export const userGrantRemoved = eventOf('user_grant.removed')

/** The end of a role in {@link userGrantSample}. */
const END = '2030-01-02T03:04:05.006Z'

const grant = { userId: 'user+1', projectId: 'portal', projectOrgId: 'owner' }
const reader = { roleKey: 'reader' }
const editor = { roleKey: 'editor', expiresAt: new Date(END) }
const added = { ...grant, roles: [reader, editor], state: 'active' }

/** The grant of a user, of one of several projects. */
const grantOf = (userId: string): Ids => ({
  userId,
  projectId: ['id-1', 'id-4', 'id-6'].includes(userId) ? 'shop' : 'portal',
  projectOrgId: userId < 'id-5' ? 'owner' : 'acme',
})

/** Samples of grants of roles to users. */
export const userGrantSample: Sample<'user_grant'> = {
  added: (id, name) => userGrantAdded(grantOf(id), [`${name}-role`]),
  deactivated: (id) => userGrantDeactivated(grantOf(id)),
  within: {},
  scenario: {
    ref: { type: 'user_grant', ...grant },
    steps: [
      [userGrantAdded(grant, ['reader', ['editor', END]]), added],
      [
        userGrantUpdated(grant, [['editor', END], 'author']),
        { roles: [editor, { roleKey: 'author' }] },
      ],
      [userGrantDeactivated(grant), { state: 'inactive' }],
      [userGrantUpdated(grant, ['editor']), { roles: [{ roleKey: 'editor' }] }],
      [userGrantReactivated(grant), { state: 'active' }],
      [userGrantRemoved(grant)],
      [userGrantAdded(grant, ['reader', ['editor', END]]), added],
    ],
    others: [
      ['acme', userGrantAdded({ ...grant, userId: 'user+2' }, ['reader'])],
      ['acme', userGrantAdded({ ...grant, projectOrgId: 'owner2' }, ['reader'])],
      ['acme', userGrantAdded({ ...grant, projectId: 'portal2' }, ['reader'])],
      ['other', userGrantAdded(grant, ['reader'])],
    ],
  },
  sortFields: {
    userId: (row) => row.userId,
    projectId: (row) => row.projectId,
    projectOrgId: (row) => row.projectOrgId,
    key: (row) => `${row.projectOrgId}+${row.projectId}+${row.userId}`,
    ...SORT_FIELDS_OF_ALL,
  },
  filterFields: ['userId', 'projectId', 'projectOrgId', 'state'],
  identity: 'key',
  name: undefined,
}

/** Asks for the access that the grant of {@link userGrantSample} gives. */
export const ACCESS: AccessQuery = { orgId: 'acme', ...grant }

const NOW = { now: new Date('2026-01-01T00:00:00.000Z'), limit: 1000 }

/** Asks for the roles of the user of {@link userGrantSample}. */
export const HELD_ROLES: HeldRolesQuery = { orgId: 'acme', userId: grant.userId, ...NOW }

/** Asks for those who have roles of the project of {@link userGrantSample}. */
export const HOLDERS: HoldersQuery = {
  orgId: grant.projectOrgId,
  projectId: grant.projectId,
  ...NOW,
}
