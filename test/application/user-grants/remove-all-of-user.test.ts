import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { openSqlite } from '../../../src/adapters/sqlite/index.js'
import { memoryReadModel, verify } from '../../../src/index.js'
import { temporaryFile } from '../../adapters/sqlite/temporary-file.js'
import {
  another,
  bob,
  gina,
  giveBob,
  giveGina,
  grantGlobex,
  newWorld,
  rolesOf,
  type World,
} from '../access/grants-world.js'
import { context, good, type Iam, iamOn, inGlobex, logOf, refusal, withAppend } from '../host.js'

let world: World
let iam: Iam

beforeEach(async () => {
  world = await newWorld()
  iam = world.iam
})

const user = { userId: 'bob' }

/** Gives the user `bob` one role of each of `count` projects. */
const giveMany = async (count: number): Promise<void> => {
  const ids = Array.from({ length: count }, (_, n) => `p${n}`)
  await Promise.all(ids.map((id) => good(iam.projects.add({ id, name: id }, context))))
  const role = { roleKey: 'r', displayName: 'R' }
  await Promise.all(
    ids.map((projectId) => good(iam.projectRoles.add({ projectId, ...role }, context))),
  )
  const grants = ids.map((projectId) => ({ ...user, projectId, roles: rolesOf('r') }))
  await good(iam.userGrants.import({ grants }, context))
}

/** Numbers of grants that each append of removeAllOfUser removes. */
const removals = async (): Promise<readonly number[]> => {
  const removed = (await logOf(world.store)).filter(({ type }) => type === 'user_grant.removed')
  const appends = Map.groupBy(removed, ({ appendId }) => appendId)
  return [...appends.values()].map((events) => events.length)
}

const heldBy = async (userId: string) => {
  const filter = { userId: { equals: userId } }
  return (await good(iam.userGrants.list({ filter }, context))).totalSize
}

/** A process where somebody does `meanwhile` right before its first append. */
const raced = (meanwhile: () => Promise<unknown>): Iam => {
  let races = 0
  const store = withAppend(world.store, async (append, send) => {
    if (races++ === 0) await meanwhile()
    return send(append)
  })
  return iamOn(store, { now: world.clock })
}

