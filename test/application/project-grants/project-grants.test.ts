import { beforeEach, describe, expect, it } from 'vitest'
import {
  addRole,
  another,
  giveGina,
  grantGlobex,
  newWorld,
  portal,
  regrantGlobex,
  removeRole,
  toGlobex,
  type World,
} from '../access/grants-world.js'
import {
  badFields,
  context,
  detailsAt,
  good,
  type Iam,
  inGlobex,
  logOf,
  positionAt,
  refusal,
} from '../host.js'

let world: World
let iam: Iam

beforeEach(async () => {
  world = await newWorld()
  iam = world.iam
})

const object = { type: 'project_grant', ...toGlobex }
const notFound = { kind: 'NotFound', object }
const noProject = { kind: 'NotFound', object: { type: 'project', id: 'portal' } }

const later = (): Date => {
  world.clock.advance(60_000)
  return world.clock()
}

const get = () => good(iam.projectGrants.get(toGlobex, context))
const shownKeys = async () => (await get()).roleKeys
const dry = { ...context, dryRun: true } as const

describe('projectGrants.add', () => {
  it('returns ids, details and the event, which records the generations of the roles', async () => {
    await removeRole(iam, 'viewer')
    await addRole(iam, 'viewer')
    const created = later()
    const added = await grantGlobex(iam, 'viewer', 'editor')
    const roles = [
      { roleKey: 'viewer', roleSince: 3 },
      { roleKey: 'editor', roleSince: 1 },
    ]
    expect(added).toMatchObject({
      ...toGlobex,
      changed: true,
      details: detailsAt(created, created, positionAt(created)),
      events: [{ type: 'project_grant.added', data: { ...toGlobex, roles } }],
    })
    expect(await get()).toEqual({
      ...toGlobex,
      projectOrgId: 'acme',
      roleKeys: ['viewer', 'editor'],
      state: 'active',
      details: added.details,
    })
  })

  it('refuses the organization that owns the project', async () => {
    const own = { ...toGlobex, grantedOrgId: 'acme', roleKeys: ['editor'] }
    const description = 'must not be the organization that owns the project'
    for (const name of ['add', 'update'] as const)
      expect(await refusal(iam.projectGrants[name](own, context))).toEqual({
        kind: 'InvalidArgument',
        violations: [{ field: 'grantedOrgId', description }],
      })
  })

  it('refuses a second grant to an organization, also by another process', async () => {
    await grantGlobex(iam, 'editor')
    const head = await world.store.lastPosition()
    for (const process of [iam, another(world)]) {
      const call = process.projectGrants.add({ ...toGlobex, roleKeys: ['viewer'] }, context)
      expect(await refusal(call)).toEqual({ kind: 'AlreadyExists', object })
    }
    expect(await world.store.lastPosition()).toBe(head)
  })

  it('refuses a project that is not there, before its roles, and a role that is not there', async () => {
    const given = { ...toGlobex, roleKeys: ['editor', 'absent', 'gone'] }
    expect(await refusal(iam.projectGrants.add({ ...given, projectId: 'no' }, context))).toEqual({
      kind: 'NotFound',
      object: { type: 'project', id: 'no' },
    })
    expect(await refusal(iam.projectGrants.add(given, context))).toEqual({
      kind: 'NotFound',
      object: { type: 'project_role', ...portal, roleKey: 'absent' },
    })
    await removeRole(iam, 'editor')
    expect(await refusal(iam.projectGrants.add(given, context))).toMatchObject({
      object: { roleKey: 'editor' },
    })
    await good(iam.projects.remove({ id: 'portal' }, context))
    expect(await refusal(iam.projectGrants.add(given, context))).toEqual(noProject)
  })

  it('takes 400 roles, and all of them again beside 400 others', async () => {
    const keys = Array.from({ length: 800 }, (_, n) => `r${n}`)
    const roles = keys.map((roleKey) => ({ roleKey, displayName: roleKey }))
    await good(iam.projectRoles.addMany({ ...portal, roles }, context))
    await grantGlobex(iam, ...keys.slice(0, 400))
    await regrantGlobex(another(world), ...keys.slice(400))
    expect(await shownKeys()).toEqual(keys.slice(400))
    await good(
      iam.userGrants.add(
        {
          userId: 'gina',
          ...portal,
          projectOrgId: 'acme',
          roles: keys.slice(400).map((roleKey) => ({ roleKey })),
        },
        inGlobex,
      ),
    )
  })

  it('brings an inactive grant back as an active one once its roles have ended', async () => {
    const created = later()
    await grantGlobex(iam, 'editor')
    await good(iam.projectGrants.deactivate(toGlobex, context))
    await removeRole(iam, 'editor')
    const changed = later()
    const added = await grantGlobex(iam, 'viewer')
    expect(await get()).toMatchObject({ state: 'active', roleKeys: ['viewer'] })
    // The same grant goes on.
    expect(added.details).toMatchObject({ creationDate: created, changeDate: changed })
    expect((await get()).details).toEqual(added.details)
  })
})

