import { describe, expect, it, onTestFinished } from 'vitest'
import { openSqlite } from '../../../src/adapters/sqlite/index.js'
import {
  type AccessPage,
  type HeldRole,
  type Holder,
  memoryEventStore,
  type ObjectRef,
} from '../../../src/index.js'
import { temporaryFile } from '../../adapters/sqlite/temporary-file.js'
import { badFields, context, good, type Iam, iamOn, inGlobex, refusal } from '../host.js'

const homes: readonly (readonly [string, () => Iam])[] = [
  ['memory', () => iamOn(memoryEventStore())],
  [
    'an SQLite file',
    () => {
      const opened = openSqlite(temporaryFile())
      onTestFinished(() => opened.close())
      return iamOn(opened.store, opened)
    },
  ],
]

/** Ids of users, as hosts may name them. */
const USERS = [
  '+',
  'acme+portal+x',
  '__proto__',
  'constructor',
  ' a b ',
  "o'brien",
  '100%_',
  'A',
  'a',
  '\u{10000}',
  '\uffee',
  '😀'.repeat(200),
]

const KEYS = ['__proto__', 'a+b', 'a.b', '%', 'E', 'e', '\u{10000}', '\uffee']

/** In the order of code points. */
const sorted = (texts: readonly string[]): readonly string[] =>
  texts.toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)))

const portal = { projectId: 'portal' }
const roles = KEYS.map((roleKey) => ({ roleKey }))

const prepared = async (open: () => Iam): Promise<Iam> => {
  const iam = open()
  for (const within of [context, inGlobex]) {
    await good(iam.projects.add({ id: 'portal', name: 'Portal' }, within))
    const added = KEYS.map((roleKey) => ({ roleKey, displayName: roleKey }))
    await good(iam.projectRoles.addMany({ ...portal, roles: added }, within))
  }
  await good(iam.projectGrants.add({ ...portal, grantedOrgId: 'globex', roleKeys: KEYS }, context))
  return iam
}

