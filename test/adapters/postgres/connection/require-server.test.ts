import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { openPostgres } from '../../../../src/adapters/postgres/index.js'
import { countedPool } from '../counted-pool.js'
import { newSchema, serverForFile } from '../test-schemas.js'

const server = serverForFile()
let disguises = 0

const asOwner = async (sql: string): Promise<void> => {
  const client = new pg.Client({ connectionString: server.connectionString })
  await client.connect()
  await client.query(sql)
  await client.end()
}

/** The address of a server that has `objects` in the place of those of PostgreSQL; `$` is their schema. */
const disguised = async (...objects: readonly string[]): Promise<string> => {
  const schema = `disguise_${++disguises}`
  await asOwner(
    `CREATE SCHEMA ${schema}; ${objects.map((sql) => sql.replace('$', schema)).join(';')}`,
  )
  return `${server.connectionString}?options=${encodeURIComponent(`-c search_path=${schema},pg_catalog`)}`
}

const version = (text: string): string =>
  `CREATE FUNCTION $.version() RETURNS text LANGUAGE sql AS 'SELECT ''${text}'''`

const missing = (name: string, parameters: string, code: string): string =>
  `CREATE FUNCTION $.${name}(${parameters}) RETURNS bool LANGUAGE plpgsql AS
    'BEGIN RAISE ''function ${name}() does not exist'' USING ERRCODE = ''${code}''; END'`

const WITHOUT_RECOVERY = missing('pg_is_in_recovery', '', 'undefined_function')

const opening = (connectionString: string) =>
  openPostgres({ connectionString, schema: newSchema() })

const refusal = (message: string) => ({
  name: 'UnusableDatabase',
  reason: 'server',
  message: expect.stringContaining(message),
})

describe('Opening a server that only looks like PostgreSQL', () => {
  test.each([
    [
      'CockroachDB',
      'CockroachDB CCL v23.1.11 (x86_64-pc-linux-gnu, built 2023/09/27 01:53:43, go1.19.10)',
    ],
    [
      'YugabyteDB',
      'PostgreSQL 15.2-YB-2.25.1.0-b0 on x86_64-pc-linux-gnu, compiled by clang, 64-bit',
    ],
    [
      'Amazon Redshift',
      'PostgreSQL 8.0.2 on i686-pc-linux-gnu, compiled by GCC gcc (GCC) 3.4.2, Redshift 1.0.12103',
    ],
    ['Amazon Aurora DSQL', 'PostgreSQL 16 (Aurora DSQL)'],
    ['Materialize', 'PostgreSQL 9.5.0 on x86_64-unknown-linux-gnu (Materialize v0.84.0)'],
    ['RisingWave', 'PostgreSQL 13.14.0-RisingWave-2.0.1 (0d15632)'],
    ['QuestDB', 'PostgreSQL 12.3, compiled by Visual C++ build 1914, 64-bit, QuestDB'],
    ['CrateDB', 'CrateDB 5.6.2 (built 5a2f5e9/2024-02-27T11:01:55Z, Linux 5.15 amd64, OpenJDK 21)'],
    ['Greenplum', 'PostgreSQL 12.12 (Greenplum Database 7.0.0 build commit:0a7a3566)'],
    ['openGauss', 'PostgreSQL 9.2.4 (openGauss 3.0.0 build 02c14696) compiled at 2022-04-01'],
    ['TheirDB 1.0', 'TheirDB 1.0'],
    ['PostgreSQL 13: claviger needs version 14', 'PostgreSQL 13.14 on x86_64-pc-linux-gnu'],
  ])('names it: %s', async (name, text) => {
    await expect(opening(await disguised(version(text)))).rejects.toMatchObject(
      refusal(`The server is ${name}`),
    )
  })

  test('names it also when it does not even understand the first question', async () => {
    const address = await disguised(
      version('PostgreSQL 8.0.2 on i686, Redshift 1.0'),
      WITHOUT_RECOVERY,
    )
    await expect(opening(address)).rejects.toMatchObject(refusal('The server is Amazon Redshift'))
  })

  test('tells what is missing where it calls itself PostgreSQL', async () => {
    const locks = missing('pg_try_advisory_xact_lock_shared', 'bigint', 'feature_not_supported')
    for (const [lacking, message] of [
      [WITHOUT_RECOVERY, 'function pg_is_in_recovery() does not exist'],
      [locks, 'function pg_try_advisory_xact_lock_shared() does not exist'],
      ['CREATE TABLE $.pg_language (lanname name)', 'The database has no PL/pgSQL'],
    ] as const) {
      const address = await disguised(version('PostgreSQL 16'), lacking)
      await expect(opening(address)).rejects.toMatchObject(refusal(message))
    }
  })
})

describe('Opening PostgreSQL', () => {
  test.each([
    'PostgreSQL 14.0 on x86_64-pc-linux-gnu, compiled by gcc, 64-bit',
    // Aurora and AlloyDB, Neon, RDS: the engine is PostgreSQL.
    'PostgreSQL 16.6 on aarch64-unknown-linux-gnu, compiled by aarch64-unknown-linux-gnu-gcc (GCC) 9.5.0, 64-bit',
    'PostgreSQL 19beta1 on x86_64-pc-linux-gnu',
    'PostgreSQL 17.2 - Percona Server for PostgreSQL 17.2.1 on x86_64-pc-linux-gnu',
    'PostgreSQL 15.2 (EnterpriseDB Advanced Server 15.2.0) on x86_64-pc-linux-gnu',
  ])('takes %s', async (text) => {
    const { close } = await opening(await disguised(version(text)))
    await close()
  })

  test('tells a fault of another kind as it is', async () => {
    const failing = missing('pg_is_in_recovery', '', 'out_of_memory')
    await expect(opening(await disguised(failing))).rejects.toMatchObject({ name: 'StoreFault' })
  })

  test('looks once at the server, in a statement that it sends anyway', async () => {
    const { connectionString } = server
    const schema = newSchema()
    await (await openPostgres({ connectionString, schema })).close()
    const { pool, sent } = countedPool(connectionString)
    await (await openPostgres({ pool, schema })).close()
    await pool.end()
    expect(sent.filter((text) => text.includes('version()'))).toHaveLength(1)
    // One looks at the connection, one at the server, and four at the tables.
    expect(sent).toHaveLength(6)
  })
})
