import { beforeEach, describe, expect, it } from 'vitest'
import { badFields, context, good, type Iam, iamOn, inGlobex } from '../host.js'
import {
  bob,
  gina,
  giveBob,
  giveGina,
  grantGlobex,
  newWorld,
  portal,
  removeRole,
  rolesOf,
  type World,
} from './grants-world.js'

let world: World
let iam: Iam

beforeEach(async () => {
  world = await newWorld()
  iam = world.iam
  await grantGlobex(iam, 'editor', 'viewer')
})

const inMs = (ms: number) => new Date(world.clock().getTime() + ms)

/** `user: role, role` of each user of an organization. */
const usersOf = async (input: object = {}, within = context) => {
  const { items } = await good(iam.access.users(input, within))
  return items.map(({ userId, roles }) => `${userId}: ${roles.map(({ roleKey }) => roleKey)}`)
}

describe('access.users', () => {
  it('lists the own users of a tenant, with roles by hand and by groups of granted projects', async () => {
    const since = inMs(0)
    const google = { idpId: 'google' }
    await good(
      iam.identityProviders.addOidc(
        { ...google, name: 'Google', clientId: 'c', clientSecret: 's', issuer: 'https://g.test' },
        inGlobex,
      ),
    )
    const staff = { ...google, group: 'staff', ...portal, projectOrgId: 'acme' }
    await good(iam.roleMappings.add({ ...staff, roleKeys: ['editor'], validFor: 1 }, inGlobex))
    const expiresAt = inMs(100)
    await good(
      iam.userGrants.give({ ...gina, roles: [{ roleKey: 'viewer', expiresAt }] }, inGlobex),
    )
    await giveBob(iam, 'editor')
    world.clock.advance(50)
    await good(iam.memberships.report({ ...google, userId: 'gina', groups: ['staff'] }, inGlobex))
    await good(iam.memberships.report({ ...google, userId: 'ada', groups: ['staff'] }, inGlobex))
    const role = { projectId: 'portal', projectOrgId: 'acme' }
    const byGroup = {
      ...role,
      roleKey: 'editor',
      displayName: 'The editor',
      expiresAt: inMs(3_600_000),
      via: { ...google, group: 'staff' },
      since: inMs(0),
    }
    const byHand = { roleKey: 'viewer', displayName: 'The viewer', expiresAt, via: 'grant', since }
    expect(await good(iam.access.users({}, inGlobex))).toEqual({
      items: [
        { userId: 'ada', roles: [byGroup] },
        { userId: 'gina', roles: [byGroup, { ...role, ...byHand }] },
      ],
    })
    expect(await usersOf()).toEqual(['bob: editor'])
    world.clock.advance(50)
    expect(await usersOf({}, inGlobex)).toEqual(['ada: editor', 'gina: editor'])
  })

  it('finds users by id, project, owner of the project, role and permission', async () => {
    await good(iam.projects.add({ id: 'portal', name: 'Own' }, inGlobex))
    const viewer = { roleKey: 'viewer', displayName: 'V', permissions: ['page.read'] }
    await good(iam.projectRoles.add({ ...portal, ...viewer }, inGlobex))
    const own = { ...portal, roles: rolesOf('viewer') }
    await good(iam.userGrants.add({ ...own, userId: 'hal' }, inGlobex))
    await giveGina(iam, 'editor', 'viewer')
    const all = ['gina: editor,viewer', 'hal: viewer']
    expect(await usersOf({}, inGlobex)).toEqual(all)
    expect(await usersOf(portal, inGlobex)).toEqual(all)
    expect(await usersOf({ projectOrgId: 'acme' }, inGlobex)).toEqual(['gina: editor,viewer'])
    expect(await usersOf({ projectOrgId: 'globex' }, inGlobex)).toEqual(['hal: viewer'])
    expect(await usersOf({ roleKey: 'viewer' }, inGlobex)).toEqual(['gina: viewer', 'hal: viewer'])
    expect(await usersOf({ permission: 'page.read' }, inGlobex)).toEqual(['hal: viewer'])
    const userIds = ['nobody', 'hal', 'bob']
    expect(await usersOf({ userIds }, inGlobex)).toEqual(['hal: viewer'])
    expect(await usersOf({ projectId: 'absent' }, inGlobex)).toEqual([])
  })

  it('at a time shows who had which role, under its name of that time', async () => {
    await giveBob(iam, 'editor', 'viewer')
    const then = inMs(0)
    world.clock.advance(10)
    const renamed = { ...portal, roleKey: 'editor', displayName: 'Renamed' }
    await good(iam.projectRoles.patch(renamed, context))
    const renamedAt = inMs(0)
    world.clock.advance(10)
    await removeRole(iam, 'editor')
    const names = async (at?: Date) => {
      const { items } = await good(iam.access.users(at ? { at } : {}, context))
      return items.flatMap(({ roles }) => roles.map(({ displayName }) => displayName))
    }
    expect(await names(then)).toEqual(['The editor', 'The viewer'])
    expect(await names(renamedAt)).toEqual(['Renamed', 'The viewer'])
    expect(await names()).toEqual(['The viewer'])
    expect(await names(new Date(0))).toEqual([])
    expect(await badFields(iam.access.users({ at: inMs(1) }, context))).toEqual(['at'])
  })

  it('pages by users, by tokens that are bound to the question', async () => {
    const userIds = ['a', 'b', 'c', 'd']
    for (const userId of userIds)
      await good(
        iam.userGrants.add({ ...bob, userId, roles: rolesOf('editor', 'viewer') }, context),
      )
    const pages: string[][] = []
    let pageToken: string | undefined
    do {
      const page = await good(iam.access.users({ pageSize: 2, pageToken }, context))
      pages.push(page.items.map(({ userId }) => userId))
      expect(page.items.every(({ roles }) => roles.length === 2)).toBe(true)
      pageToken = page.nextPageToken
    } while (pageToken !== undefined)
    expect(pages).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ])
    const first = await good(iam.access.users({ userIds, pageSize: 3 }, context))
    expect(first.items).toHaveLength(3)
    const asked = { userIds, pageSize: 3, pageToken: first.nextPageToken }
    expect((await good(iam.access.users(asked, context))).items).toMatchObject([{ userId: 'd' }])
    for (const other of [{ roleKey: 'editor' }, { userIds: ['a'] }, { projectOrgId: 'acme' }])
      expect(await badFields(iam.access.users({ ...asked, ...other }, context))).toEqual([
        'pageToken',
      ])
    expect(await badFields(iam.access.users(asked, inGlobex))).toEqual(['pageToken'])
  })

  it('names each malformed field', async () => {
    const input = {
      userIds: ['a', 'a'],
      projectId: '-',
      projectOrgId: 'a b',
      roleKey: '',
      permission: 'a b',
      pageSize: 0,
      organization: 'acme',
    }
    expect(await badFields(iam.access.users(input as never, context))).toEqual([
      'userIds[1]',
      'projectId',
      'projectOrgId',
      'roleKey',
      'permission',
      'pageSize',
      'organization',
    ])
    for (const userIds of [[], Array.from({ length: 1001 }, (_, n) => `u${n}`)])
      expect(await badFields(iam.access.users({ userIds }, context))).toEqual(['userIds'])
  })
})

