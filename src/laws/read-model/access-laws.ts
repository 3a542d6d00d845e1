import type { FoundAccess, HoldersQuery } from '../../ports/access-reads.js'
import { timeOf } from '../../ports/event-store.js'
import type { Condition, ReadModel } from '../../ports/read-model.js'
import { keyOfHolder } from '../../projections/row-order.js'
import { foundProject } from '../../projections/rows.js'
import { demand, demandEqual, lawsOf } from '../law.js'
import {
  AT_END,
  BEFORE_END,
  COMPLETE,
  END,
  expectedAt,
  grantOf,
  holdersOf,
  modelAfter,
  NOW,
  nameOf,
  namesOf,
  OF_PORTAL,
  STORY,
  storyLog,
  userGrantAdded,
  userGrantUpdated,
} from './grant-samples.js'
import { afterEach, fedWith, logOf, newLog, type ReadModelHome, type Recorded } from './harness.js'
import {
  projectAdded,
  projectRemoved,
  roleAdded,
  roleRemoved,
  roleUpdated,
} from './object-samples.js'
import { ROLES } from './samples.js'

/** Laws of the roles that users hold, of who holds them, and of what they allow. */
export const accessLaws = lawsOf<ReadModelHome>({
  'A role counts from the event that gives it until the first event that ends it, while everything it depends on is active.':
    (home) =>
      afterEach(home, storyLog(), async (model, index) => {
        demandEqual(`holders after event ${index}`, await namesOf(model), expectedAt(index))
      }),
  'Holders at a position are the holders right after its event.': async (home) => {
    const log = storyLog()
    const model = await fedWith(home, log)
    demandEqual('before all events', await namesOf(model, { at: 0n }), [])
    for (const [index, { position }] of log.events.entries()) {
      for (const at of [position, position + 1n])
        demandEqual(`holders at event ${index}`, await namesOf(model, { at }), expectedAt(index))
    }
  },
  'Holders are found by one role or by all, page by page, by role, organization and user.': async (
    home,
  ) => {
    const log = storyLog()
    const model = await fedWith(home, log)
    const at = log.events.at(-2)?.position ?? 0n
    const all = expectedAt(STORY.length - 2)
    for (const roleKey of ['reader', 'writer', 'read'])
      demandEqual(
        `holders of ${roleKey}`,
        await namesOf(model, { at, roleKey }),
        all.filter((name) => name.startsWith(`${roleKey} `)),
      )
    const found: string[] = []
    let after: HoldersQuery['after']
    for (let pages = 0; pages <= MAX_PAGES; pages++) {
      const page = await model.holders({ ...OF_PORTAL, at, limit: 1, ...(after && { after }) })
      found.push(...page.items.map(nameOf))
      demandEqual('whether more follow', page.hasMore, found.length < all.length)
      const last = page.items.at(-1)
      if (!last || !page.hasMore) break
      after = keyOfHolder(last)
    }
    demandEqual('all pages', found, all)
  },
  'A holder has the expiry of the role and the time it was given; a new expiry does not change that time.':
    async (home) => {
      const log = storyLog()
      const given = log.events[5]
      demand(given?.type === 'user_grant.added', 'the story to give roles to bob')
      const changed = log.events.find(({ type }) => type === 'user_grant.updated')
      const from = timeOf(given.position)
      const holder = { userId: 'bob', orgId: 'globex', roleKey: 'writer', from, via: 'grant' }
      const model = await fedWith(home, log)
      const writers = (at: bigint) => holdersOf(model, { at, roleKey: 'writer' })
      const before = { ...holder, expiresAt: new Date(END) }
      demandEqual('with an end', await writers(given.position), [before])
      demandEqual('without', await writers(changed?.position ?? 0n), [holder])
    },
  'A role stops counting at the moment at which it expires.': async (home) => {
    const model = await modelAfter(home, COMPLETE)
    const { position } = storyLog().events[COMPLETE - 1] ?? { position: 0n }
    const names = expectedAt(COMPLETE - 1)
    for (const [now, expected] of [
      [BEFORE_END, names],
      [AT_END, names.filter((name) => name !== 'writer globex/bob')],
    ] as const) {
      demandEqual('holders', await namesOf(model, { now }), expected)
      demandEqual('holders at a position', await namesOf(model, { now, at: position }), expected)
      const { items } = await model.heldRoles({
        orgId: 'globex',
        userId: 'bob',
        projectId: 'portal',
        now,
        limit: 1000,
      })
      const ofAcme = items.filter(({ projectOrgId }) => projectOrgId === 'acme')
      demandEqual('held roles', ofAcme.length, expected.length - 1)
    }
  },
  'The roles of a user are listed for all projects, by owner, project and role, page by page.':
    async (home) => {
      const model = await modelAfter(home, COMPLETE)
      const held = [
        {
          projectOrgId: 'acme',
          projectId: 'portal',
          roleKey: 'reader',
          displayName: 'Reader',
          group: 'all',
          permissions: ['read'],
          via: 'grant',
        },
        {
          projectOrgId: 'acme',
          projectId: 'portal',
          roleKey: 'writer',
          displayName: 'writer',
          group: '',
          permissions: [],
          expiresAt: new Date(END),
          via: 'grant',
        },
        {
          projectOrgId: 'globex',
          projectId: 'portal',
          roleKey: 'reader',
          displayName: 'reader',
          group: '',
          permissions: [],
          via: 'grant',
        },
      ]
      const query = { orgId: 'globex', userId: 'bob', ...NOW }
      const found = await model.heldRoles(query)
      demandEqual('all', found, { items: held, hasMore: false })
      // As JSON, the same answer is the same text on every store.
      demandEqual('fields in order', found.items.map(Object.keys), held.map(Object.keys))
      demandEqual(
        'of no project',
        (await model.heldRoles({ ...query, projectId: 'shop' })).items,
        [],
      )
      demandEqual('elsewhere', (await model.heldRoles({ ...query, orgId: 'other' })).items, [])
      for (const roleKey of ['reader', 'writer', 'unknown'])
        demandEqual(
          `of the role ${roleKey}`,
          (await model.heldRoles({ ...query, roleKey })).items,
          held.filter((role) => role.roleKey === roleKey),
        )
      for (const permission of ['read', 'write'])
        demandEqual(
          `with ${permission}`,
          (await model.heldRoles({ ...query, permission })).items,
          held.filter((role) => role.permissions.some((each) => each === permission)),
        )
      for (const [index, { projectOrgId, projectId, roleKey }] of held.entries())
        demandEqual(
          `after ${index}`,
          await model.heldRoles({
            ...query,
            limit: 1,
            after: [projectOrgId, projectId, '', roleKey, '', ''],
          }),
          { items: held.slice(index + 1, index + 2), hasMore: index === 0 },
        )
    },
  'The roles that a user holds and the holders of those roles agree.': (home) =>
    afterEach(home, storyLog(), async (model, index) => {
      for (const [orgId, userId] of [
        ['acme', 'ann'],
        ['globex', 'bob'],
        ['globex', 'ann'],
      ] as const) {
        const query = { orgId, userId, projectId: 'portal', ...NOW }
        const { items } = await model.heldRoles(query)
        const own = items.filter(({ projectOrgId }) => projectOrgId === 'acme')
        const names = own.map(({ roleKey }) => `${roleKey} ${orgId}/${userId}`)
        const expected = expectedAt(index).filter((name) => name.endsWith(` ${orgId}/${userId}`))
        demandEqual(`roles of ${userId} after event ${index}`, names, expected)
        const counting = countingIn(await accessOf(model, orgId, userId), orgId === 'acme')
        demandEqual(
          `access of ${userId} after event ${index}`,
          counting.map((roleKey) => `${roleKey} ${orgId}/${userId}`),
          expected,
        )
      }
    }),
  'Access has the settings of the project, the states of both grants, and the names and expiry of the roles.':
    async (home) => {
      const model = await modelAfter(home, COMPLETE)
      const row = await model.get<'project'>('acme', { type: 'project', id: 'portal' })
      const project = row && foundProject(row)
      demandEqual('access', await settingsIn(model, 'globex', 'bob'), {
        project,
        projectGrant: 'active',
        grants: [
          {
            state: 'active',
            roles: [
              { roleKey: 'reader', displayName: 'Reader', group: 'all', permissions: ['read'] },
              {
                roleKey: 'writer',
                displayName: 'writer',
                group: '',
                permissions: [],
                expiresAt: new Date(END),
              },
            ],
            lost: [],
          },
        ],
        mapped: [],
      })
      const nothing = { grants: [], mapped: [] }
      demandEqual('of a user without a grant', await settingsIn(model, 'globex', 'ann'), {
        ...nothing,
        project,
        projectGrant: 'active',
      })
      demandEqual('of an organization without a grant', await settingsIn(model, 'other', 'bob'), {
        ...nothing,
        project,
        projectGrant: undefined,
      })
      demandEqual('of no project', await settingsIn(model, 'globex', 'bob', 'initech'), {
        ...nothing,
        project: undefined,
        projectGrant: undefined,
      })
    },
  'A role that ended without an event of the grant is lost, because the role or the grant of the project was removed.':
    (home) =>
      afterEach(home, storyLog(), async (model, index) => {
        const [orgId, last] = STORY[index] ?? []
        const { grants } = await accessOf(model, 'globex', 'bob')
        const lost = grants.flatMap((grant) => grant.lost)
        const of = (...roleKeys: readonly string[]) =>
          lost.filter(({ roleKey }) => roleKeys.includes(roleKey)).map((role) => role.with)
        if (last?.type === 'project_role.removed' && orgId === 'acme')
          demandEqual('lost with the role', of('reader'), ['role'])
        if (last?.type === 'project_grant.updated')
          demandEqual('lost with the grant', of('writer'), ['project_grant'])
        if (last?.type === 'project_grant.removed')
          demandEqual('lost with the removed grant', of('reader', 'writer'), ['project_grant'])
      }),
  'Roles are listed by a permission that they have.': (home) =>
    afterEach(home, logOf(PERMISSION_STORY), async (model, index) => {
      const permissions = Object.entries(permissionsAfter(index))
      for (const [condition, meets] of CONDITIONS) {
        const conditions = [{ ...condition, field: 'permission' }]
        const { items, totalSize } = await model.list({ ...ROLES, conditions })
        const keys = permissions
          .filter(([, names]) => names.some(meets))
          .map(([roleKey]) => roleKey)
          .sort()
        demandEqual(
          `${condition.operator} ${condition.value} after event ${index}`,
          [items.map(({ roleKey }) => roleKey), totalSize],
          [keys, keys.length],
        )
      }
    }),
  'Holders of a permission are the holders of the roles that have it.': (home) =>
    afterEach(home, logOf(PERMISSION_STORY), async (model, index) => {
      const expected = PERMISSION_STORY[index]?.[2] ?? NOBODY
      demandEqual(`holders after event ${index}`, await holdersIn(model), [...expected, [], []])
    }),
  'Holders of a permission at a position are the holders of the roles that had it right after its event.':
    async (home) => {
      const log = logOf(PERMISSION_STORY)
      const model = await fedWith(home, log)
      demandEqual('before all events', await holdersIn(model, 0n), [[], [], [], []])
      for (const [index, { position }] of log.events.entries()) {
        const expected = PERMISSION_STORY[index]?.[2] ?? NOBODY
        for (const at of [position, position + 1n])
          demandEqual(`holders at event ${index}`, await holdersIn(model, at), [
            ...expected,
            [],
            [],
          ])
      }
    },
  'Holders of a permission are found by one role or by all, page by page.': async (home) => {
    const log = logOf(PERMISSION_STORY)
    const model = await fedWith(home, log)
    const query = { ...OF_PORTAL, permission: 'read', at: log.events[5]?.position ?? 0n }
    const { items: all } = await model.holders(query)
    demandEqual('all', all.map(nameOf), BOTH[0])
    const ofWriter = await model.holders({ ...query, roleKey: 'writer' })
    demandEqual('of one role', ofWriter.items, all.slice(2))
    demandEqual('of a role without', await model.holders({ ...query, roleKey: 'bare' }), {
      items: [],
      hasMore: false,
    })
    for (const [index, { roleKey, orgId, userId }] of all.entries())
      demandEqual(
        `after ${index}`,
        await model.holders({ ...query, limit: 1, after: [roleKey, orgId, '', '', '', userId] }),
        { items: all.slice(index + 1, index + 2), hasMore: index === 0 },
      )
  },
  'The roles of a user have the permissions of the last event of the role, in its order.': (home) =>
    afterEach(home, logOf(PERMISSION_STORY), async (model, index) => {
      const permissions = permissionsAfter(index)
      const ids = { orgId: 'acme', userId: 'ann', projectId: 'portal' }
      const held = await model.heldRoles({ ...ids, ...NOW })
      const { grants } = await model.access({ ...ids, projectOrgId: 'acme' })
      for (const found of [held.items, grants.flatMap(({ roles }) => roles)])
        demandEqual(
          `permissions after event ${index}`,
          found.map((role) => [role.roleKey, role.permissions]),
          found.map(({ roleKey }) => [roleKey, permissions[roleKey]]),
        )
    }),
  'History does not show that a role is added without permissions.': async (home) => {
    const log = newLog()
    log.record('acme', projectAdded('portal'))
    log.record('acme', roleAdded('portal', 'bare'))
    log.record('acme', roleUpdated('portal', 'bare', { permissions: ['read'] }))
    log.record('acme', roleUpdated('portal', 'bare', { permissions: [] }))
    log.record('acme', roleAdded('portal', 'reader', { permissions: ['read'] }))
    const model = await fedWith(home, log)
    const entries = await model.history({ orgId: 'acme', after: 0n, limit: 100 })
    const shown = entries.map(({ changes }) =>
      changes.flatMap((change) =>
        change.field === 'permissions' && 'to' in change ? [[change.from, change.to]] : [],
      ),
    )
    const [none, some] = [[], ['read']]
    demandEqual('changes', shown, [[], [], [[none, some]], [[some, none]], [[undefined, some]]])
  },
  'A role whose events are of version 1 has no permissions.': async (home) => {
    const log = newLog()
    log.record('acme', projectAdded('portal'))
    log.record('acme', roleAdded('portal', 'reader'))
    log.record('acme', roleUpdated('portal', 'reader', { displayName: 'Reader' }))
    log.record('acme', userGrantAdded(grantOf('ann'), ['reader']))
    const older = log.events.map((event) => {
      if (event.schemaVersion === 1) return event
      const { permissions: _, ...data }: { readonly permissions?: unknown } = event.data
      return { ...event, schemaVersion: 1, data }
    })
    const model = await home.open()
    await model.apply(0n, older)
    const { items } = await model.list(ROLES)
    demandEqual(
      'the role',
      items.map(({ displayName, permissions }) => [displayName, permissions]),
      [['Reader', []]],
    )
    demandEqual('holders', await holdersIn(model), [[], [], [], []])
  },
})

