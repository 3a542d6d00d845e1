import { setImmediate } from 'node:timers/promises'
import pg from 'pg'
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { openPostgres } from '../../../../src/adapters/postgres/index.js'
import { CHECKPOINT } from '../../../../src/adapters/sql/read-model/tables.js'
import { fieldOf } from '../../../../src/domain/values.js'
import { addSamples, context, good, iamOn, logOf, refusal } from '../../../application/host.js'
import { newSchema, serverForFile } from '../test-schemas.js'
import { sessionSettings } from './session-settings.js'

const server = serverForFile()

describe('A connection of a shared pool', () => {
  let connectionString: string

  beforeAll(async () => {
    const client = new pg.Client({ connectionString: server.connectionString })
    await client.connect()
    await client.query('CREATE DATABASE strict')
    await client.query(`ALTER DATABASE strict SET default_transaction_isolation = 'serializable'`)
    await client.end()
    connectionString = server.connectionString.replace(/postgres$/, 'strict')
  })

  test('has the settings that it had before, also transactions that are serializable', async () => {
    const pool = new pg.Pool({ connectionString, max: 1 })
    const before = await sessionSettings(pool)
    const opened = await openPostgres({ pool, schema: newSchema() })
    const iam = iamOn(opened.store, opened)
    await addSamples(iam)
    const keyed = { ...context, idempotencyKey: 'key' }
    for (const _ of [1, 2]) await good(iam.projects.add({ id: 'keyed', name: 'n' }, keyed))
    expect((await good(iam.projects.list({}, context))).items.length).toBe(2)
    expect(await sessionSettings(pool)).toEqual(before)
    await opened.close()
    expect(await sessionSettings(pool)).toEqual(before)
    const { rows } = await pool.query('SHOW transaction_isolation')
    expect(rows).toEqual([{ transaction_isolation: 'serializable' }])
    await pool.end()
  })

  test('writes in READ COMMITTED all the same', async () => {
    const pool = new pg.Pool({ connectionString })
    const schema = newSchema()
    await using opened = await openPostgres({ pool, schema })
    await using second = await openPostgres({ pool, schema })
    const added = [opened, second].flatMap((postgres) => {
      const iam = iamOn(postgres.store, postgres)
      return Array.from({ length: 20 }, (_, n) => good(iam.projects.add({ name: `${n}` }, context)))
    })
    await Promise.all(added)
    expect((await logOf(opened.store)).length).toBe(40)
    await pool.end()
  })

  test('applies events in READ COMMITTED all the same, even before it has recorded any', async () => {
    const pool = new pg.Pool({ connectionString })
    const schema = newSchema()
    await using writer = await openPostgres({ pool, schema })
    await using reader = await openPostgres({ pool, schema })
    const writing = iamOn(writer.store, writer)
    const reading = iamOn(reader.store, reader)
    await good(writing.projects.add({ name: 'applied' }, context))
    await good(writing.projects.list({}, context))
    await good(writing.projects.add({ name: 'new' }, context))
    const other = await pool.connect()
    await other.query(`BEGIN; UPDATE ${schema}.${CHECKPOINT.name} SET position = position`)
    const listing = good(reading.projects.list({}, context))
    const waiting = 'SELECT FROM pg_locks WHERE NOT granted'
    await expect.poll(async () => (await other.query(waiting)).rowCount).toBe(1)
    await other.query('COMMIT')
    expect((await listing).items.length).toBe(2)
    other.release()
    await pool.end()
  })
})

describe('A pool without a free connection', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  const SAYS =
    'PostgreSQL: The pool has no free connection, all 1 are in use: raise its max, or give claviger a pool of its own'

  test('is said to be so when it is waited for too long', async () => {
    const pool = new pg.Pool({ connectionString: server.connectionString, max: 1 })
    const schema = newSchema()
    await using opened = await openPostgres({ pool, schema })
    const iam = iamOn(opened.store, opened)
    const held = await pool.connect()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const calls = [
      openPostgres({ pool, schema }).catch((fault: unknown) => fault),
      refusal(iam.projects.add({ name: 'n' }, context)).then((error) => fieldOf(error, 'cause')),
    ]
    while (vi.getTimerCount() < calls.length) await setImmediate()
    vi.advanceTimersByTime(9_999)
    expect(vi.getTimerCount()).toBe(calls.length)
    vi.advanceTimersByTime(1)
    for (const fault of await Promise.all(calls)) {
      expect(fault).toMatchObject({ message: SAYS, outcome: 'not_recorded', retryAfter: 1_000 })
    }
    vi.useRealTimers()
    held.release()
    await good(iam.projects.add({ name: 'n' }, context))
    await pool.end()
  })

  test('is said to be so after the time that the host has set', async () => {
    const { connectionString } = server
    const pool = new pg.Pool({ connectionString, max: 1, connectionTimeoutMillis: 30_000 })
    await using opened = await openPostgres({ pool, schema: newSchema() })
    const held = await pool.connect()
    pool.options.connectionTimeoutMillis = 50
    await expect(opened.store.lastPosition()).rejects.toThrow(SAYS)
    pool.options.connectionTimeoutMillis = 30_000
    held.release()
    expect(await opened.store.lastPosition()).toBe(0n)
    await pool.end()
  })

  test('is waited for without end when the host has said so', async () => {
    const { connectionString } = server
    const pool = new pg.Pool({ connectionString, max: 1, connectionTimeoutMillis: 0 })
    await using opened = await openPostgres({ pool, schema: newSchema() })
    const held = await pool.connect()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const last = opened.store.lastPosition()
    while (pool.waitingCount === 0) await setImmediate()
    expect(vi.getTimerCount()).toBe(0)
    vi.useRealTimers()
    held.release()
    expect(await last).toBe(0n)
    await pool.end()
  })

  test('of our own is one that maxConnections makes larger', async () => {
    const { connectionString } = server
    const schema = newSchema()
    await using opened = await openPostgres({
      connectionString,
      schema,
      maxConnections: 1,
      connectTimeout: 1_000,
    })
    const client = new pg.Client({ connectionString })
    await client.connect()
    await client.query(`BEGIN; LOCK TABLE ${schema}.events IN ACCESS EXCLUSIVE MODE`)
    const begun = opened.store.lastPosition()
    await expect(opened.store.countAfter(0n)).rejects.toThrow(
      'PostgreSQL: The pool has no free connection, all 1 are in use: raise maxConnections',
    )
    await client.query('COMMIT')
    await client.end()
    expect(await begun).toBe(0n)
  })
})
