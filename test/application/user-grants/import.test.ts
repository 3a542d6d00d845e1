import { beforeEach, describe, expect, it } from 'vitest'
import type { Append } from '../../../src/index.js'
import {
  addRole,
  another,
  bob,
  gina,
  giveBob,
  grantGlobex,
  newWorld,
  portal,
  regrantGlobex,
  removeRole,
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

const row = (userId: string, ...roleKeys: readonly string[]) => ({
  userId,
  ...portal,
  roles: rolesOf(...roleKeys),
})

const importRows = (process: Iam, ...grants: readonly ReturnType<typeof row>[]) =>
  good(process.userGrants.import({ grants }, context))

const absentRole = { type: 'project_role', ...portal, roleKey: 'absent' }
const grantOf = (userId: string) => ({
  type: 'user_grant',
  userId,
  ...portal,
  projectOrgId: 'acme',
})

/** A process that records how many streams each of its appends writes and guards. */
const counted = (): { readonly process: Iam; readonly sizes: number[] } => {
  const sizes: number[] = []
  const store = withAppend(world.store, (append, send) => {
    sizes.push(append.writes.length)
    return send(append)
  })
  return { process: iamOn(store, { now: world.clock }), sizes }
}

const many = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, n) => `${prefix}${n}`)

const addRoles = (keys: readonly string[]) =>
  good(
    iam.projectRoles.import(
      { ...portal, roles: keys.map((roleKey) => ({ roleKey, displayName: roleKey })) },
      context,
    ),
  )

