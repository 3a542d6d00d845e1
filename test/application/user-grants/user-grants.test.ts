import { beforeEach, describe, expect, it } from 'vitest'
import type { PermissionQuestion } from '../../../src/index.js'
import {
  another,
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
} from '../access/grants-world.js'
import {
  badFields,
  context,
  detailsAt,
  good,
  type Iam,
  iamOn,
  inGlobex,
  positionAt,
  refusal,
} from '../host.js'

let world: World
let iam: Iam

beforeEach(async () => {
  world = await newWorld()
  iam = world.iam
})

const object = { type: 'user_grant', ...bob, projectOrgId: 'acme' }
const notFound = { kind: 'NotFound', object }
/** A read names the object as it was asked for. */
const notFoundAsGiven = { kind: 'NotFound', object: { type: 'user_grant', ...bob } }
const noProject = { kind: 'NotFound', object: { type: 'project', id: 'portal' } }
const noRole = (roleKey: string) => ({
  kind: 'NotFound',
  object: { type: 'project_role', ...portal, roleKey },
})

const get = () => good(iam.userGrants.get(bob, context))
const give = (roles: readonly object[], within: object = context) =>
  iam.userGrants.add({ ...bob, roles: roles as never }, within as typeof context)

/** So many milliseconds from now. */
const inMs = (ms: number) => new Date(world.clock().getTime() + ms)

describe('userGrants.add', () => {
  it('returns ids, details and the event, which records the generations of the roles', async () => {
    const created = inMs(0)
    const expiresAt = inMs(1)
    const added = await good(give([{ roleKey: 'viewer' }, { roleKey: 'editor', expiresAt }]))
    const ids = { ...bob, projectOrgId: 'acme' }
    const lives = [
      { roleKey: 'viewer', roleSince: 1 },
      { roleKey: 'editor', roleSince: 1, expiresAt: expiresAt.toISOString() },
    ]
    expect(added).toMatchObject({
      ...ids,
      changed: true,
      details: detailsAt(created, created, added.details.sequence),
      events: [{ type: 'user_grant.added', data: { ...ids, roles: lives } }],
    })
    expect(await get()).toEqual({
      ...ids,
      roles: [{ roleKey: 'viewer' }, { roleKey: 'editor', expiresAt }],
      state: 'active',
      details: added.details,
    })
    const { details } = await giveBob2()
    expect(details.sequence).toBeGreaterThan(positionAt(created))
  })

  const giveBob2 = () =>
    good(iam.userGrants.add({ ...bob, userId: 'b+o+b', roles: rolesOf('editor') }, context))

  it('takes user ids with a plus as the ids of others', async () => {
    await giveBob2()
    const page = await good(
      iam.userGrants.list({ filter: { userId: { equals: 'b+o+b' } } }, context),
    )
    expect(page.items).toMatchObject([{ userId: 'b+o+b', projectId: 'portal' }])
    expect(await refusal(iam.userGrants.get(bob, context))).toEqual(notFoundAsGiven)
  })

  it('refuses a second grant, also by another process', async () => {
    await giveBob(iam, 'editor')
    for (const process of [iam, another(world)])
      expect(
        await refusal(process.userGrants.add({ ...bob, roles: rolesOf('viewer') }, context)),
      ).toEqual({ kind: 'AlreadyExists', object })
  })

  it('refuses a project and roles that are not there', async () => {
    const roles = rolesOf('editor', 'absent')
    expect(await refusal(give(roles))).toEqual(noRole('absent'))
    const elsewhere = { ...bob, projectId: 'absent', roles }
    expect(await refusal(iam.userGrants.add(elsewhere, context))).toMatchObject({
      object: { type: 'project', id: 'absent' },
    })
  })

  it('refuses the project of another organization without a grant as one that is not there', async () => {
    for (const projectId of ['portal', 'absent'])
      for (const name of ['add', 'update', 'addRoles'] as const) {
        const given = { ...gina, projectId, roles: rolesOf('editor') }
        expect(await refusal(iam.userGrants[name](given, inGlobex))).toEqual({
          kind: 'NotFound',
          object: { type: 'project', id: projectId },
        })
      }
  })

  it('refuses roles that the organization was not granted as roles that are not there', async () => {
    await grantGlobex(iam, 'editor')
    for (const roleKey of ['viewer', 'absent'])
      expect(
        await refusal(iam.userGrants.add({ ...gina, roles: rolesOf(roleKey) }, inGlobex)),
      ).toEqual(noRole(roleKey))
    const added = await giveGina(iam, 'editor')
    expect(added.events[0]?.data).toMatchObject({ roles: [{ roleSince: 1, grantSince: 1 }] })
    expect(added.details.resourceOwner).toBe('globex')
  })

  it('is asked of the project, and never takes one of another organization for an own one', async () => {
    const asked: PermissionQuestion['object'][] = []
    const process = iamOn(world.store, {
      authorize: ({ object }) => {
        asked.push(object)
        return false
      },
    })
    const roles = rolesOf('editor')
    await refusal(process.userGrants.add({ ...bob, roles }, context))
    await refusal(process.userGrants.add({ ...bob, projectOrgId: 'acme', roles }, context))
    await refusal(process.userGrants.add({ ...gina, roles }, inGlobex))
    await refusal(process.access.check(gina, inGlobex))
    await refusal(process.userGrants.get({ ...gina, projectOrgId: 'a b' }, inGlobex))
    const own = { type: 'project', id: 'portal' }
    const granted = { type: 'granted_project', id: 'portal', orgId: 'acme' }
    expect(asked).toEqual([own, own, granted, granted, undefined])
  })
})

