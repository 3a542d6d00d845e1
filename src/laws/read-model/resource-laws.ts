import type { UserRoles } from '../../ports/access-reads.js'
import type { ReadModel } from '../../ports/read-model.js'
import { demandEqual, lawsOf } from '../law.js'
import {
  BEFORE_END,
  NOW,
  OF_PORTAL,
  projectGrantAdded,
  projectGrantUpdated,
  userGrantAdded,
  userGrantUpdated,
} from './grant-samples.js'
import { afterEach, fedWith, logOf, type ReadModelHome, type Recorded } from './harness.js'
import { mappingAdded, reported } from './mapping-samples.js'
import { idpAdded, projectAdded, roleAdded } from './object-samples.js'

/** Two resources, in the order in which lists have them, which is not that of their escaped names. */
const HERE = 'a +1'
const THERE = 'a,2'
const PLACES = [undefined, HERE, THERE]

const bob = { userId: 'bob', projectId: 'portal', projectOrgId: 'acme' }
const staff = { idpId: 'google', group: 'staff', projectId: 'portal', projectOrgId: 'acme' }

/** What each event leads to: who is `reader` where, as user and resource. */
type Step = readonly [...Recorded, readers: readonly (readonly [string, string | undefined])[]]

const BOB_HERE = ['bob', HERE] as const
const ANN_THERE = ['ann', THERE] as const

const STORY: readonly Step[] = [
  ['acme', projectAdded('portal'), []],
  ['acme', roleAdded('portal', 'reader'), []],
  ['acme', projectGrantAdded('portal', 'globex', ['reader']), []],
  ['globex', idpAdded('google'), []],
  ['globex', userGrantAdded({ ...bob, resource: HERE }, ['reader']), [BOB_HERE]],
  ['globex', mappingAdded({ ...staff, resource: THERE }, ['reader']), [BOB_HERE]],
  ['globex', reported('google', 'ann', ['staff']), [BOB_HERE, ANN_THERE]],
  ['globex', userGrantAdded(bob, ['reader']), [['bob', undefined], BOB_HERE, ANN_THERE]],
  // It ends everywhere with the project's grant of it, by one event.
  ['acme', projectGrantUpdated('portal', 'globex', []), []],
  ['acme', projectGrantUpdated('portal', 'globex', ['reader']), []],
  ['globex', userGrantUpdated({ ...bob, resource: HERE }, ['reader']), [BOB_HERE]],
]

/** Four users: one with a role of the whole project, one on two resources, one by a group, one on one resource. */
const CROWD: readonly Recorded[] = [
  ['acme', projectAdded('portal')],
  ['acme', roleAdded('portal', 'reader')],
  ['acme', projectGrantAdded('portal', 'globex', ['reader'])],
  ['globex', idpAdded('google')],
  ['globex', userGrantAdded({ ...bob, userId: 'dan', resource: HERE }, ['reader'])],
  ['globex', userGrantAdded({ ...bob, resource: THERE }, ['reader'])],
  ['globex', userGrantAdded({ ...bob, resource: HERE }, ['reader'])],
  ['globex', userGrantAdded({ ...bob, userId: 'ann' }, ['reader'])],
  ['globex', mappingAdded({ ...staff, resource: THERE }, ['reader'])],
  ['globex', reported('google', 'cleo', ['staff'])],
]

const CROWD_SHOWN = ['ann: +', `bob: +${HERE} +${THERE}`, `cleo: +${THERE}`, `dan: +${HERE}`]

const shownUser = ({ userId, roles }: UserRoles): string =>
  [`${userId}:`, ...roles.map(({ resource = '' }) => `+${resource}`)].join(' ')

const countsOn = (heldOn: string | undefined, queriedResource: string | undefined): boolean =>
  heldOn === undefined || heldOn === queriedResource

