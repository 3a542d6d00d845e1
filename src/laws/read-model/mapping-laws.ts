import type { AnyEvent } from '../../domain/aggregates.js'
import type {
  AffectedByGroup,
  HeldRolesQuery,
  Holder,
  HoldersQuery,
  Source,
} from '../../ports/access-reads.js'
import { type Position, timeOf } from '../../ports/event-store.js'
import type { ReadModel } from '../../ports/read-model.js'
import { keyOfHolder } from '../../projections/row-order.js'
import { demandEqual, lawsOf } from '../law.js'
import {
  affectedNames,
  exactly,
  grantOf,
  holdersOf,
  NOW,
  nameOf,
  OF_PORTAL,
  projectGrantAdded,
  projectGrantDeactivated,
  projectGrantReactivated,
  projectGrantRemoved,
  projectGrantUpdated,
  userGrantAdded,
} from './grant-samples.js'
import { afterEach, fedTwice, fedWith, type Log, logOf, type ReadModelHome } from './harness.js'
import {
  type MappingIds,
  mappingAdded,
  mappingRemoved,
  mappingUpdated,
  membershipRemoved,
  reported,
} from './mapping-samples.js'
import {
  idpAdded,
  idpDeactivated,
  idpReactivated,
  idpRemoved,
  projectAdded,
  projectDeactivated,
  projectReactivated,
  projectRemoved,
  roleAdded,
  roleRemoved,
} from './object-samples.js'

const mappingOf = (group: string, idpId = 'google'): MappingIds => ({
  idpId,
  group,
  projectId: 'portal',
  projectOrgId: 'acme',
})

const STAFF = mappingOf('staff')
const ADMINS = mappingOf('admins')
/** Of another project. */
const SHOP = { ...mappingOf('staff', 'okta'), projectId: 'shop' }
const DEVS = mappingOf('devs', 'okta')

/** An event of an organization, and the holders of roles of `acme`'s `portal` after it with their ways, in order. */
type Step = readonly [orgId: string, event: AnyEvent, holders: readonly string[]]

const ANN = 'reader acme/ann google/staff'
const BOB = 'reader acme/bob google/staff'
const GRANTED = 'reader acme/ann grant'
const ADMIN = 'reader acme/bob google/admins'
const CID = 'reader globex/cid okta/devs'
const WRITERS = ['writer acme/ann google/staff', 'writer acme/bob google/staff']
const ALL_READERS = [GRANTED, ADMIN, ANN, BOB]