describe('The end of a role', () => {
  it('refuses an end after the year 9999, which has no form in RFC 3339', async () => {
    const late = { roleKey: 'viewer', expiresAt: new Date(Date.UTC(10_000, 0)) }
    expect(await badFields(give([late]))).toEqual(['roles[0].expiresAt'])
    await good(give([{ ...late, expiresAt: new Date(Date.UTC(10_000, 0) - 1) }]))
  })

  it('in the past is refused where it is new', async () => {
    const past = { roleKey: 'viewer', expiresAt: inMs(0) }
    expect(await badFields(give([{ roleKey: 'editor' }, past]))).toEqual(['roles[1].expiresAt'])
    await giveBob(iam, 'editor')
    for (const name of ['update', 'addRoles'] as const)
      expect(await badFields(iam.userGrants[name]({ ...bob, roles: [past] }, context))).toEqual([
        'roles[0].expiresAt',
      ])
  })

  it('in the past is reported of the first hundred roles', async () => {
    const roles = Array.from({ length: 101 }, (_, n) => ({ roleKey: `r${n}` }))
    const shown = roles.map(({ roleKey }) => ({ roleKey, displayName: roleKey }))
    await good(iam.projectRoles.addMany({ ...portal, roles: shown }, context))
    const past = roles.map((role) => ({ ...role, expiresAt: inMs(0) }))
    expect(await badFields(give(past))).toEqual(
      roles.slice(0, 100).map((_, index) => `roles[${index}].expiresAt`),
    )
  })

  it('that is kept passes after it has passed, in an update and in a delta', async () => {
    const ending = { roleKey: 'viewer', expiresAt: inMs(1) }
    await good(give([ending]))
    world.clock.advance(1_000)
    const roles = [ending, { roleKey: 'editor' }]
    expect(await good(iam.userGrants.update({ ...bob, roles: [ending] }, context))).toMatchObject({
      changed: false,
    })
    expect(await good(iam.userGrants.addRoles({ ...bob, roles }, context))).toMatchObject({
      changed: true,
    })
    expect((await get()).roles).toEqual(roles)
    const moved = [{ roleKey: 'viewer', expiresAt: inMs(0) }]
    expect(await badFields(iam.userGrants.update({ ...bob, roles: moved }, context))).toEqual([
      'roles[0].expiresAt',
    ])
  })

  it('is refused after the role, the project and the grant that are not there', async () => {
    const past = { roleKey: 'absent', expiresAt: inMs(0) }
    expect(await refusal(give([past]))).toEqual(noRole('absent'))
    const roles = [{ roleKey: 'editor', expiresAt: inMs(0) }]
    expect(await refusal(iam.userGrants.update({ ...bob, roles }, context))).toEqual(notFound)
    await giveBob(iam, 'viewer')
    expect(await refusal(give(roles))).toEqual({ kind: 'AlreadyExists', object })
  })

  it('that has passed meanwhile does not change the answer to a retry under an idempotency key', async () => {
    const once = { ...context, idempotencyKey: 'once' }
    const roles = [{ roleKey: 'editor', expiresAt: inMs(1) }]
    const first = await good(give(roles, once))
    world.clock.advance(60_000)
    await good(iam.userGrants.remove(bob, context))
    for (const process of [iam, another(world)])
      expect(await good(process.userGrants.add({ ...bob, roles }, once))).toEqual(first)
    expect(await badFields(give(roles))).toEqual(['roles[0].expiresAt'])
  })

  it('is part of what a key was used for', async () => {
    const once = { ...context, idempotencyKey: 'once' }
    await good(give([{ roleKey: 'editor', expiresAt: inMs(1_000) }], once))
    expect(await refusal(give([{ roleKey: 'editor', expiresAt: inMs(2_000) }], once))).toEqual({
      kind: 'IdempotencyKeyReused',
      idempotencyKey: 'once',
    })
  })
})

