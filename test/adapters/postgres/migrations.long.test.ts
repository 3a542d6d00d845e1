import { getEventListeners } from 'node:events'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { openPostgres, UnusableDatabase } from '../../../src/adapters/postgres/index.js'
import { CHECKPOINT, FILLED } from '../../../src/adapters/sql/read-model/tables.js'
import { firstOf, record, wholeLog } from '../../../src/laws/event-store/harness.js'
import { newSchema, serverForFile } from './test-schemas.js'

const server = serverForFile()

/** Runs SQL as the owner of the database. */
const sql = async (text: string): Promise<readonly unknown[]> => {
  const client = new pg.Client({ connectionString: server.connectionString })
  await client.connect()
  const { rows } = await client.query(text)
  await client.end()
  return rows
}

const open = (schema: string, migrate?: boolean) =>
  openPostgres({ connectionString: server.connectionString, schema, migrate })

const reasonOf = async (opening: Promise<unknown>): Promise<unknown> => {
  const error = await opening.then(
    () => 'opened',
    (reason: unknown) => reason,
  )
  return error instanceof UnusableDatabase ? error.reason : error
}

describe('Migrating', () => {
  test('changes nothing the second time', async () => {
    const schema = newSchema()
    await using opened = await open(schema)
    await record(opened.store, firstOf('law-a'))
    const log = await wholeLog(opened.store)
    await opened.migrate()
    await using again = await open(schema)
    expect(await wholeLog(again.store)).toEqual(log)
  })

  test('lets no text but JSON be compared by the rules of a language, which change with the system', async () => {
    const schema = newSchema()
    await using _ = await open(schema)
    const found = await sql(
      `SELECT DISTINCT column_name AS name FROM information_schema.columns
         WHERE table_schema = '${schema}' AND data_type = 'text' AND collation_name IS DISTINCT FROM 'C'
         ORDER BY 1`,
    )
    const json = ['body', 'data', 'metadata', 'shares']
    expect(found).toEqual(json.map((name) => ({ name })))
  })

  test('is done once by many that boot together', async () => {
    const schema = newSchema()
    const all = await Promise.all(Array.from({ length: 12 }, () => open(schema)))
    for (const [n, { store }] of all.entries()) await record(store, firstOf(`law-${n}`))
    const [first] = all
    expect((await wholeLog(first?.store ?? neverStore())).length).toBe(12)
    for (const { close } of all) await close()
    expect(await sql(`SELECT version FROM ${schema}.migrations`)).toEqual([
      { version: 1 },
      { version: 2 },
      { version: 3 },
      { version: 4 },
      { version: 5 },
      { version: 6 },
      { version: 7 },
      { version: 8 },
      { version: 9 },
    ])
  })

  test('uses a schema that is there', async () => {
    const schema = newSchema()
    await sql(`CREATE SCHEMA ${schema}`)
    await using opened = await open(schema)
    await record(opened.store, firstOf('law-a'))
  })

  test('refuses tables of a newer version, and leaves them as they are', async () => {
    const schema = newSchema()
    await (await open(schema)).close()
    await sql(`INSERT INTO ${schema}.migrations (version) VALUES (1000)`)
    expect(await reasonOf(open(schema))).toBe('newer')
    expect(await reasonOf(open(schema, false))).toBe('newer')
    expect(await sql(`SELECT count(*)::int AS count FROM ${schema}.migrations`)).toEqual([
      { count: 10 },
    ])
  })

  test.each([
    ['events (id int)', ''],
    ['events (id int)', 'migrations (id int, name text)'],
    ['events (id int)', 'migrations AS SELECT 1 AS version'],
    ['events (id int)', 'migrations AS SELECT 20260101000000 AS version'],
    ['migrations AS SELECT 1 AS version', ''],
  ])('leaves tables of another program alone: %s %s', async (...tables) => {
    const schema = newSchema()
    await sql(`CREATE SCHEMA ${schema}`)
    for (const table of tables.filter(Boolean)) await sql(`CREATE TABLE ${schema}.${table}`)
    const held = () =>
      sql(`SELECT relname, attname FROM pg_attribute JOIN pg_class c ON c.oid = attrelid
        JOIN pg_namespace n ON n.oid = relnamespace WHERE nspname = '${schema}' ORDER BY 1, 2`)
    const before = await held()
    expect(await reasonOf(open(schema))).toBe('foreign')
    expect(await reasonOf(open(schema, false))).toBe('foreign')
    expect(await held()).toEqual(before)
  })

  test('waits for the data of a backup that has restored its tables alone', async () => {
    const schema = newSchema()
    await (await open(schema)).close()
    await sql(`CREATE TABLE ${schema}.backup AS SELECT * FROM ${schema}.migrations;
      TRUNCATE ${schema}.migrations`)
    expect(await reasonOf(open(schema))).toBe('empty')
    expect(await reasonOf(open(schema, false))).toBe('empty')
    await sql(`INSERT INTO ${schema}.migrations SELECT * FROM ${schema}.backup`)
    await using opened = await open(schema)
    await record(opened.store, firstOf('law-a'))
  })

  test('shares a schema with tables of other names', async () => {
    const schema = newSchema()
    await sql(`CREATE SCHEMA ${schema}; CREATE TABLE ${schema}.customers AS SELECT 1 AS id`)
    await (await open(schema)).close()
    expect(await sql(`SELECT id FROM ${schema}.customers`)).toEqual([{ id: 1 }])
  })

  test('is not done when it was ruled out', async () => {
    const schema = newSchema()
    expect(await reasonOf(open(schema, false))).toBe('not_migrated')
    await expect(open(schema, false)).rejects.toThrow(
      'has no tables of claviger: open it once as its owner, without migrate: false',
    )
    expect(await sql(`SELECT 1 FROM pg_namespace WHERE nspname = '${schema}'`)).toEqual([])
    await (await open(schema)).close()
    await using opened = await open(schema, false)
    await record(opened.store, firstOf('law-a'))
  })
})

