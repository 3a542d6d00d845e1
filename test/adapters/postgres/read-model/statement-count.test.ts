import type pg from 'pg'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { openPostgres, type Postgres } from '../../../../src/adapters/postgres/index.js'
import type { CaughtUp } from '../../../../src/application/hooks.js'
import { firstOf, record } from '../../../../src/laws/event-store/harness.js'
import {
  addSamples,
  caller,
  context,
  everything,
  good,
  type Iam,
  iamOn,
  refusal,
} from '../../../application/host.js'
import { countedPool } from '../counted-pool.js'
import { newSchema, serverForFile } from '../test-schemas.js'

const server = serverForFile()
const opened: { readonly pool: pg.Pool; readonly postgres: Postgres }[] = []

afterAll(async () => {
  for (const { pool, postgres } of opened) {
    await postgres.close()
    await pool.end()
  }
})

/** A process that shows every statement that it sends, `BEGIN` and `COMMIT` among them. */
const openProcess = async (schema: string) => {
  const { pool, sent } = countedPool(server.connectionString)
  const postgres = await openPostgres({ pool, schema })
  opened.push({ pool, postgres })
  return {
    ...postgres,
    iam: iamOn(postgres.store, postgres),
    /** What `work` sends; others are notified of an append at some later time, once for many. */
    statementsOf: async (work: () => Promise<unknown>): Promise<readonly string[]> => {
      sent.length = 0
      await work()
      return sent.filter((text) => !text.startsWith('NOTIFY'))
    },
  }
}

const dry = { ...context, dryRun: true } as const

/** All that a caller may do who may not ask who has roles. */
const isNoRead = (permission: string): boolean => permission !== 'user.grant.read'

const portal = { id: 'portal' }
const editor = { projectId: 'portal', roleKey: 'editor' }
const google = { idpId: 'google' }
const ann = { userId: 'ann', projectId: 'portal' }
const editors = { ...ann, roles: [{ roleKey: 'editor' }] }

let reader: Awaited<ReturnType<typeof openProcess>>
let writer: typeof reader

/** The reader has seen all that the writer has recorded. */
beforeEach(async () => {
  const schema = newSchema()
  reader = await openProcess(schema)
  writer = await openProcess(schema)
  await addSamples(writer.iam)
  await good(writer.iam.userGrants.add(editors, context))
  await good(reader.iam.projects.get(portal, context))
})

const getProvider = () => good(reader.iam.identityProviders.get(google, context))
const checkAccess = () => good(reader.iam.access.check({ ...ann, roleKey: 'editor' }, context))
const listProjects = () => good(reader.iam.projects.list({}, context))