describe('userGrants.addRoles and removeRoles', () => {
  it('change only what they name', async () => {
    await giveBob(iam, 'editor')
    const expiresAt = inMs(1_000)
    const viewer = { roleKey: 'viewer', expiresAt }
    await good(iam.userGrants.addRoles({ ...bob, roles: [viewer] }, context))
    expect((await get()).roles).toEqual([{ roleKey: 'editor' }, viewer])
    await good(iam.userGrants.removeRoles({ ...bob, roleKeys: ['editor', 'absent'] }, context))
    expect((await get()).roles).toEqual([viewer])
  })

  it('set the end of a held role as given, or take it away', async () => {
    await giveBob(iam, 'editor')
    const editor = { roleKey: 'editor', expiresAt: inMs(1_000) }
    await good(iam.userGrants.addRoles({ ...bob, roles: [editor] }, context))
    expect((await get()).roles).toEqual([editor])
    await good(iam.userGrants.addRoles({ ...bob, roles: rolesOf('editor') }, context))
    expect((await get()).roles).toEqual(rolesOf('editor'))
    expect(
      await good(iam.userGrants.addRoles({ ...bob, roles: rolesOf('editor') }, context)),
    ).toMatchObject({ changed: false })
  })

  it('remove nothing of roles that are not held', async () => {
    await giveBob(iam, 'editor')
    for (const roleKey of ['viewer', 'absent'])
      expect(
        await good(iam.userGrants.removeRoles({ ...bob, roleKeys: [roleKey] }, context)),
      ).toMatchObject({ changed: false })
  })

  it('remove the grant with the last current role', async () => {
    await giveBob(iam, 'editor', 'viewer')
    await removeRole(iam, 'viewer')
    const removed = await good(
      iam.userGrants.removeRoles({ ...bob, roleKeys: ['editor'] }, context),
    )
    expect(removed.events.map(({ type }) => type)).toEqual(['user_grant.removed'])
    expect(await refusal(iam.userGrants.get(bob, context))).toEqual(notFoundAsGiven)
    await giveBob(iam, 'author')
  })

  it('need a grant', async () => {
    const added = iam.userGrants.addRoles({ ...bob, roles: rolesOf('editor') }, context)
    expect(await refusal(added)).toEqual(notFound)
    const removed = iam.userGrants.removeRoles({ ...bob, roleKeys: ['editor'] }, context)
    expect(await refusal(removed)).toEqual(notFound)
  })

  it('leave a grant with at most 400 current roles', async () => {
    const keys = Array.from({ length: 400 }, (_, n) => `r${n}`)
    const roles = keys.map((roleKey) => ({ roleKey, displayName: roleKey }))
    await good(iam.projectRoles.addMany({ ...portal, roles }, context))
    await giveBob(iam, ...keys)
    const one = { ...bob, roles: rolesOf('editor') }
    const description = 'must leave the grant with at most 400 roles'
    expect(await refusal(iam.userGrants.addRoles(one, context))).toEqual({
      kind: 'InvalidArgument',
      violations: [{ field: 'roles', description }],
    })
    await good(
      iam.userGrants.addRoles({ ...bob, roles: rolesOf(...keys) }, { ...context, dryRun: true }),
    )
    await removeRole(iam, 'r0')
    await good(iam.userGrants.addRoles(one, context))
    expect((await get()).roles).toHaveLength(400)
    // All roles may be replaced at once.
    const others = keys.map((key) => ({ roleKey: `other-${key}`, displayName: key }))
    await good(iam.projectRoles.addMany({ ...portal, roles: others }, context))
    const replaced = rolesOf(...others.map(({ roleKey }) => roleKey))
    await good(another(world).userGrants.update({ ...bob, roles: replaced }, context))
    expect((await get()).roles).toHaveLength(400)
  })
})