/** The roles of one user and project, as `access` finds them. */
const accessOf = (model: ReadModel, orgId: string, userId: string, projectOrgId = 'acme') =>
  model.access({ orgId, userId, projectOrgId, projectId: 'portal' })

/** The same; of the project, the settings and the state alone. */
const settingsIn = async (...args: Parameters<typeof accessOf>): Promise<FoundAccess> => {
  const { project, ...found } = await accessOf(...args)
  return { ...found, project: project && foundProject(project) }
}

/** Roles that count when all on the way is active, from what `access` found. */
const countingIn = (found: FoundAccess, isOwn: boolean): readonly string[] => {
  const isOpen = found.project?.state === 'active' && (isOwn || found.projectGrant === 'active')
  const active = isOpen ? found.grants.filter(({ state }) => state === 'active') : []
  return active.flatMap(({ roles }) => roles.map(({ roleKey }) => roleKey))
}

/** More than the story has holders; a model that ignores `after` would never end. */
const MAX_PAGES = 10

/** The holders of roles of `acme`'s `portal` with the permission `read`, and with `write`. */
type Holders = readonly [read: readonly string[], write: readonly string[]]

const NOBODY: Holders = [[], []]
const ANN: Holders = [['reader acme/ann', 'writer acme/ann'], ['writer acme/ann']]
const BOTH: Holders = [['reader acme/ann', 'reader acme/bob', 'writer acme/ann'], ANN[1]]
const READERS = ['reader acme/ann', 'reader acme/bob']
const SWAPPED: Holders = [['writer acme/ann'], [...READERS, 'writer acme/ann']]

