import { beforeEach, describe, expect, test } from 'vitest'
import { httpStatusOf, IamFailure, orThrow, permissionsFromRoles } from '../../../src/index.js'
import {
  context,
  good,
  type Iam,
  iamOn,
  inGlobex,
  oldCipher,
  refusal,
  withAppend,
} from '../host.js'
import {
  giveBob,
  giveGina,
  grantGlobex,
  newWorld,
  portal,
  removeRole,
  type World,
} from './grants-world.js'

let world: World
let iam: Iam
const inAcme = { userId: 'bob', orgId: 'acme', ...portal }

beforeEach(async () => {
  world = await newWorld()
  iam = world.iam
  await good(
    iam.projectRoles.patch({ ...portal, roleKey: 'editor', permissions: ['text.edit'] }, context),
  )
  await giveBob(iam, 'editor')
})

const failureOf = async (asking: Promise<unknown>): Promise<IamFailure> => {
  const failure = await asking.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (failure instanceof IamFailure) return failure
  throw new Error(`No IamFailure: ${failure}`)
}

describe('access.of', () => {
  test('answers for a permission, a role, and the login', async () => {
    const bob = iam.access.of(inAcme)
    expect(await bob.can('text.edit')).toBe(true)
    expect(await bob.can('text.publish')).toBe(false)
    expect(await bob.can({ roleKey: 'editor' })).toBe(true)
    expect(await bob.can({ roleKey: 'author' })).toBe(false)
    expect(await bob.can()).toBe(true)
    await expect(bob.require('text.edit')).resolves.toBeUndefined()
    expect(await bob.check('text.publish')).toMatchObject({
      allowed: false,
      reasons: [{ kind: 'PermissionNotGranted' }],
      roleKeys: ['editor'],
    })
  })

  test('require throws a 403 with the reasons', async () => {
    const failure = await failureOf(iam.access.of(inAcme).require({ roleKey: 'author' }))
    expect(httpStatusOf(failure.error)).toBe(403)
    expect(failure.error).toMatchObject({
      kind: 'AccessDenied',
      reasons: [{ kind: 'RoleNotGranted' }],
      roleKeys: ['editor'],
    })
  })

  test('asks about a project of another organization', async () => {
    await grantGlobex(iam, 'editor')
    await giveGina(iam, 'editor')
    const gina = { userId: 'gina', orgId: 'globex', ...portal }
    expect(await iam.access.of({ ...gina, projectOrgId: 'acme' }).can('text.edit')).toBe(true)
    expect(await iam.access.of(gina).can('text.edit')).toBe(false)
    expect(await iam.access.of({ ...gina, orgId: 'acme' }).can('text.edit')).toBe(false)
  })

  test('asks no permission of the host', async () => {
    const asked: unknown[] = []
    const authorize = (question: unknown) => {
      asked.push(question)
      return false
    }
    expect(await iamOn(world.store, { authorize }).access.of(inAcme).can('text.edit')).toBe(true)
    expect(asked).toEqual([])
  })

  test('sees a revoked role at once', async () => {
    const bob = iam.access.of(inAcme)
    await removeRole(iam, 'editor')
    expect(await bob.can('text.edit')).toBe(false)
  })

  test('answers about the past, eventually, and from live checks', async () => {
    const bob = iam.access.of(inAcme)
    const then = world.clock()
    world.clock.advance(1_000)
    await removeRole(iam, 'editor')
    expect(await bob.can('text.edit', { at: then })).toBe(true)
    expect(await bob.can('text.edit', { consistency: 'eventual' })).toBe(false)
    const following = new AbortController()
    const live = await orThrow(iam.access.live({ signal: following.signal }))
    expect(await bob.can({ roleKey: 'viewer' }, { live })).toBe(false)
    await good(
      iam.userGrants.give({ userId: 'bob', ...portal, roles: [{ roleKey: 'viewer' }] }, context),
    )
    expect(await bob.can({ roleKey: 'viewer' }, { live })).toBe(true)
    await expect(bob.require({ roleKey: 'author' }, { live })).rejects.toThrow(IamFailure)
    await expect(bob.can('text.edit', { live, at: then })).rejects.toThrow('live answers as of now')
    following.abort()
    await expect(bob.require({ roleKey: 'viewer' }, { live })).rejects.toThrow('Stale')
  })

  test('rejects, and does not say yes or no, if it cannot be answered', async () => {
    const broken = iamOn({
      ...withAppend(world.store, async (append, send) => send(append)),
      lastPosition: async () => {
        throw new Error('no disk')
      },
      readAll: async () => {
        throw new Error('no disk')
      },
    })
    const bob = broken.access.of(inAcme)
    for (const asking of [bob.can('text.edit'), bob.require('text.edit'), bob.check('text.edit')])
      expect((await failureOf(asking)).error.kind).toBe('Unavailable')
  })

  test.each([
    undefined,
    null,
    '',
    5,
    {},
    { roleKey: undefined },
    { rolekey: 'editor' },
    [],
    { permission: 'text.edit' },
    { roleKey: 'editor', at: new Date() },
  ])('never takes %j for another question', async (asked) => {
    const bob = iam.access.of(inAcme)
    for (const ask of [bob.can, bob.require, bob.check])
      await expect(ask(asked as never)).rejects.toThrow()
  })

  test('refuses unknown options and users', async () => {
    const bob = iam.access.of(inAcme)
    await expect(bob.can('text.edit', { consistancy: 'eventual' } as never)).rejects.toThrow(
      'consistancy',
    )
    await expect(bob.can('text.edit', { consistency: 'weak' } as never)).rejects.toThrow(
      'consistency',
    )
    for (const user of [
      {},
      undefined,
      null,
      { userId: 'bob', orgId: 'acme' },
      { ...inAcme, project: 'x' },
      { ...inAcme, orgId: 5 },
    ])
      expect(() => iam.access.of(user as never)).toThrow(TypeError)
    const odd = iam.access.of({ ...inAcme, orgId: 'not an id' })
    expect((await failureOf(odd.can('text.edit'))).error.kind).toBe('InvalidArgument')
  })
})

