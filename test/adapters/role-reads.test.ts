import { afterAll, describe, expect, test } from 'vitest'
import { openSqlite } from '../../src/adapters/sqlite/index.js'
import { memoryReadModel, type ReadModel } from '../../src/index.js'
import { projectGrantAdded, userGrantAdded } from '../../src/laws/read-model/grant-samples.js'
import { logOf } from '../../src/laws/read-model/harness.js'
import { mappingAdded, reported } from '../../src/laws/read-model/mapping-samples.js'
import {
  idpAdded,
  idpDeactivated,
  projectAdded,
  projectDeactivated,
  roleAdded,
} from '../../src/laws/read-model/object-samples.js'
import type { AffectedByGroup, AffectedQuery } from '../../src/ports/access-reads.js'
import { keyOfHolder } from '../../src/projections/row-order.js'

/** A question of the present. */
type Asked<Query extends AffectedQuery = AffectedQuery> = Query extends unknown
  ? Omit<Query, 'at' | 'now' | 'limit'>
  : never

const opened: { close: () => unknown }[] = []
afterAll(async () => {
  for (const each of opened) await each.close()
})

const NOW = { now: new Date('2030-01-01'), limit: 100 }
const APP = { projectId: 'app', projectOrgId: 'acme' }
const STAFF = { ...APP, idpId: 'okta', group: 'staff' }
const ON = { resource: 'Office' }

/** A project with two roles, and two providers. */
const begun = () =>
  logOf([
    ['acme', projectAdded('app')],
    ['acme', roleAdded('app', 'Admin')],
    ['acme', roleAdded('app', 'reader')],
    ['acme', idpAdded('okta')],
    ['acme', idpAdded('entra')],
  ])

