import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Pool } from 'pg'
import postgres from 'postgres'
import { DataSource } from 'typeorm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openPostgres, postgresJs } from '../../src/adapters/postgres/index.js'
import { openSqlite, type SqliteHandle } from '../../src/adapters/sqlite/index.js'
import type { EventStore, InTransaction, ReadModel } from '../../src/index.js'
import { newSchema, serverForFile } from '../adapters/postgres/test-schemas.js'
import { context, good, iamOn } from '../application/host.js'
import { root } from '../documents.js'

const server = serverForFile()
const workshop = join(root, 'reports/one-transaction')
let guide = ''

beforeAll(async () => {
  guide = await readFile(join(root, 'docs/guides/one-transaction.md'), 'utf8')
  await mkdir(workshop, { recursive: true })
})

/** What the first example below a heading of the guide exports. */
const recipe = async (
  heading: string,
): Promise<(...given: readonly unknown[]) => InTransaction> => {
  const [, section = ''] = guide.split(`\n## ${heading}\n`)
  const [, code = ''] = /^```ts\n(.*?)^```$/ms.exec(section) ?? []
  const file = join(workshop, `${heading.replaceAll(/\W+/g, '-')}.ts`)
  await writeFile(file, code)
  const module = await import(/* @vite-ignore */ pathToFileURL(file).href)
  return module.withInvoice
}

/** Gives a role with a row of the recipe, twice: the second grant is refused. */
const giveTwice = async (
  opened: { readonly store: EventStore; readonly readModel: ReadModel },
  withInvoice: (id: string) => InTransaction,
): Promise<void> => {
  const iam = iamOn(opened.store, { ...opened, authorize: () => true })
  const role = { projectId: 'portal', roleKey: 'approver', displayName: 'Approver' }
  await good(iam.projects.add({ id: 'portal', name: 'Portal' }, context))
  await good(iam.projectRoles.add(role, context))
  const grant = { userId: 'ada', projectId: 'portal', roles: [{ roleKey: 'approver' }] }
  const give = (id: string) =>
    iam.userGrants.add(grant, { ...context, inTransaction: withInvoice(id) })
  await good(give('7'))
  expect((await give('8')).isErr()).toBe(true)
}

const CREATE = 'CREATE TABLE invoice (id text PRIMARY KEY, approver text NOT NULL)'
const expected = [{ id: '7', approver: 'ada' }]

describe('The recipe of the guide for', () => {
  let pool: Pool
  beforeAll(async () => {
    pool = new Pool({ connectionString: server.connectionString })
  })
  afterAll(() => pool.end())

  const onPostgres = async (
    options: Partial<Parameters<typeof openPostgres>[0]>,
    withInvoice: (id: string) => InTransaction,
  ): Promise<void> => {
    await pool.query(`DROP TABLE IF EXISTS invoice; ${CREATE}`)
    await using opened = await openPostgres({ pool, ...options, schema: newSchema() } as Parameters<
      typeof openPostgres
    >[0])
    await giveTwice(opened, withInvoice)
    expect((await pool.query('SELECT id, approver FROM invoice')).rows).toEqual(expected)
  }

  test.each(['Drizzle', 'Kysely', 'Knex'])('%s writes one row with its event', async (name) => {
    const withInvoice = await recipe(name)
    await onPostgres({}, (id) => withInvoice(id, 'ada'))
  })

  test('TypeORM writes one row with its event', async () => {
    const withInvoice = await recipe('TypeORM')
    const source = new DataSource({ type: 'postgres', url: server.connectionString })
    await source.initialize()
    await onPostgres({}, (id) => withInvoice(source, id, 'ada'))
    await source.destroy()
  })

  test('postgres.js writes one row with its event', async () => {
    const withInvoice = await recipe('postgres.js and PGlite')
    const sql = postgres(server.connectionString, { onnotice: () => undefined })
    await onPostgres({ pool: undefined, driver: postgresJs(sql) } as never, (id) =>
      withInvoice(id, 'ada'),
    )
    await sql.end()
  })

  test('SQLite writes one row with its event, on a handle of better-sqlite3', async () => {
    const withInvoice = await recipe('SQLite')
    const BetterSqlite: new (file: string) => SqliteHandle = createRequire(import.meta.url)(
      'better-sqlite3-13',
    )
    const handle = new BetterSqlite(':memory:')
    const opened = openSqlite(handle)
    handle.exec(CREATE)
    await giveTwice(opened, (id) => withInvoice(id, 'ada'))
    expect(handle.prepare('SELECT id, approver FROM invoice').all()).toEqual(expected)
  })
})