describe('permissionsFromRoles', () => {
  const started = (projectOrgId?: string) => {
    const iam: Iam = iamOn(world.store, {
      secrets: oldCipher,
      authorize: permissionsFromRoles({ iam: () => iam, ...portal, projectOrgId }),
    })
    return iam
  }
  const as = (userId: string, orgId = 'acme') => ({ caller: { userId, orgId } })
  const viewer = { userId: 'eve', ...portal, roles: [{ roleKey: 'viewer' }] }

  test('allows what a role of the caller lists, and nothing else', async () => {
    const byRoles = started()
    expect((await refusal(byRoles.userGrants.give(viewer, as('bob')))).kind).toBe(
      'PermissionDenied',
    )
    await good(
      iam.projectRoles.patch(
        { ...portal, roleKey: 'editor', permissions: ['user.grant.write'] },
        context,
      ),
    )
    await good(byRoles.userGrants.give(viewer, as('bob')))
    expect((await refusal(byRoles.projects.list({}, as('bob')))).kind).toBe('PermissionDenied')
    expect((await refusal(byRoles.userGrants.give(viewer, as('eve')))).kind).toBe(
      'PermissionDenied',
    )
    await removeRole(iam, 'editor')
    expect((await refusal(byRoles.userGrants.give(viewer, as('bob')))).kind).toBe(
      'PermissionDenied',
    )
  })

  test('allows nothing in another organization, whatever the caller claims', async () => {
    await good(
      iam.projectRoles.patch(
        { ...portal, roleKey: 'editor', permissions: ['project.read'] },
        context,
      ),
    )
    const byRoles = started()
    await good(byRoles.projects.list({}, as('bob')))
    const elsewhere = { ...as('bob'), orgId: 'globex' }
    expect((await refusal(byRoles.projects.list({}, elsewhere))).kind).toBe('PermissionDenied')
    const claiming = {
      caller: { userId: 'eve', orgId: 'acme', permissions: ['project.read' as const] },
    }
    expect((await refusal(byRoles.projects.list({}, claiming))).kind).toBe('PermissionDenied')
  })

  test('counts roles of a project that another organization granted', async () => {
    await good(
      iam.projectRoles.patch(
        { ...portal, roleKey: 'editor', permissions: ['project.read'] },
        context,
      ),
    )
    await grantGlobex(iam, 'editor')
    await giveGina(iam, 'editor')
    await good(started('acme').projects.list({}, as('gina', 'globex')))
    expect((await refusal(started().projects.list({}, as('gina', 'globex')))).kind).toBe(
      'PermissionDenied',
    )
  })

  test('refuses unknown options', () => {
    expect(() => permissionsFromRoles({ ...portal } as never)).toThrow('iam must be a function')
    expect(() => permissionsFromRoles({ iam: () => iam, project: 'x' } as never)).toThrow(TypeError)
    const withhold = ['user.grant.wite']
    expect(() => permissionsFromRoles({ iam: () => iam, ...portal, withhold } as never)).toThrow(
      'withhold must be a list of permissions',
    )
  })

  test('withholds permissions from every role that lists them', async () => {
    const withheld: Iam = iamOn(world.store, {
      secrets: oldCipher,
      authorize: permissionsFromRoles({
        iam: () => withheld,
        ...portal,
        withhold: ['user.grant.write'],
      }),
    })
    const permissions = ['user.grant.write', 'user.grant.read']
    await good(iam.projectRoles.patch({ ...portal, roleKey: 'editor', permissions }, context))
    expect((await refusal(withheld.userGrants.give(viewer, as('bob')))).kind).toBe(
      'PermissionDenied',
    )
    await good(withheld.userGrants.list({}, as('bob')))
    expect((await good(withheld.access.permissions({}, as('bob')))).permissions).toEqual([
      'user.grant.read',
    ])
  })
})