describe('projectGrants.update', () => {
  it('replaces the roles; the same ones in another order change nothing', async () => {
    await grantGlobex(iam, 'editor', 'viewer')
    expect(await regrantGlobex(iam, 'viewer', 'editor')).toMatchObject({ changed: false })
    expect(await regrantGlobex(iam, 'viewer', 'author')).toMatchObject({ changed: true })
    expect(await shownKeys()).toEqual(['viewer', 'author'])
  })

  it('of a grant that is not there is refused', async () => {
    const call = iam.projectGrants.update({ ...toGlobex, roleKeys: ['editor'] }, context)
    expect(await refusal(call)).toEqual(notFound)
  })

  it('keeps an inactive grant inactive', async () => {
    await grantGlobex(iam, 'editor')
    await good(iam.projectGrants.deactivate(toGlobex, context))
    await regrantGlobex(iam, 'viewer')
    expect((await get()).state).toBe('inactive')
  })
})

describe('A role of a grant that ended', () => {
  beforeEach(async () => {
    await grantGlobex(iam, 'editor', 'viewer')
    await removeRole(iam, 'editor')
  })

  it('counts as never granted in get, list and listReceived, and so it does when it is added again', async () => {
    for (const _ of ['removed', 'added again']) {
      expect(await shownKeys()).toEqual(['viewer'])
      const filter = { roleKey: { equals: 'editor' } }
      for (const page of [
        await good(iam.projectGrants.list({ ...portal, filter }, context)),
        await good(iam.projectGrants.listReceived({ filter }, inGlobex)),
      ])
        expect(page).toMatchObject({ items: [], totalSize: 0 })
      const { items } = await good(iam.projectGrants.listReceived({}, inGlobex))
      expect(items).toMatchObject([{ roleKeys: ['viewer'], details: { resourceOwner: 'acme' } }])
      await iam.projectRoles.add({ ...portal, roleKey: 'editor', displayName: 'again' }, context)
    }
  })

  it('is given anew by an update with the same keys', async () => {
    await addRole(iam, 'editor')
    for (const process of [iam, another(world)]) {
      const planned = await good(
        process.projectGrants.update({ ...toGlobex, roleKeys: ['editor', 'viewer'] }, dry),
      )
      expect(planned).toMatchObject({
        changed: true,
        changes: [{ field: 'roles.editor', to: 'granted' }],
      })
    }
    expect(await regrantGlobex(iam, 'editor', 'viewer')).toMatchObject({ changed: true })
    expect(await shownKeys()).toEqual(['editor', 'viewer'])
    expect(await regrantGlobex(iam, 'editor', 'viewer')).toMatchObject({ changed: false })
  })

  it('leaves an update with the current keys nothing to change', async () => {
    expect(await regrantGlobex(iam, 'viewer')).toMatchObject({ changed: false, events: [] })
  })

  it('leaves a grant without roles when it was the last, which stands and can be added over', async () => {
    await removeRole(iam, 'viewer')
    expect(await get()).toMatchObject({ roleKeys: [], state: 'active' })
    const { items } = await good(iam.projectGrants.list(portal, context))
    expect(items).toMatchObject([{ roleKeys: [] }])
    const planned = await good(iam.projectGrants.add({ ...toGlobex, roleKeys: ['author'] }, dry))
    expect(planned.changes).toEqual([{ field: 'roles.author', to: 'granted' }])
    await grantGlobex(iam, 'author')
    expect(await shownKeys()).toEqual(['author'])
  })

  it('does not move the sequence of the grant, which another change may expect', async () => {
    const { details } = await get()
    await removeRole(iam, 'viewer')
    expect((await get()).details).toEqual(details)
    const within = { ...context, expectedSequence: details.sequence }
    await good(iam.projectGrants.deactivate(toGlobex, within))
  })
})