describe('On PostgreSQL, of a store in which nothing happens,', () => {
  test.each([
    ['projects.get', () => good(reader.iam.projects.get(portal, context))],
    ['projectRoles.get', () => good(reader.iam.projectRoles.get(editor, context))],
    ['identityProviders.get', getProvider],
    ['projects.list', listProjects],
    ['userGrants.get', () => good(reader.iam.userGrants.get(ann, context))],
    ['userGrants.list', () => good(reader.iam.userGrants.list({}, context))],
    [
      'userGrants.list by role',
      () =>
        good(reader.iam.userGrants.list({ filter: { roleKey: { equals: 'editor' } } }, context)),
    ],
    ['projectGrants.listReceived', () => good(reader.iam.projectGrants.listReceived({}, context))],
    ['access.check', checkAccess],
    ['domains.route', () => good(reader.iam.domains.route({ email: 'a@acme.example' }))],
    ['history.list', () => good(reader.iam.history.list({}, context))],
    [
      'history.list of a project and its roles',
      () =>
        good(
          reader.iam.history.list(
            { object: { type: 'project', id: 'portal' }, including: 'roles' },
            context,
          ),
        ),
    ],
    ['access.whoHas', () => good(reader.iam.access.whoHas({ projectId: 'portal' }, context))],
    ['access.users', () => good(reader.iam.access.users({}, context))],
    ['access.rolesOf', () => good(reader.iam.access.rolesOf({ userId: 'ann' }, context))],
    [
      'a list that finds nothing',
      () => good(reader.iam.identityProviders.list({ filter: { state: 'inactive' } }, context)),
    ],
  ])('a strong %s is one statement.', async (_, read) => {
    expect(await reader.statementsOf(read)).toHaveLength(1)
  })

  test('a strong get that finds no project is one statement, and one to see who granted it.', async () => {
    const read = () => refusal(reader.iam.projects.get({ id: 'x' }, context))
    expect(await reader.statementsOf(read)).toHaveLength(2)
  })

  test('a strong list of roles looks at their project, too.', async () => {
    const list = () => good(reader.iam.projectRoles.list({ projectId: 'portal' }, context))
    expect(await reader.statementsOf(list)).toHaveLength(2)
  })

  test.each([
    ['of a role', (iam: Iam, to: typeof dry) => iam.projectRoles.remove(editor, to)],
    ['of a project', (iam: Iam, to: typeof dry) => iam.projects.deactivate(portal, to)],
  ])('the impact of a dry run %s is one statement.', async (_, write) => {
    const plan = (to: typeof dry) => good(write(reader.iam, to))
    expect((await plan(dry)).impact?.loses.count).toBe(1)
    const blind = { ...dry, caller: { ...caller, permissions: [...everything].filter(isNoRead) } }
    const without = await reader.statementsOf(() => plan(blind))
    expect(await reader.statementsOf(() => plan(dry))).toHaveLength(without.length + 1)
  })

  test('an eventual get is one statement.', async () => {
    const eventual = { ...context, consistency: 'eventual' } as const
    const get = () => good(reader.iam.projects.get(portal, eventual))
    expect(await reader.statementsOf(get)).toHaveLength(1)
  })
})

describe('On PostgreSQL, after one event of another process,', () => {
  test.each([
    ['added', () => good(writer.iam.projects.add({ id: 'shop', name: 'Shop' }, context))],
    ['updated', () => good(writer.iam.projects.patch({ ...portal, name: 'Shop' }, context))],
    ['removed', () => good(writer.iam.projects.remove(portal, context))],
  ])('that a project was %s, a read is at most six statements.', async (_, write) => {
    await write()
    expect((await reader.statementsOf(getProvider)).length).toBeLessThanOrEqual(6)
    expect(await reader.statementsOf(getProvider)).toHaveLength(1)
  })

  test.each([
    ['given', () => good(writer.iam.userGrants.add({ ...editors, userId: 'bob' }, context))],
    ['taken', () => good(writer.iam.userGrants.remove(ann, context))],
    ['removed', () => good(writer.iam.projectRoles.remove(editor, context))],
  ])('that a role was %s, a check of access is at most six statements.', async (_, write) => {
    await write()
    expect((await reader.statementsOf(checkAccess)).length).toBeLessThanOrEqual(6)
    expect(await reader.statementsOf(checkAccess)).toHaveLength(1)
  })

  test.each([
    ['a list', listProjects],
    ['history', () => good(reader.iam.history.list({}, context))],
  ])('%s is at most six statements.', async (_, read) => {
    await good(writer.iam.projects.patch({ ...portal, name: 'Shop' }, context))
    expect((await reader.statementsOf(read)).length).toBeLessThanOrEqual(6)
  })

  test('a read shows what the event did.', async () => {
    await good(writer.iam.projects.patch({ ...portal, name: 'Renamed' }, context))
    expect((await listProjects()).items).toMatchObject([{ name: 'Renamed' }])
    await good(writer.iam.projects.remove(portal, context))
    expect(await refusal(reader.iam.projects.get(portal, context))).toMatchObject({
      kind: 'NotFound',
    })
    expect(await refusal(reader.iam.projectRoles.get(editor, context))).toMatchObject({
      kind: 'NotFound',
    })
    expect((await listProjects()).items).toEqual([])
  })
})

