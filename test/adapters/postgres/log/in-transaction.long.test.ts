import type { Socket } from 'node:net'
import { PGlite } from '@electric-sql/pglite'
import { Pool, type PoolClient } from 'pg'
import postgres, { type TransactionSql } from 'postgres'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  inTransaction,
  openPostgres,
  type PgLiteQueries,
  type Postgres,
  type PostgresOptions,
  pgLite,
  postgresJs,
} from '../../../../src/adapters/postgres/index.js'
import { type EventStore, type InTransaction, InTransactionFailed } from '../../../../src/index.js'
import { firstOf, record, wholeLog } from '../../../../src/laws/event-store/harness.js'
import { type InTransactionHarness, inTransactionLaws } from '../../../../src/laws/index.js'
import { newSchema, serverForFile } from '../test-schemas.js'

const server = serverForFile()

/** Runs a statement of the host within the transaction that a driver lends, or outside. */
interface Home {
  readonly options: () => Parameters<typeof openPostgres>[0]
  readonly work: (statement: string, then?: () => void) => InTransaction
  readonly rows: (statement: string) => Promise<readonly string[]>
  readonly end: () => Promise<unknown>
}

const textOf = (rows: readonly object[]) => rows.map((row) => String(Object.values(row)[0]))

const withPg = (optionsOf: (pool: Pool) => Parameters<typeof openPostgres>[0]) => (): Home => {
  const pool = new Pool({ connectionString: server.connectionString })
  return {
    options: () => optionsOf(pool),
    work: (statement, then) =>
      inTransaction(async (client: PoolClient) => {
        await client.query(statement)
        then?.()
      }),
    rows: async (statement) => textOf((await pool.query(statement)).rows),
    end: () => pool.end(),
  }
}

const HOMES: readonly (readonly [string, () => Home])[] = [
  ['pg', withPg(() => ({ connectionString: server.connectionString }))],
  ['pg with views', withPg(() => ({ connectionString: server.connectionString, views: true }))],
  ['a pool of the host', withPg((pool) => ({ pool }))],
  [
    'postgres.js',
    () => {
      const sql = postgres(server.connectionString)
      return {
        options: () => ({ driver: postgresJs(sql) }),
        work: (statement, then) =>
          inTransaction(async (transaction: TransactionSql) => {
            await transaction.unsafe(statement)
            then?.()
          }),
        rows: async (statement) => textOf(await sql.unsafe(statement)),
        end: () => sql.end(),
      }
    },
  ],
  [
    'PGlite',
    () => {
      const db = new PGlite()
      return {
        options: () => ({ driver: pgLite(db) }),
        work: (statement, then) =>
          inTransaction(async (transaction: PgLiteQueries) => {
            await transaction.exec(statement, { rowMode: 'array', parsers: {} })
            then?.()
          }),
        rows: async (statement) => textOf((await db.query<object>(statement)).rows),
        end: () => db.close(),
      }
    },
  ],
]

