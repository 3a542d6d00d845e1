import { beforeEach, describe, expect, it } from 'vitest'
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
} from '../access/grants-world.js'
import { context, good, type Iam, iamOn, inGlobex, logOf, refusal, withAppend } from '../host.js'

let world: World
let iam: Iam

beforeEach(async () => {
  world = await newWorld()
  iam = world.iam
  await grantGlobex(iam, 'editor', 'viewer')
})

/** A process where `first` happens right before its first append. */
const raced = (first: () => Promise<unknown>): Iam => {
  let races = 0
  const store = withAppend(world.store, async (append, send) => {
    if (races++ === 0) await first()
    return send(append)
  })
  return iamOn(store, { now: world.clock })
}

const noRole = {
  kind: 'NotFound',
  object: { type: 'project_role', ...portal, roleKey: 'editor' },
}
const noProject = { kind: 'NotFound', object: { type: 'project', id: 'portal' } }

/** The ways to give `editor` to a user. */
const GIVING = ['add', 'update', 'addRoles'] as const

/** Where roles are given: in the whole project, and on a resource of it. */
const PLACES: readonly { readonly resource?: string }[] = [{}, { resource: 'workspace:42' }]

/** Lets a user have what the way to give needs, and gives `editor` that way in another process. */
const give = async (
  name: (typeof GIVING)[number],
  user: typeof bob & { readonly projectOrgId?: string; readonly resource?: string },
  first: () => Promise<unknown>,
) => {
  const within = user.userId === 'gina' ? inGlobex : context
  if (name !== 'add') await good(iam.userGrants.add({ ...user, roles: rolesOf('viewer') }, within))
  return raced(first).userGrants[name]({ ...user, roles: rolesOf('editor') }, within)
}

describe.each(GIVING.flatMap((name) => PLACES.map((place) => [name, place] as const)))(
  'A race with userGrants.%s of %o',
  (name, place) => {
    const ours = { ...bob, ...place }
    const theirs = { ...gina, ...place }

    it.each([ours, theirs])(
      'for a role that is removed gives it to nobody: $userId',
      async (user) => {
        const given = await give(name, user, () => removeRole(another(world), 'editor'))
        expect(given._unsafeUnwrapErr()).toEqual(noRole)
        const { bob, gina } = await counting(iam, place)
        expect([...bob, ...gina]).not.toContain('editor')
      },
    )

    it('for a role that is removed and added again gives its new generation', async () => {
      const given = await give(name, ours, async () => {
        await removeRole(another(world), 'editor')
        await addRole(another(world), 'editor')
      })
      const [event] = given._unsafeUnwrap().events
      const roles = [{ roleKey: 'editor', roleSince: 3 }]
      expect(event?.data).toMatchObject({ roles: expect.arrayContaining(roles) })
      expect((await counting(iam, place)).bob).toContain('editor')
      if (place.resource !== undefined) expect((await counting(iam)).bob).toEqual([])
    })

    it('for a role that is taken from the grant of the project gives it to nobody', async () => {
      const given = await give(name, theirs, () => regrantGlobex(another(world), 'viewer'))
      expect(given._unsafeUnwrapErr()).toEqual(noRole)
      expect((await counting(iam, place)).gina).not.toContain('editor')
    })

    it('for a role that is removed from the grant of the project and added again gives its new generation', async () => {
      const given = await give(name, theirs, async () => {
        await regrantGlobex(another(world), 'viewer')
        await regrantGlobex(another(world), 'viewer', 'editor')
      })
      expect(given.isOk()).toBe(true)
      expect((await counting(iam, place)).gina).toContain('editor')
    })

    it('for a grant of the project that is removed gives nothing', async () => {
      const given = await give(name, theirs, () =>
        good(another(world).projectGrants.remove(toGlobex, context)),
      )
      expect(given._unsafeUnwrapErr()).toEqual(noProject)
      expect((await counting(iam, place)).gina).toEqual([])
    })

    it.each([ours, theirs])(
      'for a project that is removed gives nothing: $userId',
      async (user) => {
        const given = await give(name, user, () =>
          good(another(world).projects.remove({ id: 'portal' }, context)),
        )
        expect(given._unsafeUnwrapErr()).toEqual(noProject)
        expect((await logOf(world.store)).at(-1)?.type).toBe('project.removed')
      },
    )
  },
)

describe('A race of a grant of a project', () => {
  it.each(['add', 'update'] as const)('with the removal of its role: %s', async (name) => {
    if (name === 'add') await good(iam.projectGrants.remove(toGlobex, context))
    const process = raced(() => removeRole(another(world), 'editor'))
    const given = { ...toGlobex, roleKeys: ['editor', 'author'] }
    expect(await refusal(process.projectGrants[name](given, context))).toEqual(noRole)
  })

  it('with another grant to the same organization: one wins', async () => {
    await good(iam.projectGrants.remove(toGlobex, context))
    const process = raced(() => grantGlobex(another(world), 'viewer'))
    const adding = process.projectGrants.add({ ...toGlobex, roleKeys: ['editor'] }, context)
    expect((await refusal(adding)).kind).toBe('AlreadyExists')
    expect((await good(iam.projectGrants.get(toGlobex, context))).roleKeys).toEqual(['viewer'])
  })
})