describe('access.whoHas with projectOrgId', () => {
  const whoHas = async (input: object, within = inGlobex) => {
    const { items } = await good(iam.access.whoHas(input, within))
    return items.map(({ roleKey, orgId, userId }) => `${roleKey} ${orgId} ${userId}`)
  }

  it('answers for the users of the organization at hand', async () => {
    await giveBob(iam, 'editor')
    await giveGina(iam, 'editor', 'viewer')
    const granted = { ...portal, projectOrgId: 'acme' }
    expect(await whoHas(granted)).toEqual(['editor globex gina', 'viewer globex gina'])
    expect(await whoHas({ projectOrgId: 'acme', roleKey: 'viewer' })).toEqual([
      'viewer globex gina',
    ])
    expect(await whoHas({ ...granted, userId: 'bob' })).toEqual([])
    expect(await whoHas(granted, context)).toEqual(['editor acme bob'])
    expect(await whoHas(portal, context)).toHaveLength(3)
    const [first] = await whoHas({ ...granted, pageSize: 1 })
    expect(first).toBe('editor globex gina')
    expect(await badFields(iam.access.whoHas({ projectOrgId: 'a b' }, inGlobex))).toEqual([
      'projectOrgId',
    ])
  })

  it('asks for the permission in the organization, not on its own project of that id', async () => {
    const asked: unknown[] = []
    const guarded = iamOn(world.store, {
      now: world.clock,
      authorize: ({ permission, object }) => asked.push([permission, object]) > 0,
    })
    const role = { ...portal, roleKey: 'editor' }
    await good(guarded.access.whoHas({ ...role, projectOrgId: 'acme' }, inGlobex))
    await good(guarded.access.whoHas({ ...role, projectOrgId: 'globex' }, inGlobex))
    const object = { type: 'project', id: 'portal' }
    expect(asked).toEqual([
      ['user.grant.read', undefined],
      ['user.grant.read', object],
    ])
  })
})
