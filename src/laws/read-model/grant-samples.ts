import type { AnyEvent } from '../../domain/aggregates.js'
import type {
  AccessQuery,
  AffectedInProject,
  AffectedQuery,
  HeldRolesQuery,
  Holder,
  HoldersQuery,
} from '../../ports/access-reads.js'
import type { ReadModel } from '../../ports/read-model.js'
import { fedWith, type Log, logOf, type ReadModelHome, type Recorded } from './harness.js'
import {
  eventOf,
  projectAdded,
  projectDeactivated,
  projectReactivated,
  projectRemoved,
  roleAdded,
  roleRemoved,
  type Sample,
} from './object-samples.js'

// Each function makes the event of its name: of grants of projects and of grants to users.

type RoleKeys = readonly string[]

const givenKeys = (projectId: string, grantedOrgId: string, roleKeys: RoleKeys) => ({
  projectId,
  grantedOrgId,
  roles: roleKeys.map((roleKey) => ({ roleKey, roleSince: 1 })),
})

export const projectGrantAdded = (projectId: string, grantedOrgId: string, roleKeys: RoleKeys) =>
  eventOf('project_grant.added', givenKeys(projectId, grantedOrgId, roleKeys))
/** The roles of a grant are replaced. */
export const projectGrantUpdated = (projectId: string, grantedOrgId: string, roleKeys: RoleKeys) =>
  eventOf('project_grant.updated', givenKeys(projectId, grantedOrgId, roleKeys))
export const projectGrantDeactivated = (projectId: string, grantedOrgId: string) =>
  eventOf('project_grant.deactivated', { projectId, grantedOrgId })
export const projectGrantReactivated = (projectId: string, grantedOrgId: string) =>
  eventOf('project_grant.reactivated', { projectId, grantedOrgId })
export const projectGrantRemoved = (projectId: string, grantedOrgId: string) =>
  eventOf('project_grant.removed', { projectId, grantedOrgId })

const projectGrant = { projectId: 'portal', grantedOrgId: 'globex' }
const firstProjectGrant = {
  ...projectGrant,
  projectOrgId: 'acme',
  roleKeys: ['reader', 'editor'],
  state: 'active',
}

export const projectGrantSample: Sample<'project_grant'> = {
  added: (id, name, projectId = 'portal') => projectGrantAdded(projectId, id, [`${name}-${id}`]),
  deactivated: (id) => projectGrantDeactivated('portal', id),
  scenario: {
    ref: { type: 'project_grant', ...projectGrant },
    steps: [
      [projectGrantAdded('portal', 'globex', ['reader', 'editor']), firstProjectGrant],
      [projectGrantDeactivated('portal', 'globex'), { state: 'inactive' }],
      [
        projectGrantUpdated('portal', 'globex', ['author', 'editor']),
        { roleKeys: ['author', 'editor'] },
      ],
      [projectGrantReactivated('portal', 'globex'), { state: 'active' }],
      [projectGrantRemoved('portal', 'globex')],
      [projectGrantAdded('portal', 'globex', ['reader', 'editor']), firstProjectGrant],
    ],
    others: [
      ['acme', projectAdded('portal')],
      ['acme', roleAdded('portal', 'reader')],
      ['acme', roleAdded('portal', 'editor')],
      ['acme', roleAdded('portal', 'author')],
      ['acme', projectGrantAdded('portal', 'initech', ['editor'])],
      ['other', projectAdded('portal')],
      ['other', roleAdded('portal', 'editor')],
      ['other', projectGrantAdded('portal', 'globex', ['editor'])],
    ],
  },
}

/** Names a grant of a user. */
interface Ids {
  readonly userId: string
  readonly projectId: string
  readonly projectOrgId: string
  readonly resource?: string
}

/** Keys of roles; a list of key and end for one that expires. */
export type Roles = readonly (string | readonly [roleKey: string, expiresAt: string])[]

const givenRoles = ({ userId, projectId, projectOrgId, resource }: Ids, roles: Roles) => ({
  userId,
  projectId,
  projectOrgId,
  ...(resource !== undefined && { resource }),
  roles: roles.map((role) => {
    const [roleKey, expiresAt] = typeof role === 'string' ? [role] : role
    return { roleKey, roleSince: 1, ...(expiresAt !== undefined && { expiresAt }) }
  }),
})

export const userGrantAdded = (ids: Ids, roles: Roles) =>
  eventOf('user_grant.added', givenRoles(ids, roles))
/** The roles of a user are replaced. */
export const userGrantUpdated = (ids: Ids, roles: Roles) =>
  eventOf('user_grant.updated', givenRoles(ids, roles))
export const userGrantDeactivated = (ids: Ids) => eventOf('user_grant.deactivated', ids)
export const userGrantReactivated = (ids: Ids) => eventOf('user_grant.reactivated', ids)
export const userGrantRemoved = (ids: Ids) => eventOf('user_grant.removed', ids)

