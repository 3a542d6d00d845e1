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
  regrantGlobex,
  removeRole,
  rolesOf,
  toGlobex,
  type World,
} from '../access/grants-world.js'
import { context, good, type Iam, inGlobex, logOf, refusal } from '../host.js'

let world: World
let iam: Iam

beforeEach(async () => {
  world = await newWorld()
  iam = world.iam
  await grantGlobex(iam, 'editor', 'viewer')
  await giveBob(iam, 'editor', 'viewer')
  await giveGina(iam, 'editor', 'viewer')
})

/** The roles of both users as get, list and the state of now show them. */
const shown = async (process = iam) => {
  const keys = (roles: readonly { readonly roleKey: string }[]) => roles.map((role) => role.roleKey)
  const of = async (ids: typeof bob & { projectOrgId?: string }, within: typeof context) => {
    const { roles } = await good(process.userGrants.get(ids, within))
    const filter = { userId: { equals: ids.userId } }
    const { items } = await good(process.userGrants.list({ filter }, within))
    expect(items.map((item) => item.roles)).toEqual([roles])
    const object = { type: 'user_grant', ...ids } as const
    const past = await good(process.history.stateAt({ object, sequence: 2n ** 63n }, within))
    expect('roles' in past && past.roles).toEqual(roles)
    return keys(roles)
  }
  return { bob: await of(bob, context), gina: await of(gina, inGlobex) }
}

const both = (...keys: readonly string[]) => ({ bob: keys, gina: keys })
const onlyBob = { bob: ['editor', 'viewer'], gina: ['viewer'] }
const noGina = { bob: ['editor', 'viewer'], gina: [] }
const dry = { ...context, dryRun: true } as const

/** What ends the role `editor` of the users, by one event, and what brings the name back. */
const ENDS: readonly {
  readonly what: string
  readonly end: () => Promise<unknown>
  readonly again: () => Promise<unknown>
  readonly left: { readonly bob: readonly string[]; readonly gina: readonly string[] }
}[] = [
  {
    what: 'the removal of the role',
    end: () => removeRole(iam, 'editor'),
    again: async () => {
      await addRole(iam, 'editor')
      await regrantGlobex(iam, 'editor', 'viewer')
    },
    left: both('viewer'),
  },
  {
    what: 'the narrowing of the grant of the project',
    end: () => regrantGlobex(iam, 'viewer'),
    again: () => regrantGlobex(iam, 'viewer', 'editor'),
    left: onlyBob,
  },
  {
    what: 'the removal of the grant of the project',
    end: () => good(iam.projectGrants.remove(toGlobex, context)),
    again: () => grantGlobex(iam, 'editor', 'viewer'),
    left: noGina,
  },
]

describe.each(ENDS)('After $what', ({ end, again, left }) => {
  it('roles end by one event, and do not come back with the name', async () => {
    const { length } = await logOf(world.store)
    await end()
    expect(await logOf(world.store)).toHaveLength(length + 1)
    expect(await shown()).toEqual(left)
    expect(await counting(iam)).toEqual(left)
    await again()
    for (const process of [iam, another(world)]) {
      expect(await shown(process)).toEqual(left)
      expect(await counting(process)).toEqual(left)
    }
  })

  it('an update with the same keys gives them anew', async () => {
    await end()
    await again()
    const update = { ...gina, roles: rolesOf('editor', 'viewer') }
    const lost = ['editor', 'viewer'].filter((key) => !left.gina.includes(key))
    for (const process of [iam, another(world)]) {
      const within = { ...inGlobex, dryRun: true } as const
      const planned = await good(process.userGrants.update(update, within))
      expect(planned.changes).toEqual(lost.map((key) => ({ field: `roles.${key}`, to: 'granted' })))
    }
    const updated = await good(another(world).userGrants.update(update, inGlobex))
    expect(updated).toMatchObject({ changed: true })
    expect((await counting(iam)).gina).toEqual(['editor', 'viewer'])
    expect(await good(iam.userGrants.update(update, inGlobex))).toMatchObject({ changed: false })
  })

  it('addRoles gives anew what it names, and nothing else that ended', async () => {
    await end()
    await again()
    await good(iam.userGrants.addRoles({ ...gina, roles: rolesOf('editor') }, inGlobex))
    expect((await counting(iam)).gina).toEqual([...new Set(['editor', ...left.gina])].toSorted())
  })

  it('removeRoles of an ended role changes nothing', async () => {
    await end()
    for (const process of [iam, another(world)]) {
      const taking = process.userGrants.removeRoles({ ...gina, roleKeys: ['editor'] }, inGlobex)
      expect(await good(taking)).toMatchObject({ changed: false, events: [] })
    }
    expect(await shown()).toEqual(left)
  })

  it('a role that ended cannot be given while its name is away', async () => {
    await end()
    for (const process of [iam, another(world)])
      for (const name of ['update', 'addRoles'] as const) {
        const given = { ...gina, roles: rolesOf('editor') }
        const error = await refusal(process.userGrants[name](given, inGlobex))
        expect(error.kind).toBe('NotFound')
      }
  })
})