describe.each(HOMES)('Rows of the host on %s', (name, homeOf) => {
  let home: Home
  const opened: Postgres[] = []
  const tables = new Map<EventStore, { readonly schema: string }>()
  beforeAll(() => {
    home = homeOf()
  })
  afterAll(async () => {
    for (const { close } of opened) await close()
    await home.end()
  })

  const openAs = async (schema: string): Promise<EventStore> => {
    const postgres = await openPostgres({ ...home.options(), schema } as PostgresOptions)
    opened.push(postgres)
    tables.set(postgres.store, { schema })
    return postgres.store
  }
  // Laws open one store at a time.
  let table = ''
  const quoted = (text: string) => `E'${text.replace(/['\\]/g, '$&$&')}'`
  const harness: InTransactionHarness = {
    open: async () => {
      const schema = newSchema()
      const store = await openAs(schema)
      table = `rows_of_${schema}`
      await home.rows(`CREATE TABLE ${table} (nth serial, text text)`)
      return store
    },
    reopen: async (store) => openAs(tables.get(store)?.schema ?? ''),
    insert: (row, then) => home.work(`INSERT INTO ${table} (text) VALUES (${quoted(row)})`, then),
    rows: () => home.rows(`SELECT text FROM ${table} ORDER BY nth`),
  }

  test.each(inTransactionLaws)('$name', ({ check }) => check(harness))

  test('a failed statement whose error was caught does not commit half', async () => {
    const store = await harness.open()
    const caught: InTransaction = {
      transactions: 'PostgreSQL',
      run: async (client) => {
        await harness.insert('a').run(client)
        await Promise.resolve(home.work('SELECT 1 / 0').run(client)).catch(() => undefined)
      },
    }
    const appending = store.append({ ...firstOf('law-a'), inTransaction: caught })
    const failure = await appending.catch((thrown: unknown) => thrown)
    expect(failure).toBeInstanceOf(InTransactionFailed)
    expect(failure).toHaveProperty('cause.code', '25P02')
    expect(await wholeLog(store)).toEqual([])
    expect(await harness.rows(store)).toEqual([])
  })

  test('a deferred constraint that the rows violate is a failure of the host', async () => {
    const store = await harness.open()
    await home.rows(`ALTER TABLE ${table} ADD UNIQUE (text) DEFERRABLE INITIALLY DEFERRED`)
    await record(store, { ...firstOf('law-a'), inTransaction: harness.insert('same') })
    const appending = store.append({ ...firstOf('law-b'), inTransaction: harness.insert('same') })
    const failure = await appending.catch((thrown: unknown) => thrown)
    expect(failure).toHaveProperty('cause.code', '23505')
    expect(await wholeLog(store)).toHaveLength(1)
  })

  test.each(['ROLLBACK', 'ROLLBACK; BEGIN', 'COMMIT; BEGIN'])(
    'a function that ends the transaction is reported, and no event is recorded: %s',
    async (ending) => {
      const store = await harness.open()
      const appending = store.append({ ...firstOf('law-a'), inTransaction: home.work(ending) })
      await expect(appending).rejects.toThrow(InTransactionFailed)
      expect(await wholeLog(store)).toEqual([])
      await record(store, { ...firstOf('law-a'), inTransaction: harness.insert('after') })
      expect(await harness.rows(store)).toEqual(['after'])
    },
  )

  test.skipIf(name === 'PGlite')('other appends are not held up by a slow function', async () => {
    const store = await harness.open()
    let goOn: () => void = () => undefined
    const slow: InTransaction = {
      transactions: 'PostgreSQL',
      run: async (client) => {
        await harness.insert('slow').run(client)
        await new Promise<void>((resolve) => {
          goOn = resolve
          void record(store, { ...firstOf('law-b'), inTransaction: harness.insert('fast') }).then(
            () => goOn(),
          )
        })
      },
    }
    await record(store, { ...firstOf('law-a'), inTransaction: slow })
    const streams = (await wholeLog(store)).map(({ stream }) => stream)
    expect(streams).toEqual(['law-b', 'law-a'])
  })
})

test('a client that is frozen after it has appended holds up nobody', async () => {
  const schema = newSchema()
  const pool = new Pool({ connectionString: server.connectionString, max: 1 })
  const frozen = await openPostgres({ pool, schema })
  await using other = await openPostgres({ connectionString: server.connectionString, schema })
  let sent: () => void = () => undefined
  const isSent = new Promise<void>((resolve) => {
    sent = resolve
  })
  let unfreeze: () => void = () => undefined
  const freezing = inTransaction(async (client: PoolClient) => {
    await client.query('SELECT 1')
    const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
    const write = stream.write.bind(stream) as (chunk: Buffer) => boolean
    // Once the append is sent, nothing that the server answers is read.
    stream.write = (chunk: unknown) => {
      const bytes = chunk as Buffer
      if (bytes.includes('append_group')) {
        stream.pause()
        unfreeze = () => stream.resume()
        setImmediate(sent)
      }
      return write(bytes)
    }
  })
  const appending = frozen.store.append({ ...firstOf('law-a'), inTransaction: freezing })
  await isSent
  await record(other.store, firstOf('law-b'))
  unfreeze()
  expect((await appending).isOk()).toBe(true)
  await frozen.close()
  await pool.end()
})