describe('userGrants.import', () => {
  it('adds the rows of a stream in batches, and reports its progress', async () => {
    const { process, sizes } = counted()
    async function* grants() {
      for (const userId of many(2_100, 'user-')) yield row(userId, 'editor')
    }
    const told: unknown[] = []
    const within = { ...context, onProgress: (progress: unknown) => told.push(progress) }
    expect(await good(process.userGrants.import({ grants: grants() }, within))).toEqual({
      done: 2_100,
      added: 2_100,
      unchanged: 0,
      refusedCount: 0,
      refused: [],
    })
    // Beside the grants of users, the project and the role.
    expect(sizes).toEqual([1_001, 1_001, 104])
    expect(told.at(-1)).toEqual({ done: 2_100, added: 2_100, unchanged: 0, refusedCount: 0 })
    const { totalSize } = await good(iam.userGrants.list({}, context))
    expect(totalSize).toBe(2_100)
  })

  it('closes a batch before its grants, roles and projects are too many for an append', async () => {
    const keys = many(1_000, 'role-')
    await addRoles(keys)
    const { process, sizes } = counted()
    const rows = [0, 1, 2, 3, 4].map((n) =>
      row(`user-${n}`, ...keys.slice((n % 5) * 200, (n % 5) * 200 + 200)),
    )
    const wide = row('wide', ...keys.slice(300, 700))
    expect(await importRows(process, ...rows, wide, row('last', 'editor'))).toMatchObject({
      added: 7,
      refusedCount: 0,
    })
    expect(sizes.every((size) => size <= 1_001)).toBe(true)
    expect(sizes.length).toBeGreaterThan(1)
  })

  it('counts the projects of other organizations and their grants among the streams of a batch', async () => {
    const app = { projectId: 'app', roleKey: 'user' }
    await good(iam.projects.add({ id: app.projectId, name: 'App' }, context))
    await good(iam.projectRoles.add({ ...app, displayName: 'User' }, context))
    const { projectId, roleKey } = app
    const toGlobex = { projectId, grantedOrgId: 'globex', roleKeys: [roleKey] }
    await good(iam.projectGrants.add(toGlobex, context))
    await grantGlobex(iam, 'editor')
    const { process, sizes } = counted()
    const grants = many(1_100, 'user-').map((userId, n) => ({
      ...(n % 2 === 0 ? row(userId, 'editor') : { ...row(userId, roleKey), projectId }),
      projectOrgId: 'acme',
    }))
    expect(await good(process.userGrants.import({ grants }, inGlobex))).toMatchObject({
      added: 1_100,
    })
    // Beside the grants of users: two projects, their grants to the organization, and two roles.
    expect(sizes).toEqual([1_001, 1_100 - 995 + 6])
  })

  it('reports no progress of an import without rows', async () => {
    const told: unknown[] = []
    const within = { ...context, onProgress: (progress: unknown) => told.push(progress) }
    expect(await good(iam.userGrants.import({ grants: [] }, within))).toEqual({
      done: 0,
      added: 0,
      unchanged: 0,
      refusedCount: 0,
      refused: [],
    })
    expect(told).toEqual([])
  })

  it('adds over grants whose roles have ended, however many those are', async () => {
    const keys = many(1_200, 'role-')
    await addRoles(keys)
    const users = [0, 1, 2].map((n) => row(`user-${n}`, ...keys.slice(n * 400, n * 400 + 400)))
    await importRows(iam, ...users)
    for (const key of keys) await removeRole(iam, key)
    for (const process of [counted(), counted()]) {
      const grants = users.map(({ userId }) => row(userId, 'editor'))
      expect(await importRows(process.process, ...grants)).toMatchObject({ refusedCount: 0 })
      expect(process.sizes.every((size) => size <= 1_001)).toBe(true)
    }
    const { items } = await good(iam.userGrants.list({}, context))
    expect(items.map(({ roles }) => roles)).toEqual(Array(3).fill(rolesOf('editor')))
  })

  it('skips rows that are equal in any order, and refuses those that differ', async () => {
    const expiresAt = new Date(world.clock().getTime() + 1)
    const held = [{ roleKey: 'editor', expiresAt }, { roleKey: 'viewer' }]
    await good(iam.userGrants.add({ ...bob, roles: held }, context))
    world.clock.advance(60_000)
    const head = await world.store.lastPosition()
    for (const process of [iam, another(world)]) {
      const grants = [
        { ...bob, roles: held.toReversed() },
        row('bob', 'editor', 'viewer'),
        row('bob', 'viewer'),
        { ...bob, roles: [{ roleKey: 'editor', expiresAt }, { roleKey: 'author' }] },
      ]
      const report = await good(process.userGrants.import({ grants }, context))
      expect(report).toMatchObject({ added: 0, unchanged: 1, refusedCount: 3 })
      const error = { kind: 'AlreadyExists', object: grantOf('bob') }
      expect(report.refused).toEqual([1, 2, 3].map((index) => ({ index, error })))
    }
    expect(await world.store.lastPosition()).toBe(head)
  })

  it('names the organization of the project in a refusal, also when the row has none', async () => {
    await giveBob(iam, 'editor')
    const bare = { ...row('bob', 'viewer'), projectOrgId: undefined }
    const { refused } = await importRows(iam, bare)
    expect(refused).toEqual([
      { index: 0, error: { kind: 'AlreadyExists', object: grantOf('bob') } },
    ])
  })

  it('reports malformed rows, roles and projects that are not there, and ends in the past', async () => {
    const past = { roleKey: 'editor', expiresAt: world.clock() }
    const grants = [
      row('good', 'editor'),
      row('', 'editor'),
      row('u1', 'editor', 'absent'),
      { ...row('u2', 'editor'), projectId: 'absent' },
      { ...row('u3', 'editor'), projectOrgId: 'globex' },
      { ...row('u4'), roles: [{ roleKey: 'viewer' }, past] },
      row('also good', 'viewer'),
    ]
    const report = await good(iam.userGrants.import({ grants }, context))
    expect(report).toMatchObject({ done: 7, added: 2, unchanged: 0, refusedCount: 5 })
    expect(report.refused).toEqual([
      {
        index: 1,
        error: {
          kind: 'InvalidArgument',
          violations: [{ field: 'userId', description: 'must not be empty' }],
        },
      },
      { index: 2, error: { kind: 'NotFound', object: absentRole } },
      { index: 3, error: { kind: 'NotFound', object: { type: 'project', id: 'absent' } } },
      { index: 4, error: { kind: 'NotFound', object: { type: 'project', id: 'portal' } } },
      {
        index: 5,
        error: {
          kind: 'InvalidArgument',
          violations: [{ field: 'roles[1].expiresAt', description: 'must be in the future' }],
        },
      },
    ])
  })

  it('takes a row of a grant after one that was refused by itself', async () => {
    const report = await importRows(
      iam,
      row('bob', 'absent'),
      row('bob', 'absent'),
      row('bob', 'editor'),
      row('bob', 'editor'),
      row('bob', 'viewer'),
    )
    expect(report).toMatchObject({ added: 1, unchanged: 1, refusedCount: 3 })
    expect(report.refused.map(({ index, error }) => [index, error.kind])).toEqual([
      [0, 'NotFound'],
      [1, 'NotFound'],
      [4, 'AlreadyExists'],
    ])
    expect((await good(iam.userGrants.get(bob, context))).roles).toEqual(rolesOf('editor'))
  })

  it('compares rows with a grant that stands, not with each other', async () => {
    await giveBob(iam, 'editor')
    const report = await importRows(
      iam,
      row('bob', 'viewer'),
      row('bob', 'viewer'),
      row('bob', 'editor'),
    )
    expect(report).toMatchObject({ added: 0, unchanged: 1, refusedCount: 2 })
  })

  it('never skips a row because of a grant that another process has removed', async () => {
    await giveBob(iam, 'editor')
    await good(another(world).userGrants.remove(bob, context))
    expect(await importRows(iam, row('bob', 'editor'), row('new', 'editor'))).toMatchObject({
      added: 2,
      unchanged: 0,
    })
    await removeRole(another(world), 'editor')
    await addRole(another(world), 'editor')
    expect(await importRows(iam, row('bob', 'editor'), row('newer', 'viewer'))).toMatchObject({
      added: 2,
      unchanged: 0,
    })
  })

  it('goes on where it was interrupted when it is run again', async () => {
    const users = many(1_500, 'user-')
    async function* torn() {
      for (const userId of users.slice(0, 1_200)) yield row(userId, 'editor')
      throw new Error('the file is torn')
    }
    expect(await refusal(iam.userGrants.import({ grants: torn() }, context))).toMatchObject({
      kind: 'SourceFailed',
      index: 1_200,
    })
    const all = users.map((userId) => row(userId, 'editor'))
    expect(await importRows(another(world), ...all)).toMatchObject({ added: 300, unchanged: 1_200 })
    const head = await world.store.lastPosition()
    expect(await importRows(another(world), ...all)).toMatchObject({ added: 0, unchanged: 1_500 })
    expect(await world.store.lastPosition()).toBe(head)
  })

  it('is decided anew when a role is removed, or a grant added, in the middle', async () => {
    let isRaced = false
    const process = iamOn(
      withAppend(world.store, async (append: Append, send) => {
        if (!isRaced) {
          isRaced = true
          await removeRole(iam, 'editor')
          await giveBob(iam, 'viewer')
        }
        return send(append)
      }),
      { now: world.clock },
    )
    const report = await importRows(
      process,
      row('u1', 'editor'),
      row('bob', 'viewer'),
      row('u2', 'viewer'),
    )
    expect(report).toMatchObject({ added: 1, unchanged: 1, refusedCount: 1 })
    expect(report.refused).toMatchObject([{ index: 0, error: { kind: 'NotFound' } }])
    const given = (await logOf(world.store)).filter(({ type }) => type === 'user_grant.added')
    expect(given.map(({ data }) => Reflect.get(data, 'userId'))).toEqual(['bob', 'u2'])
  })

  it('is decided on one state of each grant when others changed one that was seen before', async () => {
    await giveBob(another(world), 'editor')
    await good(iam.userGrants.deactivate(bob, context))
    await good(another(world).userGrants.reactivate(bob, context))
    await removeRole(another(world), 'editor')
    expect(await importRows(iam, row('bob', 'viewer'))).toMatchObject({ added: 1 })
  })

  it('is decided on one state of each role when others changed one that was seen before', async () => {
    await giveBob(iam, 'viewer')
    await good(iam.userGrants.add({ ...bob, userId: 'carol', roles: rolesOf('editor') }, context))
    for (const userId of ['bob', 'carol'])
      await good(iam.userGrants.deactivate({ ...bob, userId }, context))
    await removeRole(another(world), 'editor')
    const viewer = { ...portal, roleKey: 'viewer', displayName: 'Changed', group: '' }
    await good(another(world).projectRoles.update(viewer, context))
    const report = await importRows(
      iam,
      row('u1', 'viewer'),
      row('bob', 'viewer'),
      row('carol', 'viewer'),
    )
    expect(report).toMatchObject({ added: 2, unchanged: 1 })
  })

  it('gives the granted roles of another organization, in their current generations', async () => {
    await grantGlobex(iam, 'editor', 'viewer')
    const grants = (roleKey: string) => ({ grants: [{ ...gina, roles: rolesOf(roleKey) }] })
    const give = (roleKey: string) => good(iam.userGrants.import(grants(roleKey), inGlobex))
    expect(await give('author')).toMatchObject({ added: 0, refusedCount: 1 })
    expect(await give('editor')).toMatchObject({ added: 1 })
    expect(await give('editor')).toMatchObject({ unchanged: 1 })
    await regrantGlobex(iam, 'viewer')
    expect(await give('editor')).toMatchObject({ refused: [{ error: { kind: 'NotFound' } }] })
    await regrantGlobex(iam, 'viewer', 'editor')
    expect(await give('editor')).toMatchObject({ added: 1 })
  })
})