/** Every way in which a role of a group begins to count, is suspended, and ends. */
const STORY: readonly Step[] = [
  ['acme', projectAdded('portal'), []],
  ['acme', roleAdded('portal', 'reader'), []],
  ['acme', roleAdded('portal', 'writer'), []],
  ['acme', idpAdded('google'), []],
  ['acme', idpAdded('okta'), []],
  ['acme', projectAdded('shop'), []],
  ['acme', roleAdded('shop', 'guest'), []],
  // A report counts for mappings that were added before it.
  ['acme', reported('google', 'ann', ['staff']), []],
  ['acme', mappingAdded(STAFF, ['reader']), []],
  ['acme', reported('google', 'ann', ['other', 'staff']), [ANN]],
  ['acme', reported('google', 'bob', ['staff']), [ANN, BOB]],
  // Beside a grant.
  ['acme', userGrantAdded(grantOf('ann'), ['reader']), [GRANTED, ANN, BOB]],
  // The same names elsewhere.
  ['other', projectAdded('portal'), [GRANTED, ANN, BOB]],
  ['other', roleAdded('portal', 'reader'), [GRANTED, ANN, BOB]],
  ['other', idpAdded('google'), [GRANTED, ANN, BOB]],
  ['other', mappingAdded({ ...STAFF, projectOrgId: 'other' }, ['reader']), [GRANTED, ANN, BOB]],
  ['other', reported('google', 'eve', ['staff']), [GRANTED, ANN, BOB]],
  ['acme', mappingAdded({ ...SHOP }, ['guest']), [GRANTED, ANN, BOB]],
  ['acme', reported('okta', 'ann', ['staff']), [GRANTED, ANN, BOB]],
  // Roles that a mapping gains count at once.
  ['acme', mappingUpdated(STAFF, ['reader', 'writer']), [GRANTED, ANN, BOB, ...WRITERS]],
  ['acme', idpDeactivated('google'), [GRANTED]],
  ['acme', idpReactivated('google'), [GRANTED, ANN, BOB, ...WRITERS]],
  // Two groups of one user.
  ['acme', mappingAdded(ADMINS, ['reader']), [GRANTED, ANN, BOB, ...WRITERS]],
  ['acme', reported('google', 'bob', ['admins', 'staff']), [...ALL_READERS, ...WRITERS]],
  // A role that is removed and added again is another one, which the mapping can be given at once.
  ['acme', roleRemoved('portal', 'writer'), ALL_READERS],
  ['acme', roleAdded('portal', 'writer'), ALL_READERS],
  ['acme', mappingUpdated(STAFF, ['reader', 'writer']), [...ALL_READERS, ...WRITERS]],
  ['acme', mappingUpdated(STAFF, ['reader']), ALL_READERS],
  // A mapping that is removed and added again is another one, too.
  ['acme', mappingRemoved(STAFF), [GRANTED, ADMIN]],
  ['acme', mappingAdded(STAFF, ['reader']), [GRANTED, ADMIN]],
  ['acme', reported('google', 'bob', ['admins', 'staff']), [GRANTED, ADMIN, BOB]],
  ['acme', reported('google', 'ann', []), [GRANTED, ADMIN, BOB]],
  ['acme', membershipRemoved('google', 'bob'), [GRANTED]],
  ['acme', reported('google', 'bob', ['staff']), [GRANTED, BOB]],
  // All roles of a mapping may end without it.
  ['acme', roleRemoved('portal', 'reader'), []],
  ['acme', roleAdded('portal', 'reader'), []],
  ['acme', mappingUpdated(STAFF, ['reader']), [BOB]],
  // In an organization that was granted the project.
  ['acme', projectGrantAdded('portal', 'globex', ['reader']), [BOB]],
  ['globex', idpAdded('okta'), [BOB]],
  ['globex', mappingAdded(DEVS, ['reader']), [BOB]],
  ['globex', reported('okta', 'cid', ['devs']), [BOB, CID]],
  ['acme', projectGrantDeactivated('portal', 'globex'), [BOB]],
  ['acme', projectGrantReactivated('portal', 'globex'), [BOB, CID]],
  ['acme', projectGrantUpdated('portal', 'globex', ['writer']), [BOB]],
  ['acme', projectGrantUpdated('portal', 'globex', ['reader', 'writer']), [BOB]],
  ['globex', mappingUpdated(DEVS, ['reader']), [BOB, CID]],
  ['acme', projectGrantRemoved('portal', 'globex'), [BOB]],
  ['acme', projectGrantAdded('portal', 'globex', ['reader']), [BOB]],
  ['globex', mappingUpdated(DEVS, ['reader']), [BOB, CID]],
  ['globex', idpRemoved('okta'), [BOB]],
  ['acme', projectDeactivated('portal'), []],
  ['acme', projectReactivated('portal'), [BOB]],
  ['acme', projectRemoved('portal'), []],
]

/** A log in which groups gain and lose roles in every way. */
export const mappingStoryLog = (): Log => logOf(STORY)

const expectedAt = (index: number): readonly string[] => STORY[index]?.[2] ?? []

const sourceOf = (via: Source): string => (via === 'grant' ? via : `${via.idpId}/${via.group}`)

const nameWithWay = (holder: Holder): string => `${nameOf(holder)} ${sourceOf(holder.via)}`

const namesOf = async (model: ReadModel, query?: Partial<HoldersQuery>) =>
  (await holdersOf(model, query)).map(nameWithWay)

const USERS = [
  ['acme', 'ann'],
  ['acme', 'bob'],
  ['globex', 'cid'],
  ['other', 'eve'],
] as const

/** The roles of `portal` that its users hold, each with its way. */
const heldBy = async (model: ReadModel, query: Partial<HeldRolesQuery> = {}) => {
  const held: string[] = []
  for (const [orgId, userId] of USERS) {
    const of = { orgId, userId, projectId: 'portal', ...NOW, ...query }
    const { items } = await model.heldRoles(of)
    for (const { projectOrgId, roleKey, via } of items)
      if (projectOrgId === 'acme') held.push(`${roleKey} ${orgId}/${userId} ${sourceOf(via)}`)
  }
  return held.sort()
}

/** The roles of groups that `access` finds for the users, while everything is active and none has expired. */
const mappedFor = async (model: ReadModel) => {
  const names: string[] = []
  for (const [orgId, userId] of USERS) {
    const ids = { orgId, userId, projectOrgId: 'acme', projectId: 'portal' }
    const { project, projectGrant, mapped } = await model.access(ids)
    const isOpen = project?.state === 'active' && (orgId === 'acme' || projectGrant === 'active')
    for (const { roleKey, via, isProviderActive } of mapped)
      if (isOpen && isProviderActive) names.push(`${roleKey} ${orgId}/${userId} ${sourceOf(via)}`)
  }
  return names.sort()
}

