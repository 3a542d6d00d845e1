import type { FoundAccess, Holder, HoldersQuery } from '../../ports/access-reads.js'
import { timeOf } from '../../ports/event-store.js'
import type { ReadModel } from '../../ports/read-model.js'
import { foundProject } from '../../projections/rows.js'
import { demand, demandEqual, lawsOf } from '../law.js'
import {
  AT_END,
  afterEach,
  BEFORE_END,
  COMPLETE,
  END,
  expectedAt,
  grantOf,
  modelAfter,
  projectGrantAdded,
  type Roles,
  STORY,
  storyLog,
  userGrantAdded,
  userGrantDeactivated,
  userGrantRemoved,
  userGrantUpdated,
} from './grant-samples.js'
import { fedWith, type Log, newLog, type ReadModelHome } from './harness.js'
import { found } from './history-laws.js'
import { projectAdded, projectRemoved, roleAdded, roleRemoved } from './object-samples.js'

/** The roles of one user and project, as `access` finds them. */
const accessOf = (model: ReadModel, orgId: string, userId: string, projectOrgId = 'acme') =>
  model.access({ orgId, userId, projectOrgId, projectId: 'portal' })

/** The same; of the project, the settings and the state alone. */
const settingsIn = async (...asked: Parameters<typeof accessOf>): Promise<FoundAccess> => {
  const { project, ...found } = await accessOf(...asked)
  return { ...found, project: project && foundProject(project) }
}

/** Roles that count when all on the way is active, from what `access` found. */
const countingIn = (found: FoundAccess, isOwn: boolean): readonly string[] => {
  const isActive = found.project?.state === 'active' && found.userGrant === 'active'
  return isActive && (isOwn || found.projectGrant === 'active')
    ? found.roles.map(({ roleKey }) => roleKey)
    : []
}

/** Laws of what decides about one user and one project. */
export const accessLaws = lawsOf<ReadModelHome>({
  'The roles that a user holds and the holders of those roles agree.': (home) =>
    afterEach(home, async (model, index) => {
      for (const [orgId, userId] of [
        ['acme', 'ann'],
        ['globex', 'bob'],
        ['globex', 'ann'],
      ] as const) {
        const query = { orgId, userId, projectId: 'portal', now: BEFORE_END, limit: 1000 }
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
        userGrant: 'active',
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
        mapped: [],
      })
      const nothing = { userGrant: undefined, roles: [], lost: [], mapped: [] }
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
      afterEach(home, async (model, index, log) => {
        const last = log.events[index]
        const { lost } = await accessOf(model, 'globex', 'bob')
        const of = (...roleKeys: readonly string[]) =>
          lost.filter(({ roleKey }) => roleKeys.includes(roleKey)).map((role) => role.with)
        if (last?.type === 'project_role.removed' && last.metadata.resourceOwner === 'acme')
          demandEqual('lost with the role', of('reader'), ['role'])
        if (last?.type === 'project_grant.updated')
          demandEqual('lost with the grant', of('writer'), ['project_grant'])
        if (last?.type === 'project_grant.removed')
          demandEqual('lost with the removed grant', of('reader', 'writer'), ['project_grant'])
      }),
})

/** More than the story has holders; a model that ignores `after` would never end. */
const MAX_PAGES = 10

const HOLDERS: HoldersQuery = { orgId: 'acme', projectId: 'portal', now: BEFORE_END, limit: 1000 }

const nameOf = ({ roleKey, orgId, userId }: Holder): string => `${roleKey} ${orgId}/${userId}`

const holdersOf = async (model: ReadModel, query: Partial<HoldersQuery> = {}) =>
  (await model.holders({ ...HOLDERS, ...query })).items

const namesOf = async (model: ReadModel, query?: Partial<HoldersQuery>) =>
  (await holdersOf(model, query)).map(nameOf)

/** Laws of the roles that users hold, and of who holds them. */
export const holderLaws = lawsOf<ReadModelHome>({
  'A role counts from the event that gives it until the first event that ends it, while everything it depends on is active.':
    (home) =>
      afterEach(home, async (model, index) => {
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
      const page = await model.holders({ ...HOLDERS, at, limit: 1, ...(after && { after }) })
      found.push(...page.items.map(nameOf))
      demandEqual('whether more follow', page.hasMore, found.length < all.length)
      const last = page.items.at(-1)
      if (!last || !page.hasMore) break
      after = [last.roleKey, last.orgId, '', '', last.userId]
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
          displayName: '',
          group: '',
          permissions: [],
          via: 'grant',
        },
      ]
      const query = { orgId: 'globex', userId: 'bob', now: BEFORE_END, limit: 1000 }
      demandEqual('all', await model.heldRoles(query), { items: held, hasMore: false })
      demandEqual(
        'of no project',
        (await model.heldRoles({ ...query, projectId: 'shop' })).items,
        [],
      )
      demandEqual('elsewhere', (await model.heldRoles({ ...query, orgId: 'other' })).items, [])
      for (const [index, { projectOrgId, projectId, roleKey }] of held.entries())
        demandEqual(
          `after ${index}`,
          await model.heldRoles({
            ...query,
            limit: 1,
            after: [projectOrgId, projectId, roleKey, '', ''],
          }),
          { items: held.slice(index + 1, index + 2), hasMore: index === 0 },
        )
    },
})

