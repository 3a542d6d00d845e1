import { beforeEach, describe, expect, it } from 'vitest'
import { badFields, context, good, type Iam, inGlobex, refusal } from '../host.js'
import { bob, gina, giveBob, newWorld, removeRole, type World } from './grants-world.js'

let world: World
let iam: Iam

beforeEach(async () => {
  world = await newWorld()
  iam = world.iam
})

describe('access.require', () => {
  it('answers what check answers where the access is allowed', async () => {
    await giveBob(iam, 'editor')
    const asked = { ...bob, roleKey: 'editor' }
    const checked = await good(iam.access.check(asked, context))
    expect(await good(iam.access.require(asked, context))).toEqual(checked)
    expect(checked.allowed).toBe(true)
  })

  it('is AccessDenied with all reasons and the roles that count where it is not', async () => {
    await giveBob(iam, 'editor', 'viewer')
    await removeRole(iam, 'editor')
    expect(await refusal(iam.access.require({ ...bob, roleKey: 'editor' }, context))).toEqual({
      kind: 'AccessDenied',
      reasons: [{ kind: 'RoleRemoved' }],
      roleKeys: ['viewer'],
    })
    expect(await refusal(iam.access.require({ ...gina, roleKey: 'editor' }, inGlobex))).toEqual({
      kind: 'AccessDenied',
      reasons: [{ kind: 'ProjectGrantMissing' }],
      roleKeys: [],
    })
  })

  it('asks the login rules without a role and a permission', async () => {
    expect((await good(iam.access.require(bob, context))).allowed).toBe(true)
    await good(iam.projects.deactivate({ id: 'portal' }, context))
    expect((await refusal(iam.access.require(bob, context))).kind).toBe('AccessDenied')
  })

  it('about the past is decided by the past', async () => {
    await giveBob(iam, 'editor')
    const at = world.clock()
    world.clock.advance(1_000)
    await good(iam.userGrants.remove(bob, context))
    const asked = { ...bob, roleKey: 'editor' }
    expect((await refusal(iam.access.require(asked, context))).kind).toBe('AccessDenied')
    expect((await good(iam.access.require({ ...asked, at }, context))).allowed).toBe(true)
  })
})

describe.each(['check', 'require'] as const)('The input of access.%s', (method) => {
  const ask = (asked: object) => iam.access[method]({ ...bob, ...asked }, context)

  it.each(['roleKey', 'permission', 'at'])('must not have an undefined %s', async (field) => {
    expect(await badFields(ask({ [field]: undefined }))).toEqual([field])
    const both = ask({ roleKey: 'editor', [field]: undefined })
    expect(await badFields(both)).toEqual([field])
  })

  it('names one role, one permission, or neither', async () => {
    expect(await badFields(ask({ roleKey: 'editor', permission: 'a.read' }))).toEqual([
      'permission',
    ])
    expect(await badFields(ask({ roleKey: '' }))).toEqual(['roleKey'])
    expect(await badFields(ask({ permission: '*' }))).toEqual(['permission'])
  })

  it('is not about the future', async () => {
    const now = world.clock()
    expect(await badFields(ask({ at: new Date(now.getTime() + 1) }))).toEqual(['at'])
    expect(await badFields(ask({ at: new Date(Number.NaN) }))).toEqual(['at'])
    expect((await ask({ at: now })).isErr()).toBe(false)
  })
})

describe('What is asked about the past', () => {
  it('is not about the future', async () => {
    const at = new Date(world.clock().getTime() + 1)
    const role = { ...bob, roleKey: 'editor' }
    expect(await badFields(iam.access.rolesOf({ userId: 'bob', at }, context))).toEqual(['at'])
    expect(await badFields(iam.access.whoHas({ at }, context))).toEqual(['at'])
    expect(await badFields(iam.access.explain({ ...role, at }, context))).toEqual(['at'])
  })

  it('shows roles as they were shown then', async () => {
    await giveBob(iam, 'editor')
    const at = world.clock()
    world.clock.advance(1_000)
    const editor = { projectId: 'portal', roleKey: 'editor' }
    const changed = { displayName: 'Chief', group: 'top', permissions: ['a.read'] }
    await good(iam.projectRoles.update({ ...editor, ...changed }, context))
    const [before] = (await good(iam.access.rolesOf({ userId: 'bob', at }, context))).items
    expect(before).toMatchObject({ roleKey: 'editor', permissions: [] })
    expect(before?.displayName).not.toBe('Chief')
    const [now] = (await good(iam.access.rolesOf({ userId: 'bob' }, context))).items
    expect(now).toMatchObject(changed)
    await removeRole(iam, 'editor')
    expect((await good(iam.access.rolesOf({ userId: 'bob', at }, context))).items).toEqual([before])
    const past = await good(iam.access.check({ ...bob, permission: 'a.read', at }, context))
    expect(past.reasons).toEqual([{ kind: 'PermissionNotGranted' }])
  })

  it('of page tokens is bound to the question', async () => {
    await giveBob(iam, 'editor', 'viewer')
    const { nextPageToken: pageToken } = await good(iam.access.whoHas({ pageSize: 1 }, context))
    expect(pageToken).toBeDefined()
    for (const other of [{ projectId: 'portal' }, { userId: 'bob' }, { at: world.clock() }]) {
      const asked = { ...other, pageSize: 1, pageToken }
      expect(await badFields(iam.access.whoHas(asked, context))).toEqual(['pageToken'])
    }
    const held = await good(iam.access.rolesOf({ userId: 'bob', pageSize: 1 }, context))
    const asked = { userId: 'bob', pageToken: held.nextPageToken, at: world.clock() }
    expect(await badFields(iam.access.rolesOf(asked, context))).toEqual(['pageToken'])
  })
})