describe('A grant of which all roles have ended', () => {
  beforeEach(async () => {
    await good(iam.userGrants.deactivate(bob, context))
    for (const roleKey of ['editor', 'viewer']) await removeRole(iam, roleKey)
  })

  it('stands, without roles', async () => {
    expect(await shown()).toEqual(both())
    const { state } = await good(iam.userGrants.get(bob, context))
    expect(state).toBe('inactive')
  })

  it('is added over, and active again', async () => {
    const before = await good(iam.userGrants.get(bob, context))
    world.clock.advance(60_000)
    const roles = rolesOf('author')
    for (const process of [iam, another(world)]) {
      const planned = await good(process.userGrants.add({ ...bob, roles }, dry))
      expect(planned.changes).toEqual([
        { field: 'state', from: 'inactive', to: 'active' },
        { field: 'roles.author', to: 'granted' },
      ])
    }
    const { details } = await giveBob(iam, 'author')
    expect(details.creationDate).toEqual(before.details.creationDate)
    expect(await good(iam.userGrants.get(bob, context))).toMatchObject({
      roles,
      state: 'active',
      details,
    })
    expect((await counting(iam)).bob).toEqual(['author'])
  })

  it('is left as it is by removeRoles, and removed by remove', async () => {
    const taking = iam.userGrants.removeRoles({ ...bob, roleKeys: ['editor'] }, context)
    expect(await good(taking)).toMatchObject({ changed: false })
    expect(await good(iam.userGrants.remove(bob, context))).toMatchObject({ changed: true })
    expect((await refusal(iam.userGrants.get(bob, context))).kind).toBe('NotFound')
  })

  it('takes roles by addRoles, and stays inactive', async () => {
    await good(iam.userGrants.addRoles({ ...bob, roles: rolesOf('author') }, context))
    expect(await good(iam.userGrants.get(bob, context))).toMatchObject({
      roles: rolesOf('author'),
      state: 'inactive',
    })
  })
})

describe('A role that was added again while another process remembered its end', () => {
  it('counts as it does now', async () => {
    const process = another(world)
    await good(process.userGrants.update({ ...bob, roles: rolesOf('editor', 'author') }, dry))
    await removeRole(iam, 'editor')
    await good(process.userGrants.update({ ...bob, roles: rolesOf('author') }, dry))
    await addRole(iam, 'editor')
    await good(iam.userGrants.addRoles({ ...bob, roles: rolesOf('editor') }, context))
    // What `process` remembers of the role ends before the life that the grant has.
    const adding = process.userGrants.add({ ...bob, roles: rolesOf('author') }, context)
    expect((await refusal(adding)).kind).toBe('AlreadyExists')
    const taking = process.userGrants.removeRoles({ ...bob, roleKeys: ['editor'] }, context)
    expect(await good(taking)).toMatchObject({ changed: true })
    await good(process.userGrants.addRoles({ ...bob, roles: rolesOf('author') }, context))
    expect((await counting(iam)).bob).toEqual(['author', 'viewer'])
  })

  it('is kept by a change of a grant that the process has read since', async () => {
    const process = another(world)
    await good(process.userGrants.update({ ...bob, roles: rolesOf('editor', 'author') }, dry))
    await removeRole(iam, 'editor')
    await good(process.userGrants.update({ ...bob, roles: rolesOf('author') }, dry))
    await addRole(iam, 'editor')
    await good(iam.userGrants.addRoles({ ...bob, roles: rolesOf('editor') }, context))
    await good(process.userGrants.deactivate(bob, dry))
    await good(process.userGrants.addRoles({ ...bob, roles: rolesOf('author') }, context))
    expect((await counting(iam)).bob).toEqual(['author', 'editor', 'viewer'])
  })
})