/** Two owners with two projects each, whose roles two organizations may give. */
export const ROLES_TO_GIVE: readonly Recorded[] = ['owner', 'owner2'].flatMap((orgId) =>
  ['portal', 'portal2'].flatMap((projectId): readonly Recorded[] => [
    [orgId, projectAdded(projectId)],
    ...['reader', 'editor', 'author'].map((key): Recorded => [orgId, roleAdded(projectId, key)]),
    ...['acme', 'other'].map(
      (to): Recorded => [orgId, projectGrantAdded(projectId, to, ['reader', 'editor', 'author'])],
    ),
  ]),
)

/** The end of the roles in samples that have one. */
export const END = '2030-01-02T03:04:05.006Z'

const userGrant = { userId: 'user+1', projectId: 'portal', projectOrgId: 'owner' }
const reader = { roleKey: 'reader' }
const editor = { roleKey: 'editor', expiresAt: new Date(END) }
const firstUserGrant = { ...userGrant, roles: [reader, editor], state: 'active' }

/** The grant of a user, of one of several projects. */
const sampleGrant = (userId: string): Ids => ({
  userId,
  projectId: ['id-1', 'id-4', 'id-6'].includes(userId) ? 'shop' : 'portal',
  projectOrgId: userId < 'id-5' ? 'owner' : 'owner2',
})

export const userGrantSample: Sample<'user_grant'> = {
  added: (id, name) => userGrantAdded(sampleGrant(id), [`${name}-role`]),
  deactivated: (id) => userGrantDeactivated(sampleGrant(id)),
  scenario: {
    ref: { type: 'user_grant', ...userGrant },
    steps: [
      [userGrantAdded(userGrant, ['reader', ['editor', END]]), firstUserGrant],
      [
        userGrantUpdated(userGrant, [['editor', END], 'author']),
        { roles: [editor, { roleKey: 'author' }] },
      ],
      [userGrantDeactivated(userGrant), { state: 'inactive' }],
      [userGrantUpdated(userGrant, ['editor']), { roles: [{ roleKey: 'editor' }] }],
      [userGrantReactivated(userGrant), { state: 'active' }],
      [userGrantRemoved(userGrant)],
      [userGrantAdded(userGrant, ['reader', ['editor', END]]), firstUserGrant],
    ],
    others: [
      ...ROLES_TO_GIVE,
      ['acme', userGrantAdded({ ...userGrant, userId: 'user+2' }, ['reader'])],
      ['acme', userGrantAdded({ ...userGrant, projectOrgId: 'owner2' }, ['reader'])],
      ['acme', userGrantAdded({ ...userGrant, projectId: 'portal2' }, ['reader'])],
      ['other', userGrantAdded(userGrant, ['reader'])],
    ],
  },
}

/** Asks for the access that the grant of {@link userGrantSample} gives. */
export const ACCESS: AccessQuery = { orgId: 'acme', ...userGrant }

/** Before and after {@link END}. */
export const BEFORE_END = new Date('2030-01-02T03:04:05.005Z')
export const AT_END = new Date(END)

/** Before any role expires, and in one page. */
export const NOW = { now: BEFORE_END, limit: 1000 }

/** Asks for the roles of the user of {@link userGrantSample}. */
export const HELD_ROLES: HeldRolesQuery = { orgId: 'acme', userId: userGrant.userId, ...NOW }

/** Asks for the holders of roles of the project of {@link userGrantSample}. */
export const HOLDERS: HoldersQuery & Pick<AffectedInProject, 'projectId'> = {
  orgId: userGrant.projectOrgId,
  projectId: userGrant.projectId,
  ...NOW,
} satisfies HoldersQuery

/** Asks which of the roles of that project a change concerns. */
export const AFFECTED: AffectedInProject = {
  orgId: userGrant.projectOrgId,
  projectId: userGrant.projectId,
  ...NOW,
  at: 2n ** 62n,
}

/** A user's grant of the project `portal` of the organization `acme`. */
export const grantOf = (userId: string) => ({ userId, projectId: 'portal', projectOrgId: 'acme' })

/** An event of an organization, and the holders of roles of `acme`'s `portal` after it, at {@link BEFORE_END}. */
type StoryStep = readonly [orgId: string, event: AnyEvent, holders: readonly string[]]

const OWN = 'reader acme/ann'
const ALL_THREE = [OWN, 'reader globex/bob', 'writer globex/bob']