const accessOn = async (model: ReadModel, userId: string, resource: string | undefined) => {
  const ids = { orgId: 'globex', userId, projectOrgId: 'acme', projectId: 'portal' }
  const { grants, mapped } = await model.access({ ...ids, ...(resource && { resource }) })
  return [...grants.flatMap(({ roles }) => roles), ...mapped].length > 0
}

/** The laws of roles on one resource of a project. */
export const resourceLaws = lawsOf<ReadModelHome>({
  'A role on one resource counts there alone, and one for the whole project everywhere.': (home) =>
    afterEach(home, logOf(STORY.map(([orgId, event]) => [orgId, event])), async (model, index) => {
      const readers = STORY[index]?.[2] ?? []
      for (const queriedResource of PLACES) {
        const there = readers.filter(([, resource]) => countsOn(resource, queriedResource))
        for (const userId of ['ann', 'bob'])
          demandEqual(
            `whether ${userId} has access on ${queriedResource} after event ${index}`,
            await accessOn(model, userId, queriedResource),
            there.some(([user]) => user === userId),
          )
        if (queriedResource === undefined) continue
        const { items } = await model.holders({ ...OF_PORTAL, resource: queriedResource })
        demandEqual(
          `holders on ${queriedResource} after event ${index}`,
          items.map(({ userId, resource }) => [userId, resource]),
          there,
        )
      }
    }),
  'Every list of roles shows the resource of each, the whole project first.': (home) =>
    afterEach(home, logOf(STORY.map(([orgId, event]) => [orgId, event])), async (model, index) => {
      const readers = STORY[index]?.[2] ?? []
      const { items: holders } = await model.holders(OF_PORTAL)
      demandEqual(
        `holders after event ${index}`,
        holders.map(({ userId, resource }) => [userId, resource]),
        readers,
      )
      const { items: users } = await model.users({ orgId: 'globex', ...NOW })
      for (const userId of ['ann', 'bob']) {
        const own = readers.filter(([user]) => user === userId).map(([, resource]) => resource)
        const { items: held } = await model.heldRoles({ orgId: 'globex', userId, ...NOW })
        const roles = users.find((user) => user.userId === userId)?.roles ?? []
        for (const found of [held, roles])
          demandEqual(
            `resources of ${userId} after event ${index}`,
            found.map(({ resource }) => resource),
            own,
          )
      }
      const affected = { orgId: 'acme', projectId: 'portal', at: 2n ** 62n, limit: 1000 }
      const { count } = await model.affected({ ...affected, now: BEFORE_END })
      demandEqual(`affected roles after event ${index}`, count, readers.length)
    }),
  'A page of users has each user once, with the roles on all resources.': async (home) => {
    const model = await fedWith(home, logOf(CROWD))
    const pages: string[] = []
    for (const limit of [1, 2, 3]) {
      let after: readonly [string] | undefined
      for (let page = 0; page < CROWD.length; page++) {
        const query = { orgId: 'globex', ...NOW, limit, ...(after && { after }) }
        const { items, hasMore } = await model.users(query)
        pages.push(...items.map((user) => `${limit} ${shownUser(user)}`))
        const last = items.at(-1)
        if (!hasMore || last === undefined) break
        after = [last.userId]
      }
    }
    const expected = [1, 2, 3].flatMap((limit) => CROWD_SHOWN.map((user) => `${limit} ${user}`))
    demandEqual('users, page by page', pages, expected)
    const { items: there } = await model.users({ orgId: 'globex', ...NOW, resource: THERE })
    demandEqual('users on one resource', there.map(shownUser), [
      'ann: +',
      `bob: +${THERE}`,
      `cleo: +${THERE}`,
    ])
    const { items: few } = await model.users({ orgId: 'globex', ...NOW, userIds: ['bob', 'dan'] })
    demandEqual('users with these ids', few.map(shownUser), [
      `bob: +${HERE} +${THERE}`,
      `dan: +${HERE}`,
    ])
  },
})