describe('A read model whose tables were dropped', () => {
  const drop = (schema: string) =>
    sql(`DROP TABLE ${[CHECKPOINT, ...FILLED].map(({ name }) => `${schema}.${name}`).join()}`)

  test('is made again when the schema is opened', async () => {
    const schema = newSchema()
    await (await open(schema)).close()
    await drop(schema)
    expect(await reasonOf(open(schema, false))).toBe('not_migrated')
    await expect(open(schema, false)).rejects.toThrow(
      'has no tables of the read model: open it once as its owner, without migrate: false',
    )
    await using opened = await open(schema)
    expect(await opened.readModel.checkpoint()).toBe(0n)
  })

  test('is not made by a role that may make no tables', async () => {
    const schema = newSchema()
    await (await open(schema)).close()
    await drop(schema)
    await sql(`CREATE ROLE reader LOGIN; GRANT USAGE ON SCHEMA ${schema} TO reader;
      GRANT SELECT ON ${schema}.migrations TO reader`)
    const connectionString = server.connectionString.replace(/\/\/[^/]*@/, '//reader@')
    await expect(openPostgres({ connectionString, schema })).rejects.toMatchObject({
      cause: { message: `permission denied for schema ${schema}` },
    })
  })

  test('is made beside one of another shape', async () => {
    const schema = newSchema()
    await (await open(schema)).close()
    await sql(`ALTER TABLE ${schema}.${CHECKPOINT.name} RENAME TO read_0_checkpoint;
      UPDATE ${schema}.read_0_checkpoint SET position = 7;
      DROP TABLE ${FILLED.map(({ name }) => `${schema}.${name}`).join()}`)
    await using opened = await open(schema)
    expect(await opened.readModel.checkpoint()).toBe(0n)
    expect(await sql(`SELECT position FROM ${schema}.read_0_checkpoint`)).toEqual([
      { position: '7' },
    ])
  })

  test('is made again by a process that has it open', async () => {
    const schema = newSchema()
    await using opened = await open(schema)
    await drop(schema)
    await expect(opened.readModel.checkpoint()).rejects.toThrow('does not exist')
    await opened.migrate()
    expect(await opened.readModel.checkpoint()).toBe(0n)
  })
})

