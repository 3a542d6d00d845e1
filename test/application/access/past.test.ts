import { beforeEach, describe, expect, it } from 'vitest'
import { copyEvents, memoryEventStore, type ObjectRef, verify } from '../../../src/index.js'
import { badFields, context, good, type Iam, iamOn, inGlobex, logOf, refusal } from '../host.js'
import {
  addRole,
  another,
  bob,
  counting,
  gina,
  giveBob,
  giveGina,
  grantGlobex,
  newWorld,
  portal,
  regrantGlobex,
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
})

const ofBob: ObjectRef = { type: 'user_grant', ...bob }
const ofGina: ObjectRef = { type: 'user_grant', ...gina }
const ofGlobex: ObjectRef = { type: 'project_grant', ...toGlobex }

const historyOf = async (object: ObjectRef, within = context) => {
  const { items } = await good(iam.history.list({ object }, within))
  return items.map(({ type, changes }) => [type, changes])
}

/** Changes of grants, each of which gives or takes something. */
const CHANGES: readonly (() => Promise<unknown>)[] = [
  () => grantGlobex(iam, 'editor', 'viewer'),
  () => giveGina(iam, 'editor', 'viewer'),
  () => giveBob(iam, 'author', 'editor'),
  () => removeRole(iam, 'editor'),
  () => addRole(iam, 'editor'),
  () => regrantGlobex(iam, 'editor'),
  () => good(iam.userGrants.addRoles({ ...gina, roles: rolesOf('editor') }, inGlobex)),
  () => good(iam.userGrants.deactivate(bob, context)),
  () => good(iam.projectGrants.deactivate(toGlobex, context)),
  () => good(iam.userGrants.removeRoles({ ...bob, roleKeys: ['author'] }, context)),
  () => good(iam.projectGrants.remove(toGlobex, context)),
  () => giveBob(iam, 'viewer'),
  () => good(iam.projects.remove({ id: 'portal' }, context)),
]

describe('The login rules of a project', () => {
  it('are judged by the roles on a resource that the user had then', async () => {
    await good(iam.projects.patch({ id: 'portal', projectRoleCheck: true }, context))
    const before = world.clock()
    world.clock.advance(1_000)
    const onResource = { ...bob, resource: 'workspace:42' }
    await good(iam.userGrants.add({ ...onResource, roles: rolesOf('editor') }, context))
    const meanwhile = world.clock()
    world.clock.advance(1_000)
    await good(iam.userGrants.remove(onResource, context))
    const isLetIn = async (at?: Date) =>
      (await good(iam.access.check({ ...bob, ...(at && { at }) }, context))).allowed
    expect(await isLetIn(before)).toBe(false)
    expect(await isLetIn(meanwhile)).toBe(true)
    expect(await isLetIn()).toBe(false)
  })
})

describe('A role that expires', () => {
  it('counts at a time before its end, and at none from then on, whatever the time is now', async () => {
    const begin = world.clock().getTime()
    const expiresAt = new Date(begin + 60_000)
    const roles = [{ roleKey: 'editor', expiresAt }]
    await good(iam.userGrants.add({ ...bob, roles }, context))
    const given = world.clock().getTime()
    const asked = { ...bob, roleKey: 'editor' }
    const later = iamOn(world.store, { now: () => new Date(begin + 3_600_000) })
    const allowed = async (at: number) => {
      const input = { ...asked, at: new Date(at) }
      const checked = await good(later.access.check(input, context))
      const explained = await good(later.access.explain(input, context))
      const { items } = await good(later.access.rolesOf({ userId: 'bob', at: input.at }, context))
      expect(explained.allowed).toBe(checked.allowed)
      expect(items.length > 0).toBe(checked.allowed)
      return checked.allowed
    }
    expect(await allowed(given)).toBe(true)
    expect(await allowed(expiresAt.getTime() - 1)).toBe(true)
    expect(await allowed(expiresAt.getTime())).toBe(false)
    expect(await allowed(expiresAt.getTime() + 1)).toBe(false)
  })
})

