import { beforeEach, describe, expect, it } from 'vitest'
import { openSqlite } from '../../../src/adapters/sqlite/index.js'
import { memoryEventStore, memoryReadModel } from '../../../src/index.js'
import { fixedClock } from '../../../src/testing/index.js'
import { temporaryFile } from '../../adapters/sqlite/temporary-file.js'
import { badFields, context, good, type Iam, iamOn, inGlobex } from '../host.js'
import { bob, gina, portal, rolesOf, toGlobex } from './grants-world.js'

const HOMES = [
  [
    'memory',
    (now: () => Date) => ({ store: memoryEventStore({ now }), readModel: memoryReadModel() }),
  ],
  ['SQLite', (now: () => Date) => openSqlite(temporaryFile(), { now })],
] as const

describe.each(HOMES)('On %s, permissions of roles', (_, open) => {
  let clock: ReturnType<typeof fixedClock>
  let iam: Iam

  const pass = (ms = 1_000): Date => {
    clock.advance(ms)
    return clock()
  }
  const patch = (roleKey: string, permissions: readonly string[]) =>
    good(iam.projectRoles.patch({ ...portal, roleKey, permissions }, context))
  const checked = async (permission: string, user: object = bob, within = context) => {
    const input = { ...user, permission } as typeof bob & { permission: string }
    const { reasons, ...check } = await good(iam.access.check(input, within))
    return { ...check, reasons: reasons.map(({ kind }) => kind) }
  }
  const holders = async (permission: string, at?: Date) => {
    const asked = { ...portal, permission, ...(at && { at }) }
    const { items } = await good(iam.access.whoHas(asked, context))
    return items.map(({ roleKey, orgId, userId }) => `${roleKey} ${orgId}/${userId}`)
  }

  beforeEach(async () => {
    clock = fixedClock('2027-01-01T00:00:00.000Z')
    const { store, readModel } = open(clock)
    iam = iamOn(store, { readModel, now: clock })
    await good(iam.projects.add({ id: 'portal', name: 'Portal' }, context))
    const roles = [
      { roleKey: 'author', displayName: 'Author', permissions: ['article.edit', 'article.read'] },
      { roleKey: 'reader', displayName: 'Reader', permissions: ['article.read', 'Comment.add'] },
      { roleKey: 'bare', displayName: 'Bare' },
    ]
    await good(iam.projectRoles.addMany({ ...portal, roles }, context))
    await good(iam.projectGrants.add({ ...toGlobex, roleKeys: ['author', 'reader'] }, context))
  })

  it('are answered together, each once and in order, by the roles that count', async () => {
    const expiresAt = new Date(clock().getTime() + 5_000)
    const roles = [{ roleKey: 'author', expiresAt }, { roleKey: 'reader' }, { roleKey: 'bare' }]
    await good(iam.userGrants.add({ ...bob, roles }, context))
    expect(await good(iam.access.check(bob, context))).toEqual({
      allowed: true,
      roleKeys: ['author', 'bare', 'reader'],
      permissions: ['Comment.add', 'article.edit', 'article.read'],
      reasons: [],
    })
    const { items } = await good(iam.access.rolesOf({ userId: 'bob' }, context))
    expect(items.map(({ roleKey, permissions }) => [roleKey, permissions])).toEqual([
      ['author', ['article.edit', 'article.read']],
      ['bare', []],
      ['reader', ['Comment.add', 'article.read']],
    ])
    pass(5_000)
    expect(await checked('article.read')).toMatchObject({
      allowed: true,
      permissions: ['Comment.add', 'article.read'],
    })
    expect(await checked('article.edit')).toEqual({
      allowed: false,
      roleKeys: ['bare', 'reader'],
      permissions: ['Comment.add', 'article.read'],
      reasons: ['Expired'],
    })
  })

  it('are refused with all reasons that apply', async () => {
    expect(await checked('article.read')).toMatchObject({ allowed: false, reasons: ['NoGrant'] })
    await good(iam.userGrants.add({ ...bob, roles: rolesOf('reader') }, context))
    for (const other of ['article.edit', 'article', 'article.read.all', 'ARTICLE.READ'])
      expect(await checked(other)).toMatchObject({ reasons: ['PermissionNotGranted'] })
    await good(iam.userGrants.deactivate(bob, context))
    await good(iam.projects.deactivate({ id: 'portal' }, context))
    expect(await checked('article.read')).toEqual({
      allowed: false,
      roleKeys: [],
      permissions: [],
      reasons: ['ProjectInactive', 'GrantInactive'],
    })
    expect(await checked('article.edit')).toMatchObject({
      reasons: ['ProjectInactive', 'GrantInactive', 'PermissionNotGranted'],
    })
    await good(iam.projects.reactivate({ id: 'portal' }, context))
    await good(iam.userGrants.reactivate(bob, context))
    await good(iam.projectRoles.remove({ ...portal, roleKey: 'reader' }, context))
    expect(await checked('article.read')).toMatchObject({ reasons: ['PermissionNotGranted'] })
    expect(await checked('article.read', gina, inGlobex)).toMatchObject({ reasons: ['NoGrant'] })
  })

  it('find who has them, and who had them in the past', async () => {
    await good(iam.userGrants.add({ ...bob, roles: rolesOf('reader', 'author') }, context))
    await good(iam.userGrants.add({ ...gina, roles: rolesOf('author') }, inGlobex))
    const first = clock()
    pass()
    await patch('reader', ['article.delete'])
    await patch('author', ['article.read', 'article.edit', 'article.delete'])
    const second = clock()
    pass()
    await good(iam.projectRoles.remove({ ...portal, roleKey: 'author' }, context))
    await good(iam.projectRoles.add({ ...portal, roleKey: 'author', displayName: 'A' }, context))
    await good(iam.userGrants.addRoles({ ...bob, roles: rolesOf('author') }, context))
    const third = clock()
    pass()
    await patch('author', ['article.read'])
    pass()

    const authors = ['author acme/bob', 'author globex/gina']
    expect(await holders('article.read', first)).toEqual([...authors, 'reader acme/bob'])
    expect(await holders('article.read', second)).toEqual(authors)
    expect(await holders('article.delete', first)).toEqual([])
    expect(await holders('article.delete', second)).toEqual([...authors, 'reader acme/bob'])
    expect(await holders('article.read', third)).toEqual([])
    expect(await holders('article.delete', third)).toEqual(['reader acme/bob'])
    expect(await holders('article.read')).toEqual(['author acme/bob'])
    expect(await holders('article.delete')).toEqual(['reader acme/bob'])
    const ofAuthors = { ...portal, roleKey: 'author', permission: 'article.delete' }
    expect((await good(iam.access.whoHas(ofAuthors, context))).items).toEqual([])
    await good(iam.projects.remove({ id: 'portal' }, context))
    expect(await holders('article.read')).toEqual([])
    expect(await holders('article.delete', second)).toEqual([...authors, 'reader acme/bob'])
  })

  it('are found page by page, by tokens that are bound to the permission', async () => {
    await good(iam.userGrants.add({ ...bob, roles: rolesOf('reader', 'author') }, context))
    const asked = { ...portal, permission: 'article.read', pageSize: 1 }
    const first = await good(iam.access.whoHas(asked, context))
    expect(first.items).toMatchObject([{ roleKey: 'author' }])
    const pageToken = first.nextPageToken ?? ''
    const second = await good(iam.access.whoHas({ ...asked, pageToken }, context))
    expect(second.items).toMatchObject([{ roleKey: 'reader' }])
    expect(second).not.toHaveProperty('nextPageToken')
    for (const other of [{ permission: 'article.edit' }, {}])
      expect(
        await badFields(
          iam.access.whoHas({ ...portal, pageSize: 1, ...other, pageToken } as never, context),
        ),
      ).toContain('pageToken')
  })

  it('that no role can have are INVALID_ARGUMENT', async () => {
    for (const permission of ['', '*', 'a b', 'a'.repeat(101)]) {
      expect(await badFields(iam.access.check({ ...bob, permission }, context))).toEqual([
        'permission',
      ])
      expect(await badFields(iam.access.whoHas({ ...portal, permission }, context))).toEqual([
        'permission',
      ])
    }
  })
})