/** Every way in which a role begins to count, is suspended, and ends. Holders are in order. */
export const STORY: readonly StoryStep[] = [
  ['acme', projectAdded('portal'), []],
  [
    'acme',
    roleAdded('portal', 'reader', { displayName: 'Reader', group: 'all', permissions: ['read'] }),
    [],
  ],
  ['acme', roleAdded('portal', 'writer'), []],
  ['acme', userGrantAdded(grantOf('ann'), ['reader']), [OWN]],
  ['acme', projectGrantAdded('portal', 'globex', ['reader', 'writer']), [OWN]],
  ['globex', userGrantAdded(grantOf('bob'), ['reader', ['writer', END]]), ALL_THREE],
  // The same names elsewhere.
  ['other', projectAdded('portal'), ALL_THREE],
  ['other', roleAdded('portal', 'reader'), ALL_THREE],
  ['other', userGrantAdded({ ...grantOf('ann'), projectOrgId: 'other' }, ['reader']), ALL_THREE],
  ['globex', projectAdded('portal'), ALL_THREE],
  ['globex', roleAdded('portal', 'reader'), ALL_THREE],
  ['globex', userGrantAdded({ ...grantOf('bob'), projectOrgId: 'globex' }, ['reader']), ALL_THREE],
  ['other', roleRemoved('portal', 'reader'), ALL_THREE],
  // Inactive objects do not count, and end nothing.
  ['globex', userGrantDeactivated(grantOf('bob')), [OWN]],
  ['acme', projectGrantDeactivated('portal', 'globex'), [OWN]],
  ['globex', userGrantReactivated(grantOf('bob')), [OWN]],
  ['acme', projectGrantReactivated('portal', 'globex'), ALL_THREE],
  ['acme', projectDeactivated('portal'), []],
  ['acme', projectReactivated('portal'), ALL_THREE],
  // Another end of a role; the role goes on.
  ['globex', userGrantUpdated(grantOf('bob'), ['reader', 'writer']), ALL_THREE],
  // A role that is removed and added again is another one.
  ['acme', roleRemoved('portal', 'reader'), ['writer globex/bob']],
  ['acme', roleAdded('portal', 'reader'), ['writer globex/bob']],
  ['acme', userGrantUpdated(grantOf('ann'), ['reader']), [OWN, 'writer globex/bob']],
  // So is one that is taken from the grant of the project, and put back.
  ['acme', projectGrantUpdated('portal', 'globex', ['reader']), [OWN]],
  ['acme', projectGrantUpdated('portal', 'globex', ['reader', 'writer']), [OWN]],
  ['globex', userGrantUpdated(grantOf('bob'), ['reader', 'writer']), ALL_THREE],
  ['globex', userGrantUpdated(grantOf('bob'), ['reader']), ALL_THREE.slice(0, 2)],
  // And one of a grant that is removed, and added again.
  ['acme', projectGrantRemoved('portal', 'globex'), [OWN]],
  ['acme', projectGrantAdded('portal', 'globex', ['reader', 'writer']), [OWN]],
  ['globex', userGrantUpdated(grantOf('bob'), ['reader', 'writer']), ALL_THREE],
  ['globex', userGrantDeactivated(grantOf('bob')), [OWN]],
  ['globex', userGrantRemoved(grantOf('bob')), [OWN]],
  ['globex', userGrantAdded(grantOf('bob'), ['writer']), [OWN, 'writer globex/bob']],
  [
    'globex',
    userGrantAdded(grantOf('cid'), ['writer']),
    [OWN, 'writer globex/bob', 'writer globex/cid'],
  ],
  ['acme', projectRemoved('portal'), []],
]

/** The log of {@link STORY}. */
export const storyLog = (): Log => logOf(STORY)

/** The holders of roles after the event of the story with that index. */
export const expectedAt = (index: number): readonly string[] => STORY[index]?.[2] ?? []

/** Number of the first events of the story after which `globex` has grants and nothing has ended. */
export const COMPLETE = 12

/** The model after the first `count` events of {@link STORY}. */
export const modelAfter = (home: ReadModelHome, count: number): Promise<ReadModel> =>
  fedWith(home, logOf(STORY.slice(0, count)))

/** Asks about the roles of `acme`'s `portal`, at {@link BEFORE_END}. */
export const OF_PORTAL = { orgId: 'acme', projectId: 'portal', ...NOW } as const

/** A role of a user, as {@link STORY} has it. */
export const nameOf = ({
  roleKey,
  orgId,
  userId,
}: Pick<Holder, 'roleKey' | 'orgId' | 'userId'>): string => `${roleKey} ${orgId}/${userId}`

/** The holders of roles of `acme`'s `portal`, as far as `query` says nothing else. */
export const holdersOf = async (
  model: ReadModel,
  query: Partial<HoldersQuery> = {},
): Promise<readonly Holder[]> => (await model.holders({ ...OF_PORTAL, ...query })).items

/** The names of {@link holdersOf}. */
export const namesOf = async (
  model: ReadModel,
  query?: Partial<HoldersQuery>,
): Promise<readonly string[]> => (await holdersOf(model, query)).map(nameOf)

/** The number of roles that a change affects, and their names in order. */
export const affectedNames = async (
  model: ReadModel,
  query: AffectedQuery,
): Promise<{ readonly count: number; readonly names: readonly string[] }> => {
  const { count, first } = await model.affected(query)
  return { count, names: first.map(nameOf) }
}

/** What {@link affectedNames} finds when it finds these roles. */
export const exactly = (names: readonly string[]) => ({ count: names.length, names })