describe.each(homes)('In %s, with odd names', (_, open) => {
  it('each user has the roles that were given to that very user', async () => {
    const iam = await prepared(open)
    for (const [index, userId] of USERS.entries()) {
      const roleKey = KEYS[index % KEYS.length] ?? ''
      await good(iam.userGrants.add({ userId, ...portal, roles: [{ roleKey }] }, context))
    }
    for (const [index, userId] of USERS.entries()) {
      const roleKey = KEYS[index % KEYS.length] ?? ''
      const ids = { userId, ...portal }
      const shown = await good(iam.userGrants.get(ids, context))
      expect(shown).toMatchObject({ ...ids, projectOrgId: 'acme', roles: [{ roleKey }] })
      const filter = { userId: { equals: userId } }
      expect((await good(iam.userGrants.list({ filter }, context))).items).toEqual([shown])
      for (const projectOrgId of [undefined, 'acme']) {
        const object = {
          type: 'user_grant',
          ...ids,
          ...(projectOrgId && { projectOrgId }),
        } as const
        const { items } = await good(iam.history.list({ object }, context))
        expect(items.map((item) => item.object)).toEqual([
          { type: 'user_grant', ...ids, projectOrgId: 'acme' },
        ])
        expect(items[0]?.changes).toContainEqual({ field: `roles.${roleKey}`, to: 'granted' })
        const sequence = 2n ** 63n
        expect(await good(iam.history.stateAt({ object, sequence }, context))).toEqual(shown)
        const check = await good(iam.access.check({ ...ids, projectOrgId, roleKey }, context))
        expect(check).toEqual({
          allowed: true,
          roleKeys: [roleKey],
          permissions: [],
          reasons: [],
        })
      }
      expect((await good(iam.access.rolesOf({ userId }, context))).items).toMatchObject([
        { roleKey },
      ])
      expect(await good(iam.access.rolesOf({ userId }, inGlobex))).toEqual({ items: [] })
    }
    const { removed } = await good(iam.userGrants.removeAllOfUser({ userId: 'a' }, context))
    expect(removed).toEqual([{ userId: 'a', ...portal, projectOrgId: 'acme' }])
    const { totalSize } = await good(iam.userGrants.list({}, context))
    expect(totalSize).toBe(USERS.length - 1)
  })

  it('pages are sorted by code point, even with one item each', async () => {
    const iam = await prepared(open)
    const users = USERS.slice(0, 4)
    for (const [within, ids] of [
      [context, {}],
      [inGlobex, { projectOrgId: 'acme' }],
      [inGlobex, {}],
    ] as const)
      for (const userId of users)
        await good(iam.userGrants.add({ userId, ...portal, ...ids, roles }, within))

    const holders: (readonly string[])[] = []
    let pageToken: string | undefined
    do {
      const page: AccessPage<Holder> = await good(
        iam.access.whoHas({ ...portal, pageSize: 7, pageToken }, context),
      )
      holders.push(...page.items.map(({ roleKey, orgId, userId }) => [roleKey, orgId, userId]))
      pageToken = page.nextPageToken
    } while (pageToken !== undefined)
    const expected = sorted(KEYS).flatMap((roleKey) =>
      ['acme', 'globex'].flatMap((orgId) =>
        sorted(users).map((userId) => [roleKey, orgId, userId]),
      ),
    )
    expect(holders).toEqual(expected)

    const held: (readonly string[])[] = []
    const user = { userId: '__proto__' }
    do {
      const page: AccessPage<HeldRole> = await good(
        iam.access.rolesOf({ ...user, pageSize: 3, pageToken }, inGlobex),
      )
      held.push(...page.items.map(({ projectOrgId, roleKey }) => [projectOrgId, roleKey]))
      pageToken = page.nextPageToken
    } while (pageToken !== undefined)
    const orgs = ['acme', 'globex']
    expect(held).toEqual(orgs.flatMap((orgId) => sorted(KEYS).map((roleKey) => [orgId, roleKey])))
  })

  it('a project of the same id in two organizations is two', async () => {
    const iam = await prepared(open)
    const user = { userId: 'u', ...portal }
    const [first = '', second = ''] = KEYS
    const own = { ...user, roles: [{ roleKey: first }] }
    await good(iam.userGrants.add(own, inGlobex))
    const other = { ...user, projectOrgId: 'acme', roles: [{ roleKey: second }] }
    await good(iam.userGrants.add(other, inGlobex))
    const keys = async (ids: typeof user & { projectOrgId?: string }) =>
      (await good(iam.access.check(ids, inGlobex))).roleKeys
    expect([await keys(user), await keys({ ...user, projectOrgId: 'acme' })]).toEqual([
      [first],
      [second],
    ])
    const whoHas = async (within: typeof context) =>
      (await good(iam.access.whoHas(portal, within))).items.map(({ roleKey }) => roleKey)
    expect([await whoHas(inGlobex), await whoHas(context)]).toEqual([[first], [second]])
    await good(iam.projects.remove({ id: 'portal' }, inGlobex))
    expect((await refusal(iam.userGrants.get(user, inGlobex))).kind).toBe('NotFound')
    expect(await keys({ ...user, projectOrgId: 'acme' })).toEqual([second])
    expect((await good(iam.userGrants.list({}, inGlobex))).totalSize).toBe(1)
  })

  it('a role and a grant of the project with the same key have a history each', async () => {
    const iam = open()
    await good(iam.projects.add({ id: 'portal', name: 'Portal' }, context))
    const role = { ...portal, roleKey: 'globex' }
    const toGlobex = { ...portal, grantedOrgId: 'globex' }
    for (const roleKey of ['globex', 'reader'])
      await good(iam.projectRoles.add({ ...portal, roleKey, displayName: roleKey }, context))
    await good(iam.projectRoles.remove(role, context))
    await good(iam.projectGrants.add({ ...toGlobex, roleKeys: ['reader'] }, context))
    await good(iam.projects.remove({ id: 'portal' }, context))
    const typesOf = async (object: ObjectRef) =>
      (await good(iam.history.list({ object }, context))).items.map(({ type }) => type)
    expect(await typesOf({ type: 'project_role', ...role })).toEqual([
      'project_role.added',
      'project_role.removed',
    ])
    expect(await typesOf({ type: 'project_grant', ...toGlobex })).toEqual([
      'project_grant.added',
      'project.removed',
    ])
  })

  it('lists are sorted by what they show alone', async () => {
    const iam = await prepared(open)
    for (const id of ['b', 'a']) {
      await good(iam.projects.add({ id, name: id }, context))
      await good(iam.projectRoles.add({ projectId: id, roleKey: 'r', displayName: 'R' }, context))
      const grant = { projectId: id, grantedOrgId: 'globex', roleKeys: ['r'] }
      await good(iam.projectGrants.add(grant, context))
    }
    const ids: string[] = []
    let pageToken: string | undefined
    const sort = [{ field: 'projectId', direction: 'desc' }] as const
    do {
      const page = await good(
        iam.projectGrants.listReceived({ sort, pageSize: 1, pageToken }, inGlobex),
      )
      ids.push(...page.items.map(({ projectId }) => projectId))
      pageToken = page.nextPageToken
    } while (pageToken !== undefined)
    expect(ids).toEqual(['portal', 'b', 'a'])
    for (const field of ['key', 'roleKey', 'roles']) {
      const bad = [{ field: field as 'userId' }]
      expect(await badFields(iam.userGrants.list({ sort: bad }, context))).toEqual([
        'sort[0].field',
      ])
    }
  })
})