describe('A grant of a project', () => {
  it('is removed, and can be added again', async () => {
    await grantGlobex(iam, 'editor')
    await good(iam.projectGrants.remove(toGlobex, context))
    expect(await refusal(iam.projectGrants.get(toGlobex, context))).toEqual(notFound)
    expect(await refusal(iam.projectGrants.remove(toGlobex, context))).toEqual(notFound)
    expect((await good(iam.projectGrants.listReceived({}, inGlobex))).items).toEqual([])
    const created = later()
    const { details } = await grantGlobex(iam, 'editor')
    expect(details.creationDate).toEqual(created)
  })

  it('ends with its project: not found, unlisted, and every change of it refused', async () => {
    await grantGlobex(iam, 'editor')
    const { length } = await logOf(world.store)
    await good(iam.projects.remove({ id: 'portal' }, context))
    // One event ends all that hangs on the project.
    expect(await logOf(world.store)).toHaveLength(length + 1)
    expect(await refusal(iam.projectGrants.get(toGlobex, context))).toEqual(notFound)
    expect(await refusal(iam.projectGrants.list(portal, context))).toEqual(noProject)
    expect((await good(iam.projectGrants.listReceived({}, inGlobex))).items).toEqual([])
    for (const name of ['deactivate', 'reactivate', 'remove'] as const)
      expect((await refusal(iam.projectGrants[name](toGlobex, context))).kind).toBe('NotFound')
  })

  it('is deactivated and reactivated once', async () => {
    await grantGlobex(iam, 'editor')
    const { deactivate, reactivate } = iam.projectGrants
    expect(await good(reactivate(toGlobex, context))).toMatchObject({ changed: false })
    expect(await good(deactivate(toGlobex, context))).toMatchObject({ changed: true })
    expect(await good(deactivate(toGlobex, context))).toMatchObject({ changed: false })
    expect(await get()).toMatchObject({ state: 'inactive', roleKeys: ['editor'] })
    const filter = { state: 'inactive' } as const
    expect((await good(iam.projectGrants.list({ ...portal, filter }, context))).totalSize).toBe(1)
    expect(await good(reactivate(toGlobex, context))).toMatchObject({ changed: true })
  })

  it('belongs to the owner: the organization that has it can neither read nor change it', async () => {
    await grantGlobex(iam, 'editor')
    await giveGina(iam, 'editor')
    expect(await refusal(iam.projectGrants.get(toGlobex, inGlobex))).toEqual(notFound)
    for (const name of ['deactivate', 'remove'] as const)
      expect((await refusal(iam.projectGrants[name](toGlobex, inGlobex))).kind).toBe('NotFound')
    expect(await refusal(iam.projectGrants.list(portal, inGlobex))).toEqual({
      ...noProject,
      grantedBy: 'acme',
    })
    expect((await good(iam.projectGrants.listReceived({}, context))).items).toEqual([])
  })

  it('lists page by page what was received from several owners', async () => {
    await good(iam.projects.add({ id: 'shop', name: 'Shop' }, context))
    const role = { projectId: 'shop', roleKey: 'seller', displayName: 'Seller' }
    await good(iam.projectRoles.add(role, context))
    const shop = { projectId: 'shop', grantedOrgId: 'globex', roleKeys: ['seller'] }
    await good(iam.projectGrants.add(shop, context))
    await grantGlobex(iam, 'editor')
    const first = await good(iam.projectGrants.listReceived({ pageSize: 1 }, inGlobex))
    expect(first).toMatchObject({ items: [{ projectId: 'portal' }], totalSize: 2 })
    const pageToken = first.nextPageToken
    const second = await good(iam.projectGrants.listReceived({ pageSize: 1, pageToken }, inGlobex))
    expect(second.items).toMatchObject([{ projectId: 'shop', roleKeys: ['seller'] }])
    expect(second).not.toHaveProperty('nextPageToken')
    const elsewhere = iam.projectGrants.list({ ...portal, pageSize: 1, pageToken }, context)
    expect(await badFields(elsewhere)).toEqual(['pageToken'])
  })

  it('is found among those that were received by project and owner', async () => {
    await grantGlobex(iam, 'editor')
    const found = async (filter: object) =>
      (await good(iam.projectGrants.listReceived({ filter }, inGlobex))).totalSize
    expect(await found({ projectId: { equals: 'portal' } })).toBe(1)
    expect(await found({ projectId: { equals: 'shop' } })).toBe(0)
    expect(await found({ projectOrgId: { startsWith: 'ac' } })).toBe(1)
    expect(await found({ projectOrgId: { equals: 'globex' } })).toBe(0)
  })
})

describe('projectGrants.getReceived', () => {
  const received = { ...portal, projectOrgId: 'acme' }
  const read = () => good(iam.projectGrants.getReceived(received, inGlobex))

  it('names the project and the roles that were granted, and no others', async () => {
    await addRole(iam, 'auditor')
    await grantGlobex(iam, 'editor', 'viewer')
    const { displayName, group, permissions } = await good(
      iam.projectRoles.get({ ...portal, roleKey: 'editor' }, context),
    )
    const shown = await read()
    expect(shown).toMatchObject({ ...received, state: 'active' })
    expect(shown.name).toBe((await good(iam.projects.get({ id: 'portal' }, context))).name)
    expect(shown.roles.map(({ roleKey }) => roleKey)).toEqual(['editor', 'viewer'])
    expect(shown.roles[0]).toEqual({ roleKey: 'editor', displayName, group, permissions })
  })

  it('leaves out a role that ended, and is inactive with the grant or the project', async () => {
    await grantGlobex(iam, 'editor', 'viewer')
    await removeRole(iam, 'viewer')
    await addRole(iam, 'viewer')
    expect((await read()).roles.map(({ roleKey }) => roleKey)).toEqual(['editor'])
    await good(iam.projectGrants.deactivate(toGlobex, context))
    expect((await read()).state).toBe('inactive')
    await good(iam.projectGrants.reactivate(toGlobex, context))
    await good(iam.projects.deactivate({ id: 'portal' }, context))
    expect((await read()).state).toBe('inactive')
  })

  it('finds nothing for an organization without a grant', async () => {
    const missing = iam.projectGrants.getReceived(received, inGlobex)
    expect(await refusal(missing)).toEqual(notFound)
  })
})