describe('userGrants.give', () => {
  const eve = { userId: 'eve', ...portal }
  const rolesOfEve = async () => (await good(iam.userGrants.get(eve, context))).roles
  const give = (...roleKeys: readonly string[]) =>
    iam.userGrants.give({ ...eve, roles: roleKeys.map((roleKey) => ({ roleKey })) }, context)

  test('adds the grant if there is none, and roles if there is', async () => {
    const first = await good(give('viewer'))
    expect(first.events.map(({ type }) => type)).toEqual(['user_grant.added'])
    const second = await good(give('editor'))
    expect(second.events.map(({ type }) => type)).toEqual(['user_grant.updated'])
    expect(await rolesOfEve()).toEqual([{ roleKey: 'viewer' }, { roleKey: 'editor' }])
    expect((await good(give('editor', 'viewer'))).changed).toBe(false)
  })

  test('adds the grant again if its roles have ended or it was removed', async () => {
    await good(give('viewer'))
    await removeRole(iam, 'viewer')
    await good(give('editor'))
    expect(await rolesOfEve()).toEqual([{ roleKey: 'editor' }])
    await good(iam.userGrants.remove(eve, context))
    await good(give('author'))
    expect(await rolesOfEve()).toEqual([{ roleKey: 'author' }])
  })

  test('two that race both count', async () => {
    const other = iamOn(world.store)
    await Promise.all([
      good(give('viewer')),
      good(other.userGrants.give({ ...eve, roles: [{ roleKey: 'editor' }] }, context)),
    ])
    expect((await rolesOfEve()).map(({ roleKey }) => roleKey).toSorted()).toEqual([
      'editor',
      'viewer',
    ])
  })

  test('refuses what add and addRoles refuse', async () => {
    expect((await refusal(give('missing'))).kind).toBe('NotFound')
    expect(
      (
        await refusal(
          iam.userGrants.give(
            { ...eve, projectOrgId: 'acme', roles: [{ roleKey: 'viewer' }] },
            inGlobex,
          ),
        )
      ).kind,
    ).toBe('NotFound')
    const past = { ...eve, roles: [{ roleKey: 'viewer', expiresAt: new Date(0) }] }
    expect((await refusal(iam.userGrants.give(past, context))).kind).toBe('InvalidArgument')
  })

  test('shows in a dry run what it would do', async () => {
    const planned = await good(
      iam.userGrants.give({ ...eve, roles: [{ roleKey: 'viewer' }] }, { ...context, dryRun: true }),
    )
    expect(planned.impact?.gains.count).toBe(1)
    expect(planned.events.map(({ type }) => type)).toEqual(['user_grant.added'])
  })
})