describe('Two admins', () => {
  it('that add different roles lose neither', async () => {
    await giveBob(iam, 'viewer')
    const add = (process: Iam, roleKey: string) =>
      good(process.userGrants.addRoles({ ...bob, roles: rolesOf(roleKey) }, context))
    await add(
      raced(() => add(another(world), 'author')),
      'editor',
    )
    expect((await counting(iam)).bob).toEqual(['author', 'editor', 'viewer'])
  })

  it('of whom one takes a role that the other leaves undo nothing', async () => {
    await giveGina(iam, 'viewer', 'editor')
    const process = raced(() =>
      good(another(world).userGrants.removeRoles({ ...gina, roleKeys: ['viewer'] }, inGlobex)),
    )
    const expiresAt = new Date(world.clock().getTime() + 1_000)
    const roles = [{ roleKey: 'editor', expiresAt }]
    await good(process.userGrants.addRoles({ ...gina, roles }, inGlobex))
    expect((await good(iam.userGrants.get(gina, inGlobex))).roles).toEqual(roles)
  })

  it('that take the last two roles remove the grant', async () => {
    await giveBob(iam, 'viewer', 'editor')
    const take = (process: Iam, roleKey: string) =>
      good(process.userGrants.removeRoles({ ...bob, roleKeys: [roleKey] }, context))
    await take(
      raced(() => take(another(world), 'editor')),
      'viewer',
    )
    expect((await refusal(iam.userGrants.get(bob, context))).kind).toBe('NotFound')
  })
})

it('a role that ends while the other one is taken does not keep the grant', async () => {
  await giveBob(iam, 'viewer', 'editor')
  await giveGina(iam, 'viewer', 'editor')
  const take = (first: () => Promise<unknown>, user: typeof bob, within: typeof context) =>
    good(raced(first).userGrants.removeRoles({ ...user, roleKeys: ['viewer'] }, within))
  const taken = await take(() => regrantGlobex(another(world), 'viewer'), gina, inGlobex)
  expect(taken.events.map(({ type }) => type)).toEqual(['user_grant.removed'])
  await take(() => removeRole(another(world), 'editor'), bob, context)
  for (const [user, within] of [
    [bob, context],
    [gina, inGlobex],
  ] as const)
    expect((await refusal(iam.userGrants.get(user, within))).kind).toBe('NotFound')
})

it.each(PLACES)('of sixteen writers that add one grant, one wins: %o', async (place) => {
  const processes = Array.from({ length: 16 }, () => another(world))
  const outcomes = await Promise.all(
    processes.map((process) =>
      process.userGrants.add({ ...bob, ...place, roles: rolesOf('editor') }, context),
    ),
  )
  const kinds = outcomes.map((outcome) => (outcome.isOk() ? 'won' : outcome.error.kind))
  expect(kinds.toSorted()).toEqual([...Array(15).fill('AlreadyExists'), 'won'])
})

describe('Writers of one user on different resources', () => {
  const resources = Array.from({ length: 8 }, (_, n) => `workspace:${n}`)
  const on = (resource: string) => ({ ...bob, resource })

  it('all win, and give nothing for the whole project', async () => {
    await Promise.all(
      resources.map((resource) =>
        good(another(world).userGrants.add({ ...on(resource), roles: rolesOf('editor') }, context)),
      ),
    )
    for (const resource of resources)
      expect((await counting(iam, { resource })).bob).toEqual(['editor'])
    expect((await counting(iam)).bob).toEqual([])
  })

  it('leave what one of them takes to the others', async () => {
    await good(iam.userGrants.add({ ...on('workspace:0'), roles: rolesOf('viewer') }, context))
    const process = raced(() =>
      good(
        another(world).userGrants.add({ ...on('workspace:1'), roles: rolesOf('editor') }, context),
      ),
    )
    await good(process.userGrants.remove(on('workspace:0'), context))
    expect((await counting(iam, { resource: 'workspace:0' })).bob).toEqual([])
    expect((await counting(iam, { resource: 'workspace:1' })).bob).toEqual(['editor'])
  })

  it('lose also the grant that is added while all of the resource is removed', async () => {
    const all = { ...portal, resource: 'workspace:0' }
    await good(iam.userGrants.add({ ...on(all.resource), roles: rolesOf('viewer') }, context))
    const late = { ...on(all.resource), userId: 'late', roles: rolesOf('editor') }
    const process = raced(() => good(another(world).userGrants.add(late, context)))
    const { removed } = await good(process.userGrants.removeAllOfResource(all, context))
    expect(removed.map(({ userId }) => userId)).toEqual(['bob', 'late'])
    expect((await good(iam.access.whoHas(all, context))).items).toEqual([])
  })
})