describe('A migration that has to wait', () => {
  /** The statements that wait for the table of migrations. */
  const waitingFor = (schema: string) =>
    sql(`SELECT 1 FROM pg_locks WHERE NOT granted AND relation = '${schema}.migrations'::regclass`)

  test('is cancelled by the server too, after the timeout of any statement', async () => {
    const schema = newSchema()
    await (await open(schema)).close()
    await sql(`DELETE FROM ${schema}.migrations WHERE version > 5`)
    const other = new pg.Client({ connectionString: server.connectionString })
    await other.connect()
    await other.query(`BEGIN; LOCK TABLE ${schema}.migrations IN SHARE MODE`)
    const { connectionString } = server
    const opening = openPostgres({ connectionString, schema, statementTimeout: 100 })
    await expect(opening).rejects.toThrow('canceling statement due to statement timeout')
    expect(await waitingFor(schema)).toEqual([])
    await other.end()
    await (await open(schema)).close()
  })

  test('is waited for until its signal aborts, and not begun after that', async () => {
    const schema = newSchema()
    await using opened = await open(schema)
    await sql(`DELETE FROM ${schema}.migrations WHERE version > 5`)
    const other = new pg.Client({ connectionString: server.connectionString })
    await other.connect()
    await other.query(`BEGIN; LOCK TABLE ${schema}.migrations IN SHARE MODE`)
    const controller = new AbortController()
    const { signal } = controller
    const migrating = opened.migrate({ signal })
    await expect.poll(() => waitingFor(schema)).toHaveLength(1)
    controller.abort(new Error('enough'))
    await expect(migrating).rejects.toThrow('enough')
    expect(getEventListeners(signal, 'abort')).toEqual([])
    await other.end()
    await opened.migrate({ signal: new AbortController().signal })
    await sql(`DELETE FROM ${schema}.migrations WHERE version > 5`)
    await expect(opened.migrate({ signal })).rejects.toThrow('enough')
    expect(await reasonOf(open(schema, false))).toBe('not_migrated')
  })
})

describe('A schema that was renamed', () => {
  test('is not written to until its functions are made again, and then keeps its own events', async () => {
    const [schema, renamed] = [newSchema(), newSchema()]
    await (await open(schema)).close()
    await sql(`CREATE ROLE program; GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA ${schema} TO program;
      ALTER SCHEMA ${schema} RENAME TO ${renamed}`)
    await using another = await open(schema)
    expect(await reasonOf(open(renamed, false))).toBe('not_migrated')
    await using opened = await open(renamed)
    await record(opened.store, firstOf('law-a'))
    await Promise.all(
      (['law-b', 'law-c'] as const).map((stream) => record(opened.store, firstOf(stream))),
    )
    expect(await wholeLog(another.store)).toEqual([])
    expect((await wholeLog(opened.store)).length).toBe(3)
    await (await open(renamed, false)).close()
    const granted = `SELECT proname FROM pg_proc WHERE pronamespace = '${renamed}'::regnamespace
      AND has_function_privilege('program', oid, 'EXECUTE') ORDER BY 1`
    expect(await sql(granted)).toEqual([
      { proname: 'append_at' },
      { proname: 'append_event' },
      { proname: 'append_group' },
      { proname: 'append_one' },
    ])
  })

  test('goes through every migration that it lacks', async () => {
    const [schema, renamed] = [newSchema(), newSchema()]
    await (await open(schema)).close()
    await sql(`DELETE FROM ${schema}.migrations WHERE version > 4;
      DROP TABLE ${[CHECKPOINT, ...FILLED].map(({ name }) => `${schema}.${name}`).join()};
      ALTER SCHEMA ${schema} RENAME TO ${renamed}`)
    await using opened = await open(renamed)
    await record(opened.store, firstOf('law-a'))
    expect(await opened.readModel.checkpoint()).toBe(0n)
  })
})