describe('userGrants.removeAllOfUser', () => {
  it.each([
    [0, []],
    [1, [1]],
    [400, [400]],
    [401, [400, 1]],
    [900, [400, 400, 100]],
  ])('removes %s grants, at most 400 in one append', async (count, appends) => {
    await giveMany(count)
    await good(iam.userGrants.add({ ...bob, userId: 'Bob', roles: rolesOf('editor') }, context))
    const head = await world.store.lastPosition()
    const { removed, sequence } = await good(iam.userGrants.removeAllOfUser(user, context))
    const projects = Array.from({ length: count }, (_, n) => `p${n}`)
    expect(removed.map(({ projectId }) => projectId).toSorted()).toEqual(projects.toSorted())
    for (const ids of removed) expect(ids).toMatchObject({ userId: 'bob', projectOrgId: 'acme' })
    expect(sequence).toBe(count === 0 ? head : await world.store.lastPosition())
    expect(await removals()).toEqual(appends)
    expect(await heldBy('bob')).toBe(0)
    expect(await heldBy('Bob')).toBe(1)
  })

  it('removes grants without a current role, inactive grants, and grants of projects of others', async () => {
    await grantGlobex(iam, 'editor')
    await giveGina(iam, 'editor')
    await good(iam.userGrants.deactivate(gina, inGlobex))
    await good(iam.projects.add({ id: 'own', name: 'Own' }, inGlobex))
    const role = { projectId: 'own', roleKey: 'r', displayName: 'R' }
    await good(iam.projectRoles.add(role, inGlobex))
    const own = { userId: 'gina', projectId: 'own' }
    await good(iam.userGrants.add({ ...own, roles: rolesOf('r') }, inGlobex))
    await good(iam.projectRoles.remove({ projectId: 'own', roleKey: 'r' }, inGlobex))
    const { removed } = await good(iam.userGrants.removeAllOfUser({ userId: 'gina' }, inGlobex))
    expect(removed).toEqual([gina, { ...own, projectOrgId: 'globex' }])
    expect(await refusal(iam.userGrants.get(gina, inGlobex))).toMatchObject({ kind: 'NotFound' })
  })

  it('leaves the grants of a user of the same name in another organization', async () => {
    await grantGlobex(iam, 'editor')
    await giveBob(iam, 'editor')
    await good(iam.userGrants.add({ ...gina, userId: 'bob', roles: rolesOf('editor') }, inGlobex))
    await good(iam.userGrants.removeAllOfUser(user, context))
    const left = await good(iam.userGrants.get({ ...gina, userId: 'bob' }, inGlobex))
    expect(left.roles).toEqual(rolesOf('editor'))
  })

  it('leaves out grants that ended with their project', async () => {
    await giveMany(2)
    await good(iam.projects.remove({ id: 'p0' }, context))
    const { removed } = await good(iam.userGrants.removeAllOfUser(user, context))
    expect(removed).toEqual([{ ...user, projectId: 'p1', projectOrgId: 'acme' }])
  })

  it('removes a grant that is added meanwhile', async () => {
    await giveMany(1)
    const process = raced(() => giveBob(another(world), 'editor'))
    const { removed, sequence } = await good(process.userGrants.removeAllOfUser(user, context))
    expect(removed.map(({ projectId }) => projectId)).toEqual(['p0', 'portal'])
    expect(sequence).toBe(await world.store.lastPosition())
    expect(await heldBy('bob')).toBe(0)
  })

  it('removes the others when a project is removed meanwhile, and nothing of that project', async () => {
    await giveMany(2)
    const process = raced(() => good(another(world).projects.remove({ id: 'p0' }, context)))
    await good(process.userGrants.removeAllOfUser(user, context))
    expect(await heldBy('bob')).toBe(0)
    expect((await good(another(world).userGrants.list({}, context))).items).toEqual([])
    expect((await verify(world.store)).isOk()).toBe(true)
    const object = { type: 'user_grant', ...user, projectId: 'p0' } as const
    const history = await good(another(world).history.list({ object }, context))
    // The grant ended with its project.
    expect(history.items.map(({ type }) => type)).toEqual(['user_grant.added', 'project.removed'])
    expect(await good(iam.history.list({ object }, context))).toEqual(history)
  })

  it('records nothing of a provider that is removed meanwhile', async () => {
    const provider = { idpId: 'google', name: 'Google', clientId: 'c', clientSecret: 's' }
    const issuer = 'https://accounts.test'
    await good(iam.identityProviders.addOidc({ ...provider, issuer }, context))
    const group = { idpId: 'google', group: 'staff' }
    await good(
      iam.roleMappings.add({ ...group, projectId: 'portal', roleKeys: ['editor'] }, context),
    )
    await good(iam.memberships.report({ ...user, idpId: 'google', groups: ['staff'] }, context))
    const process = raced(() =>
      good(another(world).identityProviders.remove({ idpId: 'google' }, context)),
    )
    const answer = await good(process.userGrants.removeAllOfUser(user, context))
    expect(answer).toMatchObject({ removed: [], memberships: [] })
    const types = (await logOf(world.store)).map(({ type }) => type)
    expect(types).not.toContain('membership.removed')
  })

  it('removes a grant that was changed meanwhile, and does not return one that was removed', async () => {
    await giveMany(1)
    await giveBob(iam, 'editor')
    const process = raced(async () => {
      const other = another(world)
      await good(other.userGrants.addRoles({ ...bob, roles: rolesOf('viewer') }, context))
      await good(other.userGrants.remove({ ...user, projectId: 'p0' }, context))
    })
    const { removed } = await good(process.userGrants.removeAllOfUser(user, context))
    expect(removed).toEqual([{ ...bob, projectOrgId: 'acme' }])
    expect(await heldBy('bob')).toBe(0)
  })

  it('goes on for as long as each append removes 400, and ends once none is left', async () => {
    await giveMany(401)
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const store = withAppend(world.store, (append, send) => {
      vi.advanceTimersByTime(20_000)
      return send(append)
    })
    const process = iamOn(store, { now: world.clock })
    const { removed } = await good(process.userGrants.removeAllOfUser(user, context))
    expect(removed).toHaveLength(401)
    expect(await removals()).toEqual([400, 1])
  })

  it('is aborted when its append always loses the race', async () => {
    await giveBob(iam, 'editor')
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const { deactivate, reactivate } = iam.userGrants
    let races = 0
    const store = withAppend(world.store, async (append, send) => {
      vi.advanceTimersByTime(20_000)
      await good(races++ % 2 === 0 ? deactivate(bob, context) : reactivate(bob, context))
      return send(append)
    })
    const process = iamOn(store, { now: world.clock })
    expect(await refusal(process.userGrants.removeAllOfUser(user, context))).toMatchObject({
      kind: 'Aborted',
    })
    expect(await heldBy('bob')).toBe(1)
  })

  it('finds the grants of now, also in a context of eventual reads', async () => {
    await giveBob(iam, 'editor')
    const process = iamOn(world.store, { now: world.clock })
    const eventual = { ...context, consistency: 'eventual' } as const
    expect(await good(process.userGrants.removeAllOfUser(user, eventual))).toMatchObject({
      removed: [{ projectId: 'portal' }],
    })
  })

  it('gives up after ten seconds when it always finds another one', async () => {
    await giveBob(iam, 'editor')
    const page = await good(iam.userGrants.list({}, context))
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const readModel = memoryReadModel()
    // It shows a grant that nobody can remove, since it is not there.
    const list = async ({ type }: { type: string }) => {
      if (type !== 'user_grant') return { ...page, items: [] }
      vi.advanceTimersByTime(1_000)
      return { ...page, hasMore: false }
    }
    const process = iamOn(world.store, { readModel: { ...readModel, list: list as never } })
    await good(iam.userGrants.remove(bob, context))
    const error = await refusal(process.userGrants.removeAllOfUser(user, context))
    expect(error).toMatchObject({ kind: 'Aborted' })
    expect(error).toHaveProperty('attempts', 9)
  })

  it('ends with the signal, and keeps what was removed by then', async () => {
    await giveMany(401)
    const controller = new AbortController()
    const process = raced(async () => controller.abort())
    const within = { ...context, signal: controller.signal }
    expect(await refusal(process.userGrants.removeAllOfUser(user, within))).toEqual({
      kind: 'Cancelled',
    })
    expect(await removals()).toEqual([400])
    await good(iam.userGrants.removeAllOfUser(user, context))
    expect(await removals()).toEqual([400, 1])
  })

  it('does so in an SQLite file as well', async () => {
    const opened = openSqlite(temporaryFile())
    onTestFinished(() => opened.close())
    iam = iamOn(opened.store, opened)
    await giveMany(401)
    const { removed, sequence } = await good(iam.userGrants.removeAllOfUser(user, context))
    expect(removed).toHaveLength(401)
    expect(sequence).toBe(await opened.store.lastPosition())
    expect(await heldBy('bob')).toBe(0)
    expect((await good(iam.access.rolesOf(user, context))).items).toEqual([])
  })

  it('counts as never given what it removed: the same grant can be added again', async () => {
    await giveBob(iam, 'editor')
    await good(iam.userGrants.removeAllOfUser(user, context))
    expect(await giveBob(iam, 'editor')).toMatchObject({ changed: true })
  })
})