const ASKED = { now: BEFORE_END, limit: 1000 }

/** Two projects of `acme`, and two projects that other organizations grant to it. */
const projectsLog = (): { readonly log: Log; readonly all: bigint } => {
  const log = newLog()
  const give = (orgId: string, projectId: string, userId: string, roles: Roles) =>
    log.record('acme', userGrantAdded({ userId, projectId, projectOrgId: orgId }, roles)).position
  for (const [orgId, projectId] of [
    ['acme', 'shop'],
    ['acme', 'portal'],
    ['acme2', 'portal'],
    ['other', 'portal'],
  ] as const) {
    log.record(orgId, projectAdded(projectId))
    log.record(orgId, roleAdded(projectId, 'reader'))
    log.record(orgId, roleAdded(projectId, 'writer'))
    if (orgId !== 'acme') log.record(orgId, projectGrantAdded(projectId, 'acme', ['reader']))
    give(orgId, projectId, 'ann', ['reader', 'writer'])
  }
  const all = give('acme', 'portal', 'bob', ['reader'])
  log.record('acme', roleRemoved('shop', 'writer'))
  return { log, all }
}

/** Grants of users whose names are parts of each other, in two organizations, and their changes. */
const usersLog = (): Log => {
  const log = newLog()
  const shop = { projectId: 'shop', projectOrgId: 'acme' }
  for (const projectId of ['portal', 'shop']) {
    log.record('acme', projectAdded(projectId))
    log.record('acme', roleAdded(projectId, 'reader'))
  }
  log.record('acme', userGrantAdded(grantOf('ann'), ['reader']))
  log.record('acme', userGrantAdded(grantOf('b+ann'), ['reader']))
  log.record('acme', userGrantAdded({ ...shop, userId: 'ann' }, ['reader']))
  log.record('acme', userGrantAdded({ ...shop, userId: 'Ann' }, ['reader']))
  log.record('other', userGrantAdded(grantOf('ann'), ['reader']))
  log.record('acme', userGrantUpdated(grantOf('ann'), [['reader', '2031-01-01T00:00:00.000Z']]))
  log.record('acme', userGrantDeactivated({ ...shop, userId: 'ann' }))
  log.record('acme', projectRemoved('shop'))
  log.record('acme', userGrantRemoved(grantOf('ann')))
  log.record('acme', userGrantAdded(grantOf('ann'), ['reader']))
  log.record('acme', projectAdded('ann'))
  return log
}