const neverStore = (): never => {
  throw new Error('Nothing was opened')
}

describe('The name of a schema', () => {
  test('may have capitals and hyphens', async () => {
    for (const schema of ['Tenant-A', 'select', '_x', `t${'x'.repeat(53)}`]) {
      await using opened = await open(schema)
      await record(opened.store, firstOf('law-a'))
      expect((await wholeLog(opened.store)).length).toBe(1)
    }
  })

  test('may not be anything else', async () => {
    const names = ['', 'pg_temp', '1st', 'a"b', 'a;b', "a'b", 'a b', 'é', `t${'x'.repeat(54)}`]
    for (const schema of names) await expect(open(schema)).rejects.toThrow(RangeError)
  })
})

describe('Settings of a database', () => {
  test('do not keep appends from being READ COMMITTED and on disk', async () => {
    await sql('CREATE DATABASE strict')
    await sql(`ALTER DATABASE strict SET default_transaction_isolation = 'serializable';
      ALTER DATABASE strict SET synchronous_commit = off`)
    const connectionString = server.connectionString.replace(/postgres$/, 'strict')
    const schema = newSchema()
    await using opened = await openPostgres({ connectionString, schema })
    await using second = await openPostgres({ connectionString, schema })
    const stores = [opened.store, second.store]
    const appends = Array.from({ length: 100 }, (_, n) =>
      record(stores[n % 2] ?? opened.store, firstOf(`law-${n}`)),
    )
    expect((await Promise.all(appends)).length).toBe(100)
    const pool = new pg.Pool({ connectionString })
    const call = `SELECT ${schema}.append_one('1', null, '{}', 's-1', 0, 't', 1, '{}', '{}', '{}')`
    await expect(pool.query(call)).rejects.toThrow('READ COMMITTED')
    await pool.end()
  })

  test('and of a pool must not be that values are binary', async () => {
    const { connectionString } = server
    const pool = new pg.Pool({ connectionString, ...{ binary: true } })
    expect(await reasonOf(openPostgres({ pool, schema: newSchema() }))).toBe('binary')
    await pool.end()
  })

  test('must be for UTF-8', async () => {
    await sql(`CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'`)
    const connectionString = server.connectionString.replace(/postgres$/, 'latin')
    expect(await reasonOf(openPostgres({ connectionString }))).toBe('encoding')
  })
})

describe('Two schemas in one database', () => {
  test('do not see each other', async () => {
    await using one = await open(newSchema())
    await using other = await open(newSchema())
    let hints = 0
    const stop = other.store.onAppend?.(() => hints++)
    const key = { idempotencyKey: 'key' }
    const [first] = await record(one.store, firstOf('law-a', key))
    expect(await wholeLog(other.store)).toEqual([])
    expect(await other.store.findAppend(key)).toEqual([])
    expect(await other.store.findAppend({ id: first?.appendId ?? '' })).toEqual([])
    await record(other.store, firstOf('law-a', key))
    expect((await wholeLog(one.store)).length).toBe(1)
    stop?.()
  })

  test('do not wait for each other', async () => {
    const schema = newSchema()
    await using one = await open(schema)
    await using other = await open(newSchema())
    const client = new pg.Client({ connectionString: server.connectionString })
    await client.connect()
    await client.query('BEGIN')
    const call = `SELECT ${schema}.append_one('1', null, '{}', 's-1', 0, 't', 1, '{}', '{}', '{}')`
    await client.query(call)
    const waiting = record(one.store, firstOf('law-a'))
    await record(other.store, firstOf('law-a'))
    expect(await wholeLog(one.store)).toEqual([])
    await client.query('COMMIT')
    await waiting
    expect((await wholeLog(one.store)).map(({ stream }) => stream)).toEqual(['s-1', 'law-a'])
    await client.end()
  })
})
