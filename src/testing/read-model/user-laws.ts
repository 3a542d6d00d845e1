import type { Holder, HoldersQuery } from '../../ports/access-reads.js'
import type { ReadModel } from '../../ports/read-model.js'
import { demandEqual, lawsOf } from '../law.js'
import {
  BEFORE_END,
  expectedAt,
  grantOf,
  projectGrantAdded,
  type Roles,
  storyLog,
  userGrantAdded,
  userGrantDeactivated,
  userGrantRemoved,
  userGrantUpdated,
} from './grant-samples.js'
import { fedWith, type Log, newLog, type ReadModelHome } from './harness.js'
import { found } from './history-laws.js'
import { projectAdded, projectRemoved, roleAdded, roleRemoved } from './object-samples.js'

const ASKED = { now: BEFORE_END, limit: 1000 }

const nameOf = ({ roleKey, orgId, userId }: Holder): string => `${roleKey} ${orgId}/${userId}`

const holdersOf = async (model: ReadModel, query: Omit<HoldersQuery, 'now' | 'limit'>) =>
  (await model.holders({ ...ASKED, ...query })).items.map(nameOf)

const PORTAL = { orgId: 'acme', projectId: 'portal' }

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
      const found = await holdersOf(model, { ...PORTAL, ...moment, userId: 'ann' })
      demandEqual('holders called ann', found, ['reader acme/ann', 'reader globex/ann'])
      demandEqual(
        'holders called an',
        await holdersOf(model, { ...PORTAL, ...moment, userId: 'an' }),
        [],
      )
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