const byGroups = (names: readonly string[]) => names.filter((name) => !name.endsWith(' grant'))

/** The roles that `names` have in no other way than those that are meant, each once. */
const onlyBy = (names: readonly string[], isMeant: (way: string) => boolean) => {
  const roleOf = (name: string) => name.slice(0, name.lastIndexOf(' '))
  const way = (name: string) => name.slice(name.lastIndexOf(' ') + 1)
  const others = new Set(names.filter((name) => !isMeant(way(name))).map(roleOf))
  const roles = names.filter((name) => isMeant(way(name))).map(roleOf)
  return [...new Set(roles)].filter((role) => !others.has(role))
}

/** A log with a mapping whose reports count for a day, and one report. */
const validForADay = () => {
  const log = logOf([
    ['acme', projectAdded('portal')],
    ['acme', roleAdded('portal', 'reader', { displayName: 'Reader', permissions: ['read'] })],
    ['acme', idpAdded('google')],
    ['acme', mappingAdded(STAFF, ['reader'], { validFor: 24 })],
    ['acme', reported('google', 'ann', ['staff'])],
  ])
  const at = log.events.at(-1)?.position ?? 0n
  const expiresAt = new Date(timeOf(at).getTime() + 24 * 3_600_000)
  return { log, at, expiresAt, before: new Date(expiresAt.getTime() - 1) }
}