/** Every way in which a role gains and loses permissions, and the holders after it. */
const PERMISSION_STORY: readonly (readonly [...Recorded, holders: Holders])[] = [
  ['acme', projectAdded('portal'), NOBODY],
  ['acme', roleAdded('portal', 'reader', { permissions: ['read'] }), NOBODY],
  ['acme', roleAdded('portal', 'writer', { permissions: ['read', 'write'] }), NOBODY],
  ['acme', roleAdded('portal', 'bare'), NOBODY],
  ['acme', userGrantAdded(grantOf('ann'), ['writer', 'reader', 'bare']), ANN],
  ['acme', userGrantAdded(grantOf('bob'), ['reader', 'bare']), BOTH],
  // The same names elsewhere.
  ['other', projectAdded('portal'), BOTH],
  ['other', roleAdded('portal', 'reader', { permissions: ['write'] }), BOTH],
  ['other', roleAdded('portal', 'bare', { permissions: ['read'] }), BOTH],
  ['other', userGrantAdded({ ...grantOf('ann'), projectOrgId: 'other' }, ['reader']), BOTH],
  // Another permission, one more, and the first one again.
  ['acme', roleUpdated('portal', 'reader', { permissions: ['write'] }), SWAPPED],
  ['acme', roleUpdated('portal', 'reader', { permissions: ['Z', 'a', 'write'] }), SWAPPED],
  [
    'acme',
    roleUpdated('portal', 'reader', { displayName: 'Reader', permissions: [] }),
    [SWAPPED[0], ANN[1]],
  ],
  ['acme', roleUpdated('portal', 'reader', { permissions: ['read'] }), BOTH],
  ['other', roleRemoved('portal', 'reader'), BOTH],
  // A role that is removed and added again has the permissions of the new one.
  ['acme', roleRemoved('portal', 'writer'), [READERS, []]],
  ['acme', roleAdded('portal', 'writer', { permissions: ['write'] }), [READERS, []]],
  ['acme', userGrantUpdated(grantOf('ann'), ['writer', 'reader', 'bare']), [READERS, ANN[1]]],
  ['acme', projectRemoved('portal'), NOBODY],
]