describe('On PostgreSQL, after writes of its own,', () => {
  const zoe = { ...ann, userId: 'zoe' }
  const eve = { ...editors, userId: 'eve' }
  const patch = () => good(writer.iam.projects.patch({ ...portal, name: 'Shop' }, context))
  const check = () => good(writer.iam.access.check({ ...zoe, roleKey: 'editor' }, context))
  const add = () => good(writer.iam.userGrants.add(eve, context))
  const remove = (grant: typeof ann) => good(writer.iam.userGrants.remove(grant, context))
  const roles = ['owner', 'guest'].map((roleKey) => ({ roleKey, displayName: roleKey }))

  /** The writer has written rows of its own, and knows them and the numbers of what they name. */
  const warm = async () => {
    await check()
    await good(writer.iam.userGrants.add({ ...editors, userId: 'zoe' }, context))
    await check()
    await good(writer.iam.projects.patch({ ...portal, name: 'Portal 2' }, context))
    await check()
  }

  test.each<[string, () => Promise<unknown>]>([
    ['gave a role', add],
    ['took a role', () => remove(zoe)],
    ['gave and took a role', () => add().then(() => remove({ ...ann, userId: 'eve' }))],
    [
      'took a role and gave it again',
      () =>
        remove(zoe).then(() => good(writer.iam.userGrants.add({ ...editors, ...zoe }, context))),
    ],
    ['suspended a grant', () => good(writer.iam.userGrants.deactivate(zoe, context))],
    ['changed a project', patch],
    [
      'added two roles at once',
      () => good(writer.iam.projectRoles.addMany({ projectId: 'portal', roles }, context)),
    ],
  ])('which %s, a strong read is two statements.', async (_, write) => {
    await warm()
    await write()
    expect(await writer.statementsOf(check)).toHaveLength(2)
    expect(await writer.statementsOf(check)).toHaveLength(1)
    const rolesFor = ({ iam }: typeof writer) => good(iam.access.rolesOf(zoe, context))
    const shown = await rolesFor(writer)
    await reader.readModel.reset()
    expect(await rolesFor(reader)).toEqual({ ...shown })
  })

  test('whose rows and names another process wrote, a strong read is at most four statements.', async () => {
    await check()
    await remove(ann)
    expect((await writer.statementsOf(check)).length).toBeLessThanOrEqual(4)
  })

  test('reads at the same time share what is applied.', async () => {
    await warm()
    await add()
    const both = () => Promise.all([check(), check(), check()])
    expect(await writer.statementsOf(both)).toHaveLength(4)
  })

  test('hooks see what is applied.', async () => {
    const seen: CaughtUp[] = []
    const hooks = { onCatchUp: (batch: CaughtUp) => seen.push(batch) }
    const iam = iamOn(writer.store, { readModel: writer.readModel, hooks })
    await warm()
    await add()
    await good(iam.projects.get(portal, context))
    expect(seen).toMatchObject([{ projection: writer.readModel.name, events: 1 }])
  })
})

describe('On PostgreSQL', () => {
  test('an append of one event is one statement.', async () => {
    const append = () => record(writer.store, firstOf('law-a'))
    expect(await writer.statementsOf(append)).toHaveLength(1)
  })

  test('a store that wraps another one is asked for its head.', async () => {
    const wrapped = { ...reader.store, lastPosition: () => Promise.reject(new Error('asked')) }
    const schema = await openProcess(newSchema())
    for (const store of [wrapped, schema.store]) {
      // A store of another database, or one that may answer otherwise, is none that the read model knows.
      expect(reader.readModel.readAtHead?.({ store, readModel: reader.readModel })).toBeUndefined()
    }
    const iam = iamOn(wrapped, { readModel: reader.readModel })
    expect(await refusal(iam.projects.get(portal, context))).toMatchObject({ kind: 'Unavailable' })
  })

  test('a read model that wraps another one is queried itself.', async () => {
    const readModel = { ...reader.readModel, get: async () => undefined }
    const iam = iamOn(reader.store, { readModel })
    expect(await refusal(iam.projects.get(portal, context))).toMatchObject({ kind: 'NotFound' })
  })
})