/** Laws of roles that users have as members of groups. */
export const mappingLaws = lawsOf<ReadModelHome>({
  'A role of a group counts from the first report after its mapping was added until something it depends on ends.':
    (home) =>
      afterEach(home, mappingStoryLog(), async (model, index) => {
        const expected = expectedAt(index)
        demandEqual(`holders after event ${index}`, await namesOf(model), expected)
        demandEqual(`held after event ${index}`, await heldBy(model), expected.toSorted())
        demandEqual(
          `found after event ${index}`,
          await mappedFor(model),
          byGroups(expected).toSorted(),
        )
      }),
  'Roles of groups at a position are the roles right after its event.': async (home) => {
    const log = mappingStoryLog()
    const model = await fedWith(home, log)
    for (const [index, { position }] of log.events.entries())
      for (const at of [position, position + 1n]) {
        const expected = expectedAt(index)
        demandEqual(`holders at event ${index}`, await namesOf(model, { at }), expected)
        demandEqual(`held at event ${index}`, await heldBy(model, { at }), expected.toSorted())
      }
  },
  'Holders are found page by page, by role, organization, way and user; grants come before groups.':
    async (home) => {
      const log = mappingStoryLog()
      const model = await fedWith(home, log)
      const index = STORY.findLastIndex(([, , names]) => names.length === 6)
      const at = log.events[index]?.position ?? 0n
      const all = expectedAt(index)
      for (const projectId of ['portal', undefined])
        for (const limit of [1, 2, 3]) {
          const { projectId: _, ...ofAll } = OF_PORTAL
          const query = { ...ofAll, ...(projectId && { projectId }), at, limit }
          const found: string[] = []
          const count = projectId === undefined ? all.length + 1 : all.length
          for (let after: HoldersQuery['after']; found.length < count; ) {
            const page = await model.holders({ ...query, ...(after && { after }) })
            found.push(...page.items.map(nameWithWay))
            demandEqual('whether more follow', page.hasMore, found.length < count)
            const last = page.items.at(-1)
            if (!last) break
            after = keyOfHolder(last)
          }
          const ofShop = projectId === undefined ? ['guest acme/ann okta/staff'] : []
          demandEqual(`pages of ${limit}`, found, [...all, ...ofShop])
        }
      for (const roleKey of ['reader', 'writer'])
        demandEqual(
          `holders of ${roleKey}`,
          await namesOf(model, { at, roleKey }),
          all.filter((name) => name.startsWith(roleKey)),
        )
      const ofAnn = all.filter((name) => name.includes('/ann'))
      demandEqual('holders named ann', await namesOf(model, { at, userId: 'ann' }), ofAnn)
      const after = ['acme', 'portal', '', 'reader', 'google', 'admins'] as const
      const held = { orgId: 'acme', userId: 'bob', at, ...NOW, limit: 1, after }
      const [next] = (await model.heldRoles(held)).items
      demandEqual('the next way', next && sourceOf(next.via), 'google/staff')
    },
  'A role of a group counts as long as its mapping says, from the last report on.': async (
    home,
  ) => {
    const { log, at, expiresAt, before } = validForADay()
    const model = await fedWith(home, log)
    const via = { idpId: 'google', group: 'staff' }
    const holder = { userId: 'ann', orgId: 'acme', roleKey: 'reader', expiresAt, from: timeOf(at) }
    for (const moment of [{}, { at }]) {
      const { items } = await model.holders({ ...OF_PORTAL, ...moment, now: before })
      demandEqual('the holder', items, [{ ...holder, via }])
      demandEqual('at the end', await namesOf(model, { ...moment, now: expiresAt }), [])
    }
    const ids = { orgId: 'acme', userId: 'ann', projectOrgId: 'acme', projectId: 'portal' }
    const role = {
      roleKey: 'reader',
      displayName: 'Reader',
      group: '',
      permissions: ['read'],
      expiresAt,
    }
    const found = { ...role, via, isProviderActive: true }
    demandEqual('the role', (await model.access(ids)).mapped, [found])
    log.record('acme', idpDeactivated('google'))
    await model.apply(await model.checkpoint(), log.events.slice(-1))
    demandEqual('while the provider is inactive', (await model.access(ids)).mapped, [
      { ...found, isProviderActive: false },
    ])
  },
  'A role of a group is held since the group got it or the user joined, whichever was later.':
    async (home) => {
      const log = logOf([
        ['acme', projectAdded('portal')],
        ['acme', roleAdded('portal', 'reader')],
        ['acme', roleAdded('portal', 'writer')],
        ['acme', idpAdded('google')],
        ['acme', mappingAdded(STAFF, ['reader'], { validFor: 24 })],
        ['acme', reported('google', 'ann', ['staff'])],
        ['acme', reported('google', 'ann', ['other', 'staff'])],
        ['acme', mappingUpdated(STAFF, ['reader', 'writer'])],
      ])
      const model = await fedWith(home, log)
      const since = (await model.holders(OF_PORTAL)).items.map(({ from }) => from)
      const timeAt = (index: number) => timeOf(log.events[index]?.position ?? 0n)
      demandEqual('since', since, [timeAt(5), timeAt(7)])
    },
  'The end of a provider affects the roles that users have only through its groups.': async (
    home,
  ) => {
    const log = mappingStoryLog()
    const model = await home.open()
    for (const [index, event] of log.events.entries()) {
      await model.apply(await model.checkpoint(), [event])
      for (const [orgId, idpId] of [
        ['acme', 'google'],
        ['globex', 'okta'],
      ] as const) {
        const isOwn = (way: string) => way.startsWith(`${idpId}/`)
        const expected = onlyBy(expectedAt(index), isOwn)
        const query = { provider: { orgId, idpId }, at: event.position, ...NOW }
        demandEqual(
          `roles by ${idpId} after event ${index}`,
          await affectedNames(model, query),
          exactly(expected),
        )
      }
    }
  },
  'Roles are found as if their provider were active.': async (home) => {
    const log = mappingStoryLog()
    const model = await fedWith(home, log)
    const index = STORY.findIndex(([, { type }]) => type === 'identity_provider.deactivated')
    const at = log.events[index]?.position ?? 0n
    const query = { provider: { orgId: 'acme', idpId: 'google' }, at, ...NOW, limit: 1 }
    const expected = onlyBy(expectedAt(index - 1), (way) => way.startsWith('google/'))
    demandEqual('as it is', await affectedNames(model, query), exactly([]))
    demandEqual('as if', await affectedNames(model, { ...query, asIfActive: true }), {
      count: expected.length,
      names: expected.slice(0, 1),
    })
  },
  'The roles that a change of a project affects are counted once, even if users have them in several ways.':
    async (home) => {
      const log = mappingStoryLog()
      const model = await fedWith(home, log)
      for (const [index, { position: at }] of log.events.entries())
        demandEqual(
          `after event ${index}`,
          await affectedNames(model, { ...OF_PORTAL, at }),
          exactly(onlyBy(expectedAt(index), () => true)),
        )
    },
  'Members of a group who have a role only through the group are found by their reports.': async (
    home,
  ) => {
    const log = mappingStoryLog()
    const model = await fedWith(home, log)
    const index = STORY.findLastIndex(([, , names]) => names.length === 6)
    const at = log.events[index]?.position ?? 0n
    const positionOf = (found: (event: AnyEvent) => boolean): Position =>
      log.events[STORY.findIndex(([, event]) => found(event))]?.position ?? 0n
    const since = positionOf(({ type }) => type === 'role_mapping.added')
    const bob = positionOf(({ data }) => 'userId' in data && data.userId === 'bob')
    const members = { orgId: 'acme', idpId: 'google', group: 'staff', after: since }
    const query: AffectedByGroup = { ...OF_PORTAL, roleKeys: ['reader', 'writer'], members, at }
    const both = ['writer acme/ann', 'writer acme/bob']
    demandEqual('members', await affectedNames(model, query), exactly(both))
    const after = { ...members, after: bob }
    const late = { ...query, members: after }
    demandEqual('by later reports', await affectedNames(model, late), exactly(['writer acme/bob']))
    const early = { ...query, members: { ...members, until: bob } }
    const ofAnn = ['writer acme/ann']
    demandEqual('by earlier reports', await affectedNames(model, early), exactly(ofAnn))
    const unmapped = { ...query, roleKeys: ['auditor'], limit: 1 }
    demandEqual('of a role to come', await affectedNames(model, unmapped), {
      count: 2,
      names: ['auditor acme/ann'],
    })
    const admins = { idpId: 'google', group: 'admins' }
    for (const [roleKey, others, names] of [
      ['reader', [], []],
      ['reader', [admins], ['reader acme/bob']],
      ['reader', [{ ...admins, after: at }], ['reader acme/bob']],
      ['reader', [{ ...admins, after: bob }], []],
      ['reader', [{ ...admins, resource: 'room' }], []],
      ['writer', [{ ...admins, after: bob }], ['writer acme/ann']],
      ['writer', [{ ...admins, after: bob, resource: 'room' }], both],
    ] as const)
      demandEqual(
        `${roleKey} with other mappings, expected ${names}`,
        await affectedNames(model, { ...query, roleKeys: [roleKey], others }),
        exactly([...names]),
      )
    const inactive = STORY.findIndex(([, { type }]) => type === 'identity_provider.deactivated')
    const then = { ...query, at: log.events[inactive]?.position ?? 0n }
    demandEqual('of an inactive provider', await affectedNames(model, then), exactly([]))
  },
  'Groups with mappings are found, with the event that added each mapping.': async (home) => {
    const log = mappingStoryLog()
    const model = await home.open()
    const query = { orgId: 'acme', idpId: 'google', groups: ['admins', 'nobody', 'Staff', 'staff'] }
    const found = async () =>
      (await model.mappedGroups(query))
        .map(({ group, since, validFor }) => `${group} ${since} ${validFor}`)
        .sort()
    const added = new Map<string, Position>()
    for (const event of log.events) {
      await model.apply(await model.checkpoint(), [event])
      const { type, data, position, metadata } = event
      const group = `${Reflect.get(data, 'idpId')} ${Reflect.get(data, 'group')} ${Reflect.get(data, 'projectId')}`
      if (
        metadata.resourceOwner === 'acme' &&
        group.startsWith('google') !== type.startsWith('project.')
      ) {
        if (type === 'role_mapping.added') added.set(group, position)
        if (type === 'role_mapping.removed') added.delete(group)
        if (type === 'project.removed')
          for (const each of added.keys()) if (each.endsWith(' portal')) added.delete(each)
      }
      const expected = [...added].map(([key, since]) => `${key.split(' ')[1]} ${since} undefined`)
      demandEqual(`groups after ${type}`, await found(), expected.sort())
    }
    const valid = validForADay()
    await model.reset()
    await model.apply(0n, valid.log.events)
    demandEqual(
      'how long reports count',
      (await model.mappedGroups(query)).map(({ validFor }) => validFor),
      [24],
    )
  },
  'Mappings and memberships are not found once their provider is removed.': async (home) => {
    const log = logOf([
      ['acme', projectAdded('portal')],
      ['acme', roleAdded('portal', 'reader')],
      ['acme', idpAdded('google')],
      ['acme', idpAdded('google2')],
      ['acme', mappingAdded(STAFF, ['reader'])],
      ['acme', mappingAdded({ ...STAFF, idpId: 'google2' }, ['reader'])],
      ['acme', reported('google', 'ann', ['staff'])],
      ['acme', reported('google2', 'ann', ['staff'])],
      ['acme', idpRemoved('google')],
    ])
    for await (const model of fedTwice(home, log)) {
      for (const idpId of ['google', 'google2']) {
        const mapping = { type: 'role_mapping', ...STAFF, idpId } as const
        const member = { type: 'membership', idpId, userId: 'ann' } as const
        const isThere = idpId === 'google2'
        demandEqual('the mapping', (await model.get('acme', mapping)) !== undefined, isThere)
        demandEqual('the membership', (await model.get('acme', member)) !== undefined, isThere)
      }
    }
  },
})
