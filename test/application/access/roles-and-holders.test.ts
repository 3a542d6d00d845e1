import { beforeEach, describe, expect, it } from 'vitest'
import { badFields, context, good, type Iam, inGlobex, positionAt, refusal } from '../host.js'
import {
  addRole,
  bob,
  gina,
  giveBob,
  giveGina,
  grantGlobex,
  newWorld,
  portal,
  removeRole,
  rolesOf,
  toGlobex,
  type World,
} from './grants-world.js'

let world: World
let iam: Iam

beforeEach(async () => {
  world = await newWorld()
  iam = world.iam
  await grantGlobex(iam, 'editor', 'viewer')
})

const user = { userId: 'bob' }
const inMs = (ms: number) => new Date(world.clock().getTime() + ms)

const rolesOfBob = async (input: object = {}) =>
  good(iam.access.rolesOf({ ...user, ...input }, context))

const addProject = async (id: string, roleKey: string) => {
  await good(iam.projects.add({ id, name: id }, context))
  await good(iam.projectRoles.add({ projectId: id, roleKey, displayName: roleKey }, context))
}

describe('access.rolesOf', () => {
  it('shows roles with what people read, by organization, project and key', async () => {
    const expiresAt = inMs(10)
    await addProject('app', 'user')
    await good(iam.userGrants.add({ ...user, projectId: 'app', roles: rolesOf('user') }, context))
    const roles = [{ roleKey: 'viewer' }, { roleKey: 'editor', expiresAt }]
    await good(iam.userGrants.add({ ...bob, roles }, context))
    const own = {
      projectId: 'portal',
      projectOrgId: 'acme',
      group: 'staff',
      permissions: [],
      via: 'grant',
    }
    expect(await rolesOfBob()).toEqual({
      items: [
        {
          projectId: 'app',
          projectOrgId: 'acme',
          roleKey: 'user',
          displayName: 'user',
          group: '',
          permissions: [],
          via: 'grant',
        },
        { ...own, roleKey: 'editor', displayName: 'The editor', expiresAt },
        { ...own, roleKey: 'viewer', displayName: 'The viewer' },
      ],
    })
    expect((await rolesOfBob({ projectId: 'app' })).items).toMatchObject([{ roleKey: 'user' }])
    expect(await rolesOfBob({ projectId: 'absent' })).toEqual({ items: [] })
    world.clock.advance(10)
    expect((await rolesOfBob()).items.map(({ roleKey }) => roleKey)).toEqual(['user', 'viewer'])
  })

  it('shows only what counts', async () => {
    await giveGina(iam, 'editor')
    const count = async () => {
      const page = await good(iam.access.rolesOf({ userId: 'gina' }, inGlobex))
      return page.items.length
    }
    const { projects, projectGrants, userGrants } = iam
    const id = { id: 'portal' }
    expect(await count()).toBe(1)
    for (const [off, on] of [
      [() => projects.deactivate(id, context), () => projects.reactivate(id, context)],
      [
        () => projectGrants.deactivate(toGlobex, context),
        () => projectGrants.reactivate(toGlobex, context),
      ],
      [() => userGrants.deactivate(gina, inGlobex), () => userGrants.reactivate(gina, inGlobex)],
    ] as const) {
      await good(off())
      expect(await count()).toBe(0)
      await good<unknown>(on())
      expect(await count()).toBe(1)
    }
    await removeRole(iam, 'editor')
    expect(await count()).toBe(0)
  })

  it('pages by tokens that are bound to the question and the organization', async () => {
    await giveBob(iam, 'editor', 'viewer', 'author')
    const first = await rolesOfBob({ pageSize: 2 })
    expect(first.items.map(({ roleKey }) => roleKey)).toEqual(['author', 'editor'])
    const pageToken = first.nextPageToken ?? ''
    const second = await rolesOfBob({ pageSize: 1, pageToken })
    expect(second.items.map(({ roleKey }) => roleKey)).toEqual(['viewer'])
    expect(second).not.toHaveProperty('nextPageToken')
    for (const call of [
      iam.access.rolesOf({ userId: 'gina', pageToken }, context),
      iam.access.rolesOf({ ...user, projectId: 'portal', pageToken }, context),
      iam.access.rolesOf({ ...user, pageToken }, inGlobex),
      iam.access.rolesOf({ ...user, pageToken: `${pageToken}A` }, context),
      iam.access.rolesOf({ ...user, pageToken: '' }, context),
      iam.access.rolesOf({ ...user, pageToken: 'e30' }, context),
      iam.access.whoHas({ projectId: 'portal', pageToken }, context),
      iam.projects.list({ pageToken }, context),
    ])
      expect(await badFields(call)).toEqual(['pageToken'])
    const description = 'must be a nextPageToken from the same organization and query'
    expect(await refusal(iam.access.rolesOf({ userId: 'gina', pageToken }, context))).toEqual({
      kind: 'InvalidArgument',
      violations: [{ field: 'pageToken', description }],
    })
    const [binding] = JSON.parse(Buffer.from(pageToken, 'base64url').toString())
    const places = [
      [],
      ['a', 'b'],
      ['a', 'b', 1],
      ['a', 'b', { n: '1' }],
      ['a', 'b', 'c', 'd'],
      ['a', 1, 'b', 'c'],
      [['a', 'b', 'c']],
    ]
    for (const place of places) {
      const forged = Buffer.from(JSON.stringify([binding, ...place])).toString('base64url')
      expect(await badFields(iam.access.rolesOf({ ...user, pageToken: forged }, context))).toEqual([
        'pageToken',
      ])
    }
  })

  it.each([0, 1_001, 1.5, '1'])('takes no page size of %s', async (pageSize) => {
    const bad = { pageSize: pageSize as number }
    expect(await badFields(iam.access.rolesOf({ ...user, ...bad }, context))).toEqual(['pageSize'])
    const whoHas = iam.access.whoHas({ ...portal, ...bad }, context)
    expect(await badFields(whoHas)).toEqual(['pageSize'])
  })
})

