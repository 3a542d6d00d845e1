import { Pool, type PoolClient } from 'pg'
import postgres, { type TransactionSql } from 'postgres'
import { expect, test } from 'vitest'
import { inTransaction, openPostgres, postgresJs } from '../../../../src/adapters/postgres/index.js'
import { firstOf, wholeLog } from '../../../../src/laws/event-store/harness.js'
import { newSchema, serverForFile } from '../test-schemas.js'

const server = serverForFile()

/** Its client may hear that the server ends before its own end is known there. */
const poolOfOne = (): Pool => {
  const pool = new Pool({ connectionString: server.connectionString, max: 1 })
  pool.on('connect', (client) => client.on('error', () => undefined))
  pool.on('error', () => undefined)
  return pool
}

/** Codes of a lost connection. */
const LOST = /^(CONNECTION_CLOSED|ECONNRESET)$/

/** How the function of a host writes a row after its session has ended. */
const WAYS: readonly (readonly [
  string,
  (sql: TransactionSql, table: string) => Promise<unknown>,
])[] = [
  ['a statement', (sql, table) => sql`INSERT INTO ${sql(table)} VALUES ('after')`],
  ['a text', (sql, table) => sql.unsafe(`INSERT INTO ${table} VALUES ('after')`)],
  [
    'a savepoint',
    (sql, table) => sql.savepoint((within) => within`INSERT INTO ${within(table)} VALUES ('s')`),
  ],
]

// As reported of postgres.js in porsager/postgres#1155 and #1215.
test.each(WAYS)('postgres.js: %s after the session is lost writes nothing', async (_, write) => {
  const [schema, table] = [newSchema(), `rows_of_${newSchema()}`]
  const sql = postgres(server.connectionString, { max: 1, fetch_types: false })
  await using other = await openPostgres({ connectionString: server.connectionString, schema })
  const { store } = await openPostgres({ driver: postgresJs(sql), schema })
  await sql`CREATE TABLE ${sql(table)} (text text)`
  const failed: unknown[] = []
  const work = inTransaction(async (lent: TransactionSql) => {
    await lent`INSERT INTO ${lent(table)} VALUES ('before')`
    await lent.savepoint(async (within) => {
      await within`SET LOCAL idle_in_transaction_session_timeout = 20`
      // Makes postgres.js replace the session at once.
      await sql`SELECT 1`
      try {
        await write(lent, table)
      } catch (error) {
        failed.push(error)
      }
      await within`INSERT INTO ${within(table)} VALUES ('within')`
    })
  })
  const appending = store.append({ ...firstOf('law-a'), inTransaction: work })
  await expect(appending).rejects.toThrow()
  expect(failed).toMatchObject([{ code: expect.stringMatching(LOST) }])
  expect(await sql`SELECT text FROM ${sql(table)}`).toEqual([])
  expect(await wholeLog(other.store)).toEqual([])
  await sql.end()
})

/** How it runs a statement, which `sleep` sends. */
const RUNS: readonly (readonly [
  string,
  (sql: TransactionSql, sleep: (sql: TransactionSql) => Promise<void>) => Promise<unknown>,
])[] = [
  ['a statement', (sql, sleep) => sleep(sql)],
  ['a savepoint', (sql, sleep) => sql.savepoint(sleep)],
]

test.each(RUNS)(
  'postgres.js: %s that is running when the session is lost fails',
  async (_, run) => {
    const [schema, table] = [newSchema(), `rows_of_${newSchema()}`]
    const sql = postgres(server.connectionString, { max: 1, fetch_types: false })
    const other = poolOfOne()
    const { store } = await openPostgres({ driver: postgresJs(sql), schema })
    await other.query(`CREATE TABLE ${table} (text text)`)
    const failed: unknown[] = []
    const work = inTransaction(async (lent: TransactionSql) => {
      const [session] = await lent`SELECT pg_backend_pid() AS pid`
      const sleep = async (within: TransactionSql) => {
        const sleeping = within`SELECT pg_sleep(60)`.execute()
        await other.query('SELECT pg_terminate_backend($1)', [session?.['pid']])
        await sleeping
      }
      try {
        await run(lent, sleep)
      } catch (error) {
        failed.push(error)
      }
      await lent`INSERT INTO ${lent(table)} VALUES ('after')`
    })
    const appending = store.append({ ...firstOf('law-a'), inTransaction: work })
    await expect(appending).rejects.toThrow()
    expect(failed).toMatchObject([{ code: expect.stringMatching(LOST) }])
    expect((await other.query(`SELECT text FROM ${table}`)).rows).toEqual([])
    await other.end()
    await sql.end({ timeout: 0 })
  },
)

test('pg: a session that ends right after the function is a fault of the store', async () => {
  const pool = poolOfOne()
  const { store } = await openPostgres({ pool, schema: newSchema() })
  const ended = Object.assign(new Error('terminating connection'), { code: '57P01' })
  const work = inTransaction(async (client: PoolClient) => {
    client.query = (() => Promise.reject(ended)) as never
  })
  const appending = store.append({ ...firstOf('law-a'), inTransaction: work })
  await expect(appending).rejects.toMatchObject({ name: 'StoreFault', outcome: 'not_recorded' })
  expect(await wholeLog(store)).toEqual([])
  await pool.end()
})