/** The holders of roles with `read`, with `write`, and with permissions that no role has. */
const holdersIn = async (model: ReadModel, at?: bigint) => {
  const found: (readonly string[])[] = []
  for (const permission of ['read', 'write', 'rea', 'READ']) {
    const { items } = await model.holders({
      ...OF_PORTAL,
      permission,
      ...(at !== undefined && { at }),
    })
    found.push(items.map(nameOf))
  }
  return found
}

/** The permissions of the roles of `acme` after the event of the story with that index. */
const permissionsAfter = (index: number): Readonly<Record<string, readonly string[]>> => {
  let permissions: Record<string, readonly string[]> = {}
  for (const [orgId, { type, data }] of PERMISSION_STORY.slice(0, index + 1)) {
    if (orgId !== 'acme') continue
    if (type === 'project_role.added' || type === 'project_role.updated')
      permissions[data.roleKey] = data.permissions
    if (type === 'project_role.removed') delete permissions[data.roleKey]
    if (type === 'project.removed') permissions = {}
  }
  return permissions
}

/** Conditions on permissions, and the test that each of them is. */
const CONDITIONS: readonly (readonly [
  Omit<Condition, 'field'>,
  (permission: string) => boolean,
])[] = [
  [{ operator: 'equals', value: 'read', ignoreCase: false }, (name) => name === 'read'],
  [{ operator: 'equals', value: 'READ', ignoreCase: false }, () => false],
  [{ operator: 'equals', value: 'READ', ignoreCase: true }, (name) => name === 'read'],
  [{ operator: 'startsWith', value: 'wri', ignoreCase: false }, (name) => name === 'write'],
  [{ operator: 'startsWith', value: 'z', ignoreCase: true }, (name) => name === 'Z'],
  [{ operator: 'contains', value: 'a', ignoreCase: false }, (name) => name.includes('a')],
  [{ operator: 'contains', value: 'RIT', ignoreCase: true }, (name) => name === 'write'],
]