const holders = async (input: object = {}) => {
  const { items } = await good(iam.access.whoHas({ ...portal, ...input }, context))
  return items.map(({ roleKey, orgId, userId }) => `${roleKey} ${orgId} ${userId}`)
}

describe('access.whoHas', () => {
  it('shows the users of all organizations, since when and until when', async () => {
    const from = inMs(0)
    const expiresAt = inMs(100)
    await good(iam.userGrants.add({ ...bob, roles: [{ roleKey: 'viewer', expiresAt }] }, context))
    await giveGina(iam, 'viewer', 'editor')
    world.clock.advance(50)
    const longer = inMs(100)
    const roles = [{ roleKey: 'viewer', expiresAt: longer }]
    await good(iam.userGrants.addRoles({ ...bob, roles }, context))
    expect(await good(iam.access.whoHas(portal, context))).toEqual({
      items: [
        { roleKey: 'editor', orgId: 'globex', userId: 'gina', from, via: 'grant' },
        { roleKey: 'viewer', orgId: 'acme', userId: 'bob', from, expiresAt: longer, via: 'grant' },
        { roleKey: 'viewer', orgId: 'globex', userId: 'gina', from, via: 'grant' },
      ],
    })
    const before = await good(
      iam.access.whoHas({ ...portal, roleKey: 'viewer', at: from }, context),
    )
    expect(before.items).toMatchObject([{ userId: 'bob', expiresAt }, { userId: 'gina' }])
    expect(await holders({ projectId: 'absent' })).toEqual([])
    expect(await good(iam.access.whoHas(portal, inGlobex))).toEqual({ items: [] })
  })

  it('at a time shows who had a role at the end of its millisecond, after each change', async () => {
    const { projects, projectGrants, userGrants } = iam
    const id = { id: 'portal' }
    const all = ['editor acme bob', 'editor globex gina']
    const onlyBob = ['editor acme bob']
    const changes: readonly (readonly [() => Promise<unknown>, readonly string[]])[] = [
      [() => giveBob(iam, 'editor'), onlyBob],
      [() => giveGina(iam, 'editor'), all],
      [() => good(projects.deactivate(id, context)), []],
      [() => good(projects.reactivate(id, context)), all],
      [() => good(projectGrants.deactivate(toGlobex, context)), onlyBob],
      [() => good(projectGrants.reactivate(toGlobex, context)), all],
      [() => good(userGrants.deactivate(bob, context)), ['editor globex gina']],
      [() => good(userGrants.reactivate(bob, context)), all],
      [() => good(projectGrants.update({ ...toGlobex, roleKeys: ['viewer'] }, context)), onlyBob],
      [() => removeRole(iam, 'editor'), []],
      [() => addRole(iam, 'editor'), []],
      [() => good(userGrants.update({ ...bob, roles: rolesOf('editor') }, context)), onlyBob],
      [() => good(userGrants.remove(bob, context)), []],
      [() => giveBob(iam, 'editor'), onlyBob],
      [() => good(projects.remove(id, context)), []],
    ]
    const moments: (readonly [Date, readonly string[]])[] = [[inMs(0), []]]
    for (const [change, expected] of changes) {
      world.clock.advance(1_000)
      await change()
      moments.push([inMs(0), expected])
      expect(await holders()).toEqual(expected)
    }
    world.clock.advance(1_000)
    let before: readonly string[] = []
    for (const [at, expected] of moments) {
      expect(await holders({ at: new Date(at.getTime() - 1) })).toEqual(before)
      expect(await holders({ at })).toEqual(expected)
      expect(await holders({ at: new Date(at.getTime() + 999) })).toEqual(expected)
      before = expected
    }
    expect(await holders({ at: new Date(0) })).toEqual([])
  })

  it('at a time uses the suspension of that time, if there were several', async () => {
    await giveBob(iam, 'editor')
    const { deactivate, reactivate } = iam.projects
    const id = { id: 'portal' }
    const moments: Date[] = []
    for (const change of [deactivate, reactivate, deactivate, reactivate]) {
      world.clock.advance(1_000)
      await good<unknown>(change(id, context))
      moments.push(inMs(0))
    }
    const counted = await Promise.all(moments.map((at) => holders({ at })))
    expect(counted).toEqual([[], ['editor acme bob'], [], ['editor acme bob']])
  })

  it('distinguishes users of one organization with odd names', async () => {
    const other = { ...bob, userId: 'undefined' }
    await giveBob(iam, 'editor', 'viewer')
    await good(iam.userGrants.add({ ...other, roles: rolesOf('editor', 'viewer') }, context))
    await giveGina(iam, 'editor')
    await good(iam.userGrants.removeRoles({ ...other, roleKeys: ['viewer'] }, context))
    const all = ['editor acme bob', 'editor acme undefined', 'editor globex gina']
    expect(await holders()).toEqual([...all, 'viewer acme bob'])
    await good(iam.userGrants.deactivate(other, context))
    const active = ['editor acme bob', 'editor globex gina', 'viewer acme bob']
    expect(await holders()).toEqual(active)
    await good(iam.userGrants.remove(other, context))
    expect(await holders()).toEqual(active)
    expect((await rolesOfBob()).items.map(({ roleKey }) => roleKey)).toEqual(['editor', 'viewer'])
  })

  it('shows a role that an update kept once, since it was given', async () => {
    const from = inMs(0)
    await giveBob(iam, 'editor')
    world.clock.advance(1_000)
    await good(iam.userGrants.update({ ...bob, roles: rolesOf('editor', 'viewer') }, context))
    expect((await good(iam.access.whoHas(portal, context))).items).toEqual([
      { roleKey: 'editor', orgId: 'acme', userId: 'bob', from, via: 'grant' },
      { roleKey: 'viewer', orgId: 'acme', userId: 'bob', from: inMs(0), via: 'grant' },
    ])
  })

  it('at a time counts the thousandth event of its millisecond', async () => {
    const before = inMs(0)
    world.clock.advance(1)
    const at = inMs(0)
    const last = positionAt(at) + 999n
    /** Adds roles until the next event is the last that its millisecond has room for. */
    const fill = async () => {
      const head = await world.store.lastPosition()
      const first = head < positionAt(inMs(0)) ? positionAt(inMs(0)) : head + 1n
      const roles = Array.from({ length: 999 - Number(first % 1_000n) }, (_, n) => ({
        roleKey: `r${inMs(0).getTime()}-${n}`,
        displayName: 'R',
      }))
      await good(iam.projectRoles.import({ ...portal, roles }, context))
    }
    await fill()
    await giveBob(iam, 'editor')
    expect(await world.store.lastPosition()).toBe(last)
    expect(await holders({ at: before })).toEqual([])
    expect(await holders({ at })).toEqual(['editor acme bob'])
    world.clock.advance(1)
    await fill()
    await good(iam.userGrants.remove(bob, context))
    expect(await world.store.lastPosition()).toBe(last + 1_000n)
    expect(await holders({ at })).toEqual(['editor acme bob'])
    expect(await holders({ at: inMs(0) })).toEqual([])
  })

  it('judges the end of a role at the time that is asked for', async () => {
    const expiresAt = inMs(1_000)
    await good(iam.userGrants.add({ ...bob, roles: [{ roleKey: 'editor', expiresAt }] }, context))
    world.clock.advance(5_000)
    expect(await holders()).toEqual([])
    expect(await holders({ at: new Date(expiresAt.getTime() - 1) })).toEqual(['editor acme bob'])
    expect(await holders({ at: expiresAt })).toEqual([])
  })

  it('refuses a time in the future, and takes the present one', async () => {
    await giveBob(iam, 'editor')
    expect(await holders({ at: inMs(0) })).toEqual(['editor acme bob'])
    expect(await refusal(iam.access.whoHas({ ...portal, at: inMs(1) }, context))).toEqual({
      kind: 'InvalidArgument',
      violations: [{ field: 'at', description: 'must not be in the future' }],
    })
    const never = new Date(Number.NaN)
    expect(await badFields(iam.access.whoHas({ ...portal, at: never }, context))).toEqual(['at'])
  })

  it('pages by tokens that are bound to the question', async () => {
    await giveBob(iam, 'editor', 'viewer')
    await giveGina(iam, 'editor')
    const at = inMs(0)
    world.clock.advance(1_000)
    const pages: string[] = []
    let pageToken: string | undefined
    do {
      const page = await good(iam.access.whoHas({ ...portal, at, pageSize: 1, pageToken }, context))
      pages.push(...page.items.map(({ roleKey, userId }) => `${roleKey} ${userId}`))
      pageToken = page.nextPageToken
    } while (pageToken !== undefined)
    expect(pages).toEqual(['editor bob', 'editor gina', 'viewer bob'])
    const first = await good(iam.access.whoHas({ ...portal, at, pageSize: 1 }, context))
    const token = { pageToken: first.nextPageToken }
    for (const other of [
      portal,
      { ...portal, at, roleKey: 'editor' },
      { ...portal, at: inMs(-1) },
      { projectId: 'absent', at },
    ])
      expect(await badFields(iam.access.whoHas({ ...other, ...token }, context))).toEqual([
        'pageToken',
      ])
  })
})