/** Laws of queries about one user, and about all projects of an organization. */
export const userLaws = lawsOf<ReadModelHome>({
  'The roles of a user at a position are the roles right after its event.': async (home) => {
    const log = storyLog()
    const model = await fedWith(home, log)
    for (const [index, { position }] of log.events.entries())
      for (const [orgId, userId] of [
        ['acme', 'ann'],
        ['globex', 'bob'],
        ['globex', 'cid'],
      ] as const)
        for (const at of [position, position + 1n]) {
          const { items } = await model.heldRoles({ ...ASKED, orgId, userId, at })
          const own = items.filter(({ projectOrgId }) => projectOrgId === 'acme')
          demandEqual(
            `roles of ${userId} at event ${index}`,
            own.map(({ roleKey }) => `${roleKey} ${orgId}/${userId}`),
            expectedAt(index).filter((name) => name.endsWith(` ${orgId}/${userId}`)),
          )
        }
  },
  'Holders are found by user, in all organizations.': async (home) => {
    const log = newLog()
    log.record('acme', projectAdded('portal'))
    log.record('acme', roleAdded('portal', 'reader'))
    log.record('acme', projectGrantAdded('portal', 'globex', ['reader']))
    for (const [orgId, userId] of [
      ['acme', 'ann'],
      ['globex', 'ann'],
      ['globex', 'bob'],
      ['globex', 'Ann'],
    ] as const)
      log.record(orgId, userGrantAdded(grantOf(userId), ['reader']))
    const model = await fedWith(home, log)
    const at = log.events.at(-1)?.position ?? 0n
    for (const moment of [{}, { at }]) {
      const found = await namesOf(model, { ...moment, userId: 'ann' })
      demandEqual('holders called ann', found, ['reader acme/ann', 'reader globex/ann'])
      demandEqual('holders called an', await namesOf(model, { ...moment, userId: 'an' }), [])
    }
  },
  'Holders in all projects are listed for the projects of one organization, by project, page by page.':
    async (home) => {
      const { log, all } = projectsLog()
      const model = await fedWith(home, log)
      const find = async (query: Partial<HoldersQuery>) => {
        const { items } = await model.holders({ ...ASKED, orgId: 'acme', ...query })
        return items.map((holder) => `${holder.projectId} ${nameOf(holder)}`)
      }
      const present = [
        'portal reader acme/ann',
        'portal reader acme/bob',
        'portal writer acme/ann',
        'shop reader acme/ann',
      ]
      demandEqual('holders', await find({}), present)
      demandEqual('at a position', await find({ at: all }), [...present, 'shop writer acme/ann'])
      demandEqual('of one user', await find({ userId: 'bob' }), ['portal reader acme/bob'])
      demandEqual('of one role', await find({ roleKey: 'writer' }), ['portal writer acme/ann'])
      for (const [index, name] of present.entries()) {
        const [projectId = '', roleKey = '', holder = ''] = name.split(' ')
        const [orgId = '', userId = ''] = holder.split('/')
        const after = [projectId, roleKey, orgId, '', '', userId] as const
        const next = present.slice(index + 1, index + 2)
        demandEqual(`after ${name}`, await find({ after, limit: 1 }), next)
      }
    },
  'The history of a user is the history of the grants of the user in one organization, including removed ones.':
    async (home) => {
      const log = usersLog()
      const model = await fedWith(home, log)
      const ofAnn = [4, 6, 9, 10, 12, 13]
      demandEqual('history of ann', await found(model, log, { user: 'ann' }), ofAnn)
      demandEqual('of b+ann', await found(model, log, { user: 'b+ann' }), [5])
      demandEqual('of Ann', await found(model, log, { user: 'Ann' }), [7])
      demandEqual('of an', await found(model, log, { user: 'an' }), [])
      demandEqual('elsewhere', await found(model, log, { user: 'ann', orgId: 'other' }), [8])
      const newest = { user: 'ann', order: 'desc', limit: 2 } as const
      demandEqual('the newest', await found(model, log, newest), [13, 12])
      const types = ['user_grant.added']
      demandEqual('by type', await found(model, log, { user: 'ann', types }), [4, 6, 13])
      const after = log.events[6]?.position ?? 0n
      demandEqual('by place', await found(model, log, { user: 'ann', after }), ofAnn.slice(2))
    },
})