describe('userGrants.update, deactivate, reactivate and remove', () => {
  it('replace the roles; the same ones in another order change nothing', async () => {
    await giveBob(iam, 'editor', 'viewer')
    const update = (...keys: readonly string[]) =>
      good(iam.userGrants.update({ ...bob, roles: rolesOf(...keys) }, context))
    expect(await update('viewer', 'editor')).toMatchObject({ changed: false })
    expect(await update('author')).toMatchObject({ changed: true })
    expect((await get()).roles).toEqual(rolesOf('author'))
  })

  it('switch the grant off and on, and end it', async () => {
    await giveBob(iam, 'editor')
    const { deactivate, reactivate, remove } = iam.userGrants
    expect(await good(reactivate(bob, context))).toMatchObject({ changed: false })
    expect(await good(deactivate(bob, context))).toMatchObject({ changed: true })
    expect(await good(deactivate(bob, context))).toMatchObject({ changed: false })
    expect(await get()).toMatchObject({ state: 'inactive', roles: rolesOf('editor') })
    expect(await good(reactivate(bob, context))).toMatchObject({ changed: true })
    await good(remove(bob, context))
    expect(await refusal(remove(bob, context))).toEqual(notFound)
  })

  it('find no grant once the project is gone', async () => {
    await grantGlobex(iam, 'editor')
    await giveBob(iam, 'editor')
    await giveGina(iam, 'editor')
    await good(iam.projects.remove({ id: 'portal' }, context))
    for (const process of [iam, another(world)]) {
      expect(await refusal(process.userGrants.get(bob, context))).toEqual(notFoundAsGiven)
      expect((await refusal(process.userGrants.get(gina, inGlobex))).kind).toBe('NotFound')
      for (const within of [context, inGlobex])
        expect((await good(process.userGrants.list({}, within))).items).toEqual([])
      for (const name of ['deactivate', 'reactivate', 'remove'] as const)
        expect(await refusal(process.userGrants[name](bob, context))).toEqual(notFound)
      const roles = rolesOf('editor')
      for (const name of ['add', 'update', 'addRoles'] as const)
        expect(await refusal(process.userGrants[name]({ ...bob, roles }, context))).toEqual(
          noProject,
        )
      const taken = process.userGrants.removeRoles({ ...bob, roleKeys: ['editor'] }, context)
      expect(await refusal(taken)).toEqual(notFound)
    }
  })
})

describe('userGrants.list', () => {
  it('filters by user, project, role and state, and pages in a total order', async () => {
    await grantGlobex(iam, 'editor')
    await giveBob(iam, 'editor', 'viewer')
    await good(iam.userGrants.add({ ...bob, userId: 'ada', roles: rolesOf('viewer') }, context))
    await giveGina(iam, 'editor')
    await good(iam.userGrants.deactivate({ ...bob, userId: 'ada' }, context))
    const users = async (filter: object) => {
      const page = await good(iam.userGrants.list({ filter, sort: [{ field: 'userId' }] }, context))
      return page.items.map(({ userId }) => userId)
    }
    expect(await users({})).toEqual(['ada', 'bob'])
    expect(await users({ userId: { startsWith: 'a' } })).toEqual(['ada'])
    expect(await users({ projectId: { equals: 'portal' } })).toEqual(['ada', 'bob'])
    expect(await users({ projectOrgId: { equals: 'globex' } })).toEqual([])
    expect(await users({ roleKey: { equals: 'viewer' } })).toEqual(['ada', 'bob'])
    expect(await users({ roleKey: { equals: 'EDITOR', ignoreCase: true } })).toEqual(['bob'])
    expect(await users({ state: 'active' })).toEqual(['bob'])
    await removeRole(iam, 'viewer')
    expect(await users({ roleKey: { equals: 'viewer' } })).toEqual([])
    expect(await users({})).toEqual(['ada', 'bob'])
    const first = await good(iam.userGrants.list({ pageSize: 1 }, context))
    const { nextPageToken: pageToken } = first
    const second = await good(iam.userGrants.list({ pageSize: 1, pageToken }, context))
    expect([...first.items, ...second.items].map(({ userId }) => userId)).toEqual(['ada', 'bob'])
  })
})