describe('The history of a grant', () => {
  it('of a user shows a change for each role', async () => {
    const expiresAt = new Date(world.clock().getTime() + 1_000)
    await giveBob(iam, 'editor', 'viewer')
    const ending = [{ roleKey: 'viewer', expiresAt }, { roleKey: 'author' }]
    await good(iam.userGrants.addRoles({ ...bob, roles: ending }, context))
    await removeRole(iam, 'editor')
    await good(iam.userGrants.removeRoles({ ...bob, roleKeys: ['author'] }, context))
    await good(iam.userGrants.deactivate(bob, context))
    await good(iam.userGrants.removeRoles({ ...bob, roleKeys: ['viewer'] }, context))
    const until = expiresAt.toISOString()
    const expected = [
      [
        'user_grant.added',
        [
          { field: 'state', to: 'active' },
          { field: 'roles.editor', to: 'granted' },
          { field: 'roles.viewer', to: 'granted' },
        ],
      ],
      [
        'user_grant.updated',
        [
          { field: 'roles.viewer', from: 'granted', to: until },
          { field: 'roles.author', to: 'granted' },
        ],
      ],
      // The role that was removed is no change of this event.
      ['user_grant.updated', [{ field: 'roles.author', from: 'granted' }]],
      ['user_grant.deactivated', [{ field: 'state', from: 'active', to: 'inactive' }]],
      [
        'user_grant.removed',
        [
          { field: 'state', from: 'inactive', to: 'removed' },
          { field: 'roles.viewer', from: '2024-05-06T07:08:10.010Z' },
        ],
      ],
    ]
    expect(await historyOf(ofBob)).toEqual(expected)
    expect(await historyOf({ ...ofBob, projectOrgId: 'acme' } as ObjectRef)).toEqual(expected)
  })

  it('of a project shows a change for each role, and is not that of the organization granted', async () => {
    await grantGlobex(iam, 'editor', 'viewer')
    await regrantGlobex(iam, 'viewer', 'author')
    await removeRole(iam, 'viewer')
    await addRole(iam, 'viewer')
    await regrantGlobex(iam, 'viewer', 'author')
    expect((await historyOf(ofGlobex)).slice(1)).toEqual([
      [
        'project_grant.updated',
        [
          { field: 'roles.author', to: 'granted' },
          { field: 'roles.editor', from: 'granted' },
        ],
      ],
      ['project_grant.updated', [{ field: 'roles.viewer', to: 'granted' }]],
    ])
    expect(await historyOf(ofGlobex, inGlobex)).toEqual([])
    expect((await good(iam.history.list({}, inGlobex))).items).toEqual([])
  })

  it('is the same after a dry run of each change, and of a read model made anew', async () => {
    await grantGlobex(iam, 'editor')
    await giveBob(iam, 'editor')
    const changes: readonly ((process: Iam, within: typeof context) => Promise<unknown>)[] = [
      (to, within) =>
        good<unknown>(to.userGrants.update({ ...bob, roles: rolesOf('viewer') }, within)),
      (to, within) =>
        good<unknown>(to.userGrants.addRoles({ ...bob, roles: rolesOf('author') }, within)),
      (to, within) =>
        good<unknown>(to.projectGrants.update({ ...toGlobex, roleKeys: ['viewer'] }, within)),
      (to, within) => good<unknown>(to.userGrants.deactivate(bob, within)),
      (to, within) => good<unknown>(to.userGrants.remove(bob, within)),
    ]
    for (const change of changes) {
      const planned = await change(another(world), { ...context, dryRun: true } as never)
      await change(iam, context)
      const [last] = (await good(iam.history.list({ order: 'desc', limit: 1 }, context))).items
      expect(planned).toMatchObject({ changed: true, changes: last?.changes })
    }
    const all = await good(iam.history.list({}, context))
    expect(await good(another(world).history.list({}, context))).toEqual(all)
  })
})