describe.each<readonly [string, () => ReadModel]>([
  ['in memory', memoryReadModel],
  [
    'on SQLite',
    () => {
      const database = openSqlite(':memory:')
      opened.push(database)
      return database.readModel
    },
  ],
])('Reads of roles %s', (_, open) => {
  const modelOf = async (log: ReturnType<typeof logOf>): Promise<ReadModel> => {
    const model = open()
    await model.apply(0n, log.events)
    return model
  }
  const affected = async (model: ReadModel, query: Asked) =>
    model.affected({ ...query, ...NOW, at: await model.checkpoint() })

  test('tell projects of one id of two organizations apart', async () => {
    const log = begun()
    log.record('globex', projectAdded('app'))
    log.record('globex', roleAdded('app', 'reader'))
    log.record('globex', projectGrantAdded('app', 'acme', ['reader']))
    for (const projectOrgId of ['acme', 'globex'])
      log.record('acme', userGrantAdded({ ...APP, projectOrgId, userId: 'ann' }, ['reader']))
    const model = await modelOf(log)
    for (const projectOrgId of ['acme', 'globex']) {
      const asked = { orgId: 'acme', projectId: 'app', projectOrgId, ...NOW }
      const { items } = await model.heldRoles({ ...asked, userId: 'ann' })
      expect(items.map((role) => role.projectOrgId)).toEqual([projectOrgId])
      const users = await model.users(asked)
      expect(users.items.map(({ roles }) => roles.map((role) => role.projectOrgId))).toEqual([
        [projectOrgId],
      ])
    }
  })

  test('find names that begin with a capital', async () => {
    const log = begun()
    log.record('acme', userGrantAdded({ ...APP, userId: 'Ann' }, ['Admin']))
    log.record('acme', mappingAdded({ ...STAFF, ...ON, group: 'Ops', resource: 'A1' }, ['Admin']))
    log.record('acme', reported('okta', 'Bob', ['Ops']))
    const model = await modelOf(log)
    const bob = { orgId: 'acme', userId: 'Bob', ...NOW }
    const { items } = await model.heldRoles(bob)
    expect(items.map(({ roleKey, resource }) => [roleKey, resource])).toEqual([['Admin', 'A1']])
    const { items: holders } = await model.holders({ orgId: 'acme', ...NOW })
    expect(holders.map((each) => [each.userId, 'resource' in each])).toEqual([
      ['Ann', false],
      ['Bob', true],
    ])
    const { items: users } = await model.users({ orgId: 'acme', ...NOW })
    const ofUsers = users.flatMap(({ userId, roles }) =>
      roles.map((each) => [userId, 'resource' in each]),
    )
    expect(ofUsers).toEqual([
      ['Ann', false],
      ['Bob', true],
    ])
    const mapped = await model.mappedGroups({ orgId: 'acme', idpId: 'okta', groups: ['Ops'] })
    expect(mapped).toStrictEqual([{ group: 'Ops', since: expect.any(BigInt) }])
    const role = { orgId: 'acme', roleKey: 'Admin' }
    const both = [
      { ...role, userId: 'Ann' },
      { ...role, userId: 'Bob', resource: 'A1' },
    ]
    expect((await affected(model, { orgId: 'acme', projectId: 'app' })).first).toStrictEqual(both)
    const ofOkta = { provider: { orgId: 'acme', idpId: 'okta' } }
    expect((await affected(model, ofOkta)).first).toStrictEqual(both.slice(1))
  })

  test('find the first of the users that are asked for, and the holders of one organization', async () => {
    const log = begun()
    log.record('acme', projectGrantAdded('app', 'globex', ['reader']))
    for (const userId of ['ann', 'bob', 'cy'])
      log.record('acme', userGrantAdded({ ...APP, userId }, ['reader']))
    for (const place of [{}, ON])
      log.record('globex', userGrantAdded({ ...APP, ...place, userId: 'zoe' }, ['reader']))
    const model = await modelOf(log)
    const asked = { orgId: 'acme', userIds: ['cy', 'bob', 'ann'], ...NOW, limit: 1 }
    const { items, hasMore } = await model.users(asked)
    expect([items.map(({ userId }) => userId), hasMore]).toEqual([['ann'], true])
    const ofGlobex = { orgId: 'acme', userOrgId: 'globex', ...NOW }
    const { items: holders } = await model.holders(ofGlobex)
    expect(holders.map(({ userId, resource }) => [userId, resource])).toEqual([
      ['zoe', undefined],
      ['zoe', 'Office'],
    ])
    const onBoth = await affected(model, {
      orgId: 'acme',
      projectId: 'app',
      userOrgId: 'globex',
    })
    expect(onBoth.first.map(({ resource }) => resource)).toEqual([undefined, 'Office'])
    const unknown = await affected(model, { orgId: 'nobody', projectId: 'app' })
    expect(unknown).toEqual({ count: 0, first: [] })
  })

  test('find the holders of all projects page by page', async () => {
    const log = logOf([
      ['acme', projectAdded('App')],
      ['acme', roleAdded('App', 'Admin')],
      ['acme', roleAdded('App', 'reader')],
      ['acme', idpAdded('Entra')],
    ])
    const app = { projectId: 'App', projectOrgId: 'acme' }
    for (const userId of ['ann', 'bob'])
      log.record('acme', userGrantAdded({ ...app, userId }, ['Admin', 'reader']))
    log.record('acme', mappingAdded({ ...app, idpId: 'Entra', group: 'Ops' }, ['Admin', 'reader']))
    for (const userId of ['cy', 'dan']) log.record('acme', reported('Entra', userId, ['Ops']))
    const model = await modelOf(log)
    const found: string[] = []
    for (let after: ReturnType<typeof keyOfHolder> | undefined, isMore = true; isMore; ) {
      const page = { orgId: 'acme', ...NOW, limit: 1, ...(after && { after }) }
      const { items, hasMore } = await model.holders(page)
      for (const each of items) {
        found.push(`${each.roleKey} ${each.userId}`)
        after = keyOfHolder(each)
      }
      isMore = hasMore
    }
    const users = ['ann', 'bob', 'cy', 'dan']
    expect(found).toEqual(
      ['Admin', 'reader'].flatMap((key) => users.map((user) => `${key} ${user}`)),
    )
  })

  test('count a role that two providers give as affected by neither alone', async () => {
    const log = begun()
    for (const idpId of ['okta', 'entra']) {
      log.record('acme', mappingAdded({ ...STAFF, idpId }, ['reader']))
      log.record('acme', reported(idpId, 'both', ['staff']))
      log.record('acme', reported(idpId, `of-${idpId}`, ['staff']))
    }
    const model = await modelOf(log)
    for (const idpId of ['okta', 'entra']) {
      const { count, first } = await affected(model, { provider: { orgId: 'acme', idpId } })
      expect([count, first.map(({ userId }) => userId)]).toEqual([1, [`of-${idpId}`]])
    }
    const unknown = { provider: { orgId: 'nobody', idpId: 'okta' } }
    expect(await affected(model, unknown)).toEqual({ count: 0, first: [] })
  })

  test('find members of a group with a role whose key sorts last', async () => {
    const log = begun()
    const keys = ['\u{10ffff}x', '\u{10ffff}'.repeat(200)]
    for (const key of keys) log.record('acme', roleAdded('app', key))
    log.record('acme', mappingAdded(STAFF, keys))
    log.record('acme', reported('okta', 'bob', ['staff']))
    const model = await modelOf(log)
    const { items } = await model.holders({ orgId: 'acme', projectId: 'app', ...NOW })
    expect(items.map(({ roleKey }) => roleKey)).toEqual(keys)
  })

  describe('count who would have a role through a group', () => {
    const members = { orgId: 'acme', idpId: 'okta', group: 'staff', after: 0n }
    const query = { orgId: 'acme', projectId: 'app', roleKeys: ['reader'], members }
    const usersOf = async (model: ReadModel, asked: Asked<AffectedByGroup>) => {
      const { count, first } = await affected(model, asked)
      expect(count).toBe(first.length)
      return first.map(({ userId, resource }) => (resource ? `${userId} on ${resource}` : userId))
    }
    /** A mapping gives the other role, so that the group is known. */
    const grouped = () => {
      const log = begun()
      log.record('acme', mappingAdded(STAFF, ['Admin']))
      return log
    }

    test('by reports above one position, up to another', async () => {
      const log = grouped()
      const [first, , third] = ['ann', 'bob', 'cy', 'dan'].map((userId) =>
        log.record('acme', reported('okta', userId, ['staff'])),
      )
      const model = await modelOf(log)
      const range = { after: first?.position ?? 0n, until: third?.position ?? 0n }
      expect(await usersOf(model, { ...query, members: { ...members, ...range } })).toEqual([
        'bob',
        'cy',
      ])
      expect(await usersOf(model, query)).toEqual(['ann', 'bob', 'cy', 'dan'])
    })

    test('on a resource, unless the user has it on the whole project', async () => {
      const log = grouped()
      log.record('acme', reported('okta', 'ann', ['staff']))
      log.record('acme', reported('okta', 'bob', []))
      const model = await modelOf(log)
      const onResource = { ...query, ...ON }
      expect(await usersOf(model, onResource)).toEqual(['ann on Office'])
      expect(await usersOf(model, { ...onResource, roleKeys: ['Admin'] })).toEqual([])
      expect(await usersOf(model, { ...query, roleKeys: ['Admin'] })).toEqual(['ann'])
      const whole = await affected(model, { ...query, roleKeys: ['Admin'] })
      expect(whole.first).toStrictEqual([{ orgId: 'acme', userId: 'ann', roleKey: 'Admin' }])
    })

    test('and nobody where there is no such project, provider or group, or one is not active', async () => {
      const log = grouped()
      log.record('acme', reported('okta', 'ann', ['staff']))
      const model = await modelOf(log)
      for (const wrong of [
        { orgId: 'nobody' },
        { projectId: 'unknown' },
        { members: { ...members, orgId: 'nobody' } },
        { members: { ...members, idpId: 'unknown' } },
        { members: { ...members, group: 'unknown' } },
        { orgId: 'globex' },
      ])
        expect(await usersOf(model, { ...query, ...wrong }), Object.keys(wrong).join()).toEqual([])
      for (const ended of [idpDeactivated('okta'), projectDeactivated('app')]) {
        const log = grouped()
        log.record('acme', reported('okta', 'ann', ['staff']))
        log.record('acme', ended)
        expect(await usersOf(await modelOf(log), query)).toEqual([])
      }
    })

    test('of another organization’s project only while it is granted', async () => {
      for (const grants of [[], ['reader']]) {
        const log = begun()
        log.record('globex', idpAdded('google'))
        if (grants.length > 0) log.record('acme', projectGrantAdded('app', 'globex', grants))
        log.record('globex', reported('google', 'zoe', ['staff']))
        const ofGlobex = { ...members, orgId: 'globex', idpId: 'google' }
        const model = await modelOf(log)
        const isGranted = grants.length > 0
        expect(await usersOf(model, { ...query, members: ofGlobex })).toEqual(
          isGranted ? ['zoe'] : [],
        )
      }
    })
  })
})

test('Reads of roles in memory refuse the place of a page that lacks an id', async () => {
  const log = begun()
  log.record('acme', userGrantAdded({ ...APP, userId: 'ann' }, ['reader']))
  const model = memoryReadModel()
  await model.apply(0n, log.events)
  const after = ['acme'] as never
  await expect(model.heldRoles({ orgId: 'acme', userId: 'ann', ...NOW, after })).rejects.toThrow(
    '`after` must have a text for each id or key',
  )
})
