import { projectGrantAdded, userGrantAdded } from '../../../../src/laws/read-model/grant-samples.js'
import { newLog } from '../../../../src/laws/read-model/harness.js'
import { projectAdded, roleAdded } from '../../../../src/laws/read-model/object-samples.js'
import type { ListQuery, ReadModel, ViewType } from '../../../../src/ports/read-model.js'

const ORGANIZATIONS = 100
const USERS = 100
const PROJECTS = 20
const ROLES = ['admin', 'editor', 'reader']

/** Grants 20 projects of one organization to 100 others, each of which gives a role of two to each of 100 users. */
export const applyManyGrants = async (model: ReadModel): Promise<void> => {
  const log = newLog()
  for (let project = 0; project < PROJECTS; project++) {
    log.record('owner', projectAdded(`project-${project}`))
    for (const role of ROLES)
      log.record('owner', roleAdded(`project-${project}`, role, { permissions: [`be ${role}`] }))
  }
  for (let org = 0; org < ORGANIZATIONS; org++) {
    for (let project = 0; project < PROJECTS; project += 4)
      log.record('owner', projectGrantAdded(`project-${project}`, `org-${org}`, ROLES))
    for (let user = 0; user < USERS; user++)
      for (const project of [0, 4 * (1 + (user % 4))]) {
        const ids = {
          userId: `user-${user}`,
          projectId: `project-${project}`,
          projectOrgId: 'owner',
        }
        log.record(`org-${org}`, userGrantAdded(ids, [`${ROLES[user % 3]}`]))
      }
  }
  for (let from = 0; from < log.events.length; from += 1000)
    await model.apply(await model.checkpoint(), log.events.slice(from, from + 1000))
}

const equals = (field: string, value: string, ignoreCase = false) =>
  ({ field, operator: 'equals', value, ignoreCase }) as const

const grants = {
  type: 'user_grant',
  orgId: 'org-7',
  conditions: [],
  sort: [{ field: 'key', direction: 'asc' }],
  limit: 10,
} as const

const received = {
  ...grants,
  type: 'project_grant',
  isReceived: true,
  sort: [
    { field: 'projectOrgId', direction: 'asc' },
    { field: 'projectId', direction: 'asc' },
  ],
} as const

/** Lists of grants, by what they are looked up by. */
export const GRANT_LISTS: readonly (readonly [by: string, query: ListQuery<ViewType>])[] = [
  ['organization', grants],
  ['user', { ...grants, conditions: [equals('userId', 'user-7')] }],
  ['project', { ...grants, conditions: [equals('projectId', 'project-4')] }],
  ['resource', { ...grants, conditions: [equals('resource', 'workspace:42')] }],
  ['role', { ...grants, conditions: [equals('roleKey', 'reader')] }],
  ['role in any case', { ...grants, conditions: [equals('roleKey', 'READER', true)] }],
  [
    'user and role',
    { ...grants, conditions: [equals('userId', 'user-7'), equals('roleKey', 'reader')] },
  ],
  ['granted organization', received],
  ['granted organization and role', { ...received, conditions: [equals('roleKey', 'reader')] }],
]

/** Queries of one user, and one project. */
export const ACCESS = {
  orgId: 'org-7',
  userId: 'user-7',
  projectOrgId: 'owner',
  projectId: 'project-16',
} as const

const now = new Date('2030-01-01')

export const HELD_ROLES = [
  { orgId: 'org-7', userId: 'user-7', now, limit: 10 },
  { orgId: 'org-7', userId: 'user-7', projectId: 'project-16', now, limit: 10 },
  {
    orgId: 'org-7',
    userId: 'user-7',
    now,
    after: ['owner', 'project-0', '', 'editor', '', ''],
    limit: 10,
  },
  { orgId: 'org-7', userId: 'user-7', now, at: 1_700_000_000_500_000n, limit: 10 },
] as const

const holders = { orgId: 'owner', projectId: 'project-4', now, limit: 10 }

/**
 * What the index on generations of roles is searched by, in the words of SQLite: for grants, and for groups, which end
 * with the page that grants fill.
 */
export const HOLDERS = [
  [['scope=?', 'scope=? AND (role,org)<(?,?)'], holders],
  [['scope=? AND role=?', 'scope=? AND role=? AND org<?'], { ...holders, roleKey: 'editor' }],
  [
    [
      'scope=? AND (role,org,on_resource)>(?,?,?)',
      'scope=? AND (role,org,on_resource)>(?,?,?) AND (role,org)<(?,?)',
    ],
    { ...holders, after: ['editor', 'org-5', '', '', '', 'user-5'] as const },
  ],
  [
    [
      'scope=? AND role=? AND (org,on_resource)>(?,?)',
      'scope=? AND role=? AND (org,on_resource)>(?,?) AND org<?',
    ],
    { ...holders, roleKey: 'editor', after: ['editor', 'org-5', '', '', '', 'user-5'] as const },
  ],
  [['scope=?', 'scope=? AND (role,org)<(?,?)'], { ...holders, at: 1_700_000_000_500_000n }],
  [['scope=?', 'scope=? AND (role,org)<(?,?)'], { ...holders, permission: 'be editor' }],
  [['scope=?', 'scope=? AND (role,org)<(?,?)'], { ...holders, userOrgId: 'org-5' }],
] as const

const ofAll = { orgId: 'owner', now, limit: 10 }
const after = ['project-4', 'editor', 'org-5', '', '', '', 'user-5'] as const

/** The same for the holders of all projects of an organization. */
export const ALL_HOLDERS = [
  [['scope>? AND scope<?', 'scope>? AND (scope,role,org)<(?,?,?)'], ofAll],
  [
    [
      '(scope,role,org,on_resource)>(?,?,?,?) AND scope<?',
      '(scope,role,org,on_resource)>(?,?,?,?) AND (scope,role,org)<(?,?,?)',
    ],
    { ...ofAll, after, permission: 'be editor' },
  ],
  [
    ['scope>? AND scope<?', 'scope>? AND (scope,role,org)<(?,?,?)'],
    { ...ofAll, roleKey: 'editor' },
  ],
] as const

const users = { orgId: 'org-7', now, limit: 10 }

/** Queries for the users of an organization. */
export const USERS_OF_ORGANIZATION = [
  users,
  { ...users, after: ['user-5'] as const },
  { ...users, userIds: ['user-3', 'user-50'] },
  { ...users, projectOrgId: 'owner', projectId: 'project-4', roleKey: 'editor' },
  { ...users, permission: 'be editor', at: 1_700_000_000_500_000n },
] as const

/** Queries for the roles of one user. */
export const HOLDERS_OF_USER = [
  { ...ofAll, userId: 'user-7' },
  { ...holders, userId: 'user-7' },
  { ...ofAll, userId: 'user-7', at: 1_700_000_000_500_000n },
] as const

const affected = { ...holders, at: 1_700_000_000_500_000n }

/** The same for the roles that a change concerns. */
export const AFFECTED = [
  ['scope=?', affected],
  ['scope=? AND role=?', { ...affected, roleKeys: ['editor'] }],
  [
    'scope=? AND role=? AND org=?',
    { ...affected, roleKeys: ['editor', 'reader'], userOrgId: 'org-5', asIfActive: true },
  ],
] as const