describe('The state of a grant at a position', () => {
  const shownAt = async (object: ObjectRef, sequence: bigint, within = context) =>
    (await another(world).history.stateAt({ object, sequence }, within)).unwrapOr(undefined)

  const now = async () => ({
    bob: (await iam.userGrants.get(bob, context)).unwrapOr(undefined),
    gina: (await iam.userGrants.get(gina, inGlobex)).unwrapOr(undefined),
    globex: (await iam.projectGrants.get(toGlobex, context)).unwrapOr(undefined),
  })

  it('is what get showed then, after each change', async () => {
    const past: (readonly [bigint, Awaited<ReturnType<typeof now>>])[] = []
    for (const change of [async () => undefined, ...CHANGES]) {
      world.clock.advance(1_000)
      await change()
      past.push([await world.store.lastPosition(), await now()])
    }
    for (const [sequence, expected] of past)
      expect({
        bob: await shownAt(ofBob, sequence),
        gina: await shownAt(ofGina, sequence, inGlobex),
        globex: await shownAt(ofGlobex, sequence),
      }).toEqual(expected)
    expect(past.filter(([, { bob, gina, globex }]) => bob && gina && globex)).toHaveLength(7)
  })

  it('at a time is that at the end of its millisecond, and not found before and after', async () => {
    await giveBob(iam, 'editor')
    const time = world.clock()
    world.clock.advance(1)
    await good(iam.userGrants.remove(bob, context))
    const at = (ms: number) =>
      iam.history.stateAt({ object: ofBob, time: new Date(time.getTime() + ms) }, context)
    expect(await good(at(0))).toMatchObject({ roles: rolesOf('editor') })
    for (const ms of [-1, 1]) expect((await refusal(at(ms))).kind).toBe('NotFound')
  })

  it('needs well-formed ids', async () => {
    const of = (object: object) =>
      badFields(iam.history.stateAt({ object: object as ObjectRef, sequence: 1n }, context))
    expect(await of({ type: 'user_grant', ...portal })).toEqual(['object.userId'])
    expect(await of({ type: 'project_grant', ...portal })).toEqual(['object.grantedOrgId'])
    expect(await of({ ...ofBob, projectOrgId: 'a+b' })).toEqual(['object.projectOrgId'])
  })
})

describe('The log of grants', () => {
  const play = async () => {
    for (const change of CHANGES.slice(0, 10)) await change()
  }

  it('is shown to subscribers', async () => {
    await play()
    const seen: string[] = []
    for await (const { type } of iam.subscribe({
      types: ['user_grant.added', 'project_grant.updated'],
    })) {
      seen.push(type)
      if (seen.length === 3) break
    }
    expect(seen).toEqual(['user_grant.added', 'user_grant.added', 'project_grant.updated'])
  })

  it('verifies, and answers from a copy as from the original', async () => {
    await play()
    expect((await verify(world.store))._unsafeUnwrap()).toMatchObject({
      events: (await logOf(world.store)).length,
    })
    const store = memoryEventStore()
    const copied = (await copyEvents(world.store, store))._unsafeUnwrap()
    expect(copied.copied).toBe((await logOf(world.store)).length)
    expect(await logOf(store)).toEqual(await logOf(world.store))
    const copy = iamOn(store, { now: world.clock })
    expect(await counting(copy)).toEqual(await counting(iam))
    for (const within of [context, inGlobex])
      expect(await good(copy.userGrants.list({}, within))).toEqual(
        await good(iam.userGrants.list({}, within)),
      )
    // Lives go by versions, which a copy keeps.
    const taking = copy.userGrants.removeRoles({ ...gina, roleKeys: ['viewer'] }, inGlobex)
    expect(await good(taking)).toMatchObject({ changed: false })
  })

  it('that has a grant which cannot be read is named', async () => {
    await giveBob(iam, 'editor')
    const store = {
      ...world.store,
      readAll: async (after: bigint, limit: number) =>
        (await world.store.readAll(after, limit)).map((event) =>
          event.type === 'user_grant.added'
            ? { ...event, data: { ...event.data, roles: 'x' } }
            : event,
        ),
    }
    expect((await verify(store))._unsafeUnwrapErr()).toMatchObject({
      kind: 'CorruptEvent',
      type: 'user_grant.added',
    })
    const call = iamOn(store, { now: world.clock }).access.check(bob, context)
    expect((await refusal(call)).kind).toBe('CorruptEvent')
  })
})
