import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { InTransaction } from '../../../../src/index.js'
import { firstOf } from '../../../../src/laws/event-store/harness.js'
import { context, good, type Iam, iamOn } from '../../../application/host.js'
import { PROJECT_DEFAULTS } from '../../../defaults.js'
import { type Database, pgliteDatabase, sqliteDatabase } from './shown.js'

const DATABASES = [
  ['SQLite', sqliteDatabase],
  ['PostgreSQL', pgliteDatabase],
] as const

const VIEWS = ['role_holder', 'permission_holder'] as const

describe.each(DATABASES)('The views of %s', (_, create) => {
  let database: Database

  beforeEach(async () => {
    database = await create()
  })
  afterEach(() => database.end())

  const iamWith = async (views: boolean): Promise<Iam> => {
    const { store, readModel } = await database.open({ views })
    return iamOn(store, { readModel, authorize: () => true })
  }

  const addProject = async (iam: Iam) => {
    const role = { projectId: 'portal', roleKey: 'editor', displayName: 'Editor' }
    await good(iam.projects.add({ id: 'portal', name: 'Portal' }, context))
    await good(iam.projectRoles.add({ ...role, permissions: ['read', 'write'] }, context))
  }

  const give = (iam: Iam, userId: string, inTransaction?: InTransaction) => {
    const grant = { userId, projectId: 'portal', roles: [{ roleKey: 'editor' }] }
    return iam.userGrants.add(grant, { ...context, ...(inTransaction && { inTransaction }) })
  }

  const holders = async () => (await database.shown('role_holder')).map(({ user_id }) => user_id)

  const counts = () => Promise.all(VIEWS.map(async (view) => (await database.shown(view)).length))

  test('have the columns that were promised, in their order', async () => {
    const iam = await iamWith(true)
    await addProject(iam)
    await good(give(iam, 'bob'))
    const [role] = await database.shown('role_holder')
    expect(Object.entries(role ?? {})).toEqual([
      ['org_id', 'acme'],
      ['user_id', 'bob'],
      ['project_org_id', 'acme'],
      ['project_id', 'portal'],
      ['resource', null],
      ['role_key', 'editor'],
      ['via_idp_id', null],
      ['via_group', null],
      ['expires_at', null],
    ])
    const permissions = await database.shown('permission_holder')
    expect(permissions.map(({ permission }) => permission).toSorted()).toEqual(['read', 'write'])
    const [columns] = permissions.map(Object.keys)
    expect(columns).toEqual(
      Object.keys(role ?? {}).map((name) => name.replace('role_key', 'permission')),
    )
  })

  test('show when a role expires, to the millisecond', async () => {
    const iam = await iamWith(true)
    await addProject(iam)
    const expiresAt = new Date('9999-12-31T23:59:59.987Z')
    const roles = [{ roleKey: 'editor', expiresAt }]
    await good(iam.userGrants.add({ userId: 'bob', projectId: 'portal', roles }, context))
    expect(await database.shown('role_holder')).toMatchObject([{ expires_at: expiresAt }])
  })

  test('are empty after a write of a process without them, until somebody catches up', async () => {
    const iam = await iamWith(true)
    const other = await iamWith(false)
    await addProject(iam)
    await good(give(iam, 'bob'))
    expect(await counts()).toEqual([1, 2])
    await good(other.userGrants.remove({ userId: 'bob', projectId: 'portal' }, context))
    await good(give(other, 'carol'))
    expect(await counts()).toEqual([0, 0])
    await good(other.userGrants.list({}, context))
    expect(await holders()).toEqual(['carol'])
  })

  test('are brought to the head by the next write of a process that keeps them', async () => {
    const other = await iamWith(false)
    await addProject(other)
    await good(give(other, 'bob'))
    const iam = await iamWith(true)
    expect(await holders()).toEqual([])
    await good(give(iam, 'carol'))
    expect((await holders()).toSorted()).toEqual(['bob', 'carol'])
  })

  test('are empty after a reset', async () => {
    const { store, readModel } = await database.open({ views: true })
    const iam = iamOn(store, { readModel, authorize: () => true })
    await addProject(iam)
    await good(give(iam, 'bob'))
    await readModel.reset()
    expect(await counts()).toEqual([0, 0])
    await good(iam.userGrants.list({}, context))
    expect(await counts()).toEqual([1, 2])
  })

  test('an event that this version cannot read is recorded, and leaves them empty', async () => {
    const { store, readModel } = await database.open({ views: true })
    const iam = iamOn(store, { readModel, authorize: () => true })
    await addProject(iam)
    await good(give(iam, 'bob'))
    const appended = await store.append(firstOf('law-a'))
    expect(appended.isOk()).toBe(true)
    expect(await counts()).toEqual([0, 0])
  })

  test('rows of the host, events and rights are one commit', async () => {
    const iam = await iamWith(true)
    await addProject(iam)
    const table = `${database.schema}.invoice`
    await database.query(`CREATE TABLE ${table} (id INTEGER PRIMARY KEY)`)
    const rows = async () => (await database.query(`SELECT id FROM ${table}`)).length
    const inTransaction = database.withRow(table)
    await good(give(iam, 'bob', inTransaction))
    expect([await rows(), await holders()]).toEqual([1, ['bob']])
    // The same row again.
    await expect(give(iam, 'carol', inTransaction)).rejects.toThrow(/unique|UNIQUE/)
    expect([await rows(), await holders()]).toEqual([1, ['bob']])
    // The same grant again.
    await database.query(`DELETE FROM ${table}`)
    expect((await give(iam, 'bob', inTransaction)).isErr()).toBe(true)
    expect([await rows(), await holders()]).toEqual([0, ['bob']])
  })

  test('a write that changes nothing commits the rows of the host', async () => {
    const iam = await iamWith(true)
    await addProject(iam)
    const table = `${database.schema}.invoice`
    await database.query(`CREATE TABLE ${table} (id INTEGER PRIMARY KEY)`)
    const same = { ...PROJECT_DEFAULTS, id: 'portal', name: 'Portal' }
    const inTransaction = database.withRow(table)
    await good(iam.projects.update(same, { ...context, inTransaction }))
    expect(await database.query(`SELECT id FROM ${table}`)).toHaveLength(1)
  })

  test('are made again when they are of another version', async () => {
    const iam = await iamWith(true)
    await addProject(iam)
    await good(give(iam, 'bob'))
    await database.spoil('role_holder')
    await expect(database.open({ views: true, migrate: false })).rejects.toMatchObject({
      reason: 'not_migrated',
      message: expect.stringContaining('no views, or those of another version'),
    })
    await database.open({ views: true })
    expect(await holders()).toEqual(['bob'])
    await database.open({ views: true, migrate: false })
  })

  test('need a database that has them when nothing may be created', async () => {
    await database.open()
    await expect(database.open({ views: true, migrate: false })).rejects.toMatchObject({
      reason: 'not_migrated',
    })
    await database.open({ migrate: false })
  })

  test('are an option that is true or false', async () => {
    await expect(database.open({ views: 'yes' as never })).rejects.toThrow(TypeError)
  })
})
