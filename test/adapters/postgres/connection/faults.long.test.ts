import { spawn } from 'node:child_process'
import { getEventListeners, once } from 'node:events'
import { createRequire } from 'node:module'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { faultOf as asFault } from '../../../../src/adapters/postgres/connection/faults.js'
import { openPostgres, type Postgres, StoreFault } from '../../../../src/adapters/postgres/index.js'
import { CHECKPOINT, STANDING } from '../../../../src/adapters/sql/read-model/tables.js'
import { aesGcmCipher, createIam } from '../../../../src/index.js'
import { firstOf, record, verdict, wholeLog } from '../../../../src/laws/event-store/harness.js'
import { context, good, iamOn, refusal } from '../../../application/host.js'
import { type PostgresServer, startPostgres } from '../../../postgres-server.js'
import { type TcpProxy, tcpProxy } from '../../../tcp-proxy.js'
import { newSchema } from '../test-schemas.js'

let server: PostgresServer
let proxy: TcpProxy

beforeAll(async () => {
  server = await startPostgres()
  proxy = await tcpProxy(server.port)
})

afterAll(async () => {
  await proxy[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})

/** A store behind the network that has faults. */
const openBehindProxy = (statementTimeout?: number, schema = newSchema()): Promise<Postgres> =>
  openPostgres({
    connectionString: `postgres://postgres@127.0.0.1:${proxy.port}/postgres`,
    schema,
    statementTimeout,
    maxConnections: 1,
  })

/** A store that gives up early; its tables are made before, without haste. */
const openHastily = async (): Promise<Postgres> => {
  const schema = newSchema()
  await (await openBehindProxy(undefined, schema)).close()
  return openBehindProxy(300, schema)
}

/** Listens, and waits until it does. */
const heardOf = ({ onAppend }: Postgres['store']): Promise<void> =>
  new Promise((resolve) => onAppend?.(resolve))

/** What `promise` is rejected with. */
const faultOf = async (promise: Promise<unknown>): Promise<StoreFault> => {
  const reason = await promise.then(
    () => 'fulfilled',
    (reason: unknown) => reason,
  )
  if (reason instanceof StoreFault) return reason
  throw new Error(`Expected a StoreFault, not ${reason}`)
}

describe('A connection that is lost', () => {
  test('after the append was sent, before the answer: unknown, and it was recorded', async () => {
    await using opened = await openBehindProxy()
    const append = firstOf('law-a')
    proxy.cutAt(append.id, 'before the answer')
    expect((await faultOf(opened.store.append(append))).outcome).toBe('unknown')
    const found = await opened.store.findAppend({ id: append.id })
    expect(found.map(({ stream }) => stream)).toEqual(['law-a'])
  })

  test('before the append arrived: unknown as well, and it was not recorded', async () => {
    await using opened = await openBehindProxy()
    const append = firstOf('law-a')
    proxy.cutAt(append.id, 'before the request')
    expect((await faultOf(opened.store.append(append))).outcome).toBe('unknown')
    expect(await opened.store.findAppend({ id: append.id })).toEqual([])
  })

  test('with a group: the outcome of each append is unknown, and no append is sent twice', async () => {
    await using opened = await openBehindProxy()
    const appends = [firstOf('law-a'), firstOf('law-b'), firstOf('law-c')]
    proxy.cutAt(appends[1]?.id ?? '', 'before the answer')
    const faults = await Promise.all(appends.map((append) => faultOf(opened.store.append(append))))
    expect(faults.map(({ outcome }) => outcome)).toEqual(['unknown', 'unknown', 'unknown'])
    expect((await wholeLog(opened.store)).length).toBe(3)
  })

  test('while a restore is under way: unknown only once it was to be committed', async () => {
    await using opened = await openBehindProxy()
    await using source = await openBehindProxy()
    await record(source.store, firstOf('law-a'))
    const events = await wholeLog(source.store)
    proxy.cutAt('INSERT INTO', 'before the request')
    expect((await faultOf(opened.store.restore(events))).outcome).toBe('not_recorded')
    proxy.cutAt('COMMIT\0', 'before the answer')
    expect((await faultOf(opened.store.restore(events))).outcome).toBe('unknown')
    expect(await wholeLog(opened.store)).toEqual(events)
  })

  test('before it was found fit for an append: not recorded, and the next call succeeds', async () => {
    await using opened = await openBehindProxy()
    proxy.cut()
    await new Promise((resolve) => setTimeout(resolve, 20))
    proxy.cutAt('pg_is_in_recovery', 'before the answer')
    const fault = await faultOf(opened.store.append(firstOf('law-a')))
    expect(fault).toMatchObject({ outcome: 'not_recorded', retryAfter: 1000 })
    expect(await verdict(opened.store, firstOf('law-a'))).toBe(1)
  })

  test('while reading: not recorded, and the next call succeeds', async () => {
    await using opened = await openBehindProxy()
    await record(opened.store, firstOf('law-a'))
    proxy.cutAt('law-a', 'before the answer')
    const fault = await faultOf(opened.store.readStream('law-a'))
    expect(fault).toMatchObject({ outcome: 'not_recorded', retryAfter: 1000 })
    expect((await opened.store.readStream('law-a')).length).toBe(1)
  })

  test('while idle is replaced without effect', async () => {
    await using opened = await openBehindProxy()
    await record(opened.store, firstOf('law-a'))
    proxy.cut()
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(await verdict(opened.store, firstOf('law-b'))).toBe(1)
  })
})

describe('A server that does not answer', () => {
  test('counts as lost after a while: unknown for an append, not recorded for a read', async () => {
    await using opened = await openHastily()
    await record(opened.store, firstOf('law-a'))
    // Its turn comes after the notification.
    await opened.store.lastPosition()
    proxy.freeze()
    const appended = faultOf(opened.store.append(firstOf('law-b')))
    expect((await appended).outcome).toBe('unknown')
    proxy.resume()
    expect(await verdict(opened.store, firstOf('law-c'))).toBe(1)
  })

  test('in time, because another holds the log, cancels the append: not recorded', async () => {
    await using opened = await openHastily()
    const { store } = opened
    await record(store, firstOf('law-a'))
    const client = new pg.Client({ connectionString: server.connectionString })
    await client.connect()
    const { rows } = await client.query(
      `SELECT pg_advisory_lock(classid::bigint << 32 | objid::bigint) FROM (
        SELECT 1668047222 AS classid, c.oid AS objid FROM pg_class c
        JOIN pg_namespace n ON n.oid = relnamespace WHERE relname = 'events' ORDER BY c.oid DESC LIMIT 1) log`,
    )
    expect(rows.length).toBe(1)
    const appends = [firstOf('law-b'), firstOf('law-c')]
    const faults = await Promise.all(appends.map((append) => faultOf(store.append(append))))
    expect(faults).toMatchObject([
      { outcome: 'not_recorded', retryAfter: 1000 },
      { outcome: 'not_recorded', retryAfter: 1000 },
    ])
    await client.end()
    expect((await wholeLog(store)).length).toBe(1)
    expect(await verdict(store, firstOf('law-b'))).toBe(1)
  })
})

describe('A machine that is cut off in the middle of a batch', () => {
  test('blocks readers only until the server ends it', async () => {
    const { connectionString } = server
    const schema = newSchema()
    await using opened = await openPostgres({ connectionString, schema })
    await using lost = await openPostgres({
      connectionString: `postgres://postgres@127.0.0.1:${proxy.port}/postgres`,
      schema,
    })
    const client = new pg.Client({ connectionString })
    await client.connect()
    // Of the limit that the transaction has, or has not, a twentieth is left.
    const limit = 'idle_in_transaction_session_timeout'
    await client.query(`CREATE FUNCTION ${schema}.hasten() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM set_config('${limit}',
          (extract(epoch FROM current_setting('${limit}')::interval) * 50)::int::text, true);
        RETURN NEW;
      END $$;
      CREATE TRIGGER hasten BEFORE UPDATE ON ${schema}.${CHECKPOINT.name}
        FOR EACH ROW EXECUTE FUNCTION ${schema}.hasten()`)
    await client.end()
    const iam = iamOn(opened.store, { readModel: opened.readModel })
    await good(iam.projects.add({ id: 'p1', name: 'n' }, context))
    const frozen = proxy.freezeAt(STANDING.name)
    const losing = refusal(iamOn(lost.store, lost).projects.list({}, context))
    await frozen
    const { items } = await good(iam.projects.list({}, context))
    expect(items.map(({ id }) => id)).toEqual(['p1'])
    proxy.resume()
    expect(await losing).toMatchObject({ kind: 'Unavailable', outcome: 'not_recorded' })
  })
})

describe('A server that cannot be reached', () => {
  test('rejects appends as not recorded, and accepts them when it is back', async () => {
    await using opened = await openBehindProxy()
    await record(opened.store, firstOf('law-a'))
    await server.kill()
    const faults = [await faultOf(opened.store.append(firstOf('law-b')))]
    faults.push(await faultOf(opened.store.append(firstOf('law-c'))))
    expect(faults.at(-1)).toMatchObject({ outcome: 'not_recorded', retryAfter: 1000 })
    await faultOf(openBehindProxy())
    await server.start()
    expect(await verdict(opened.store, firstOf('law-d'))).toBe(1)
    expect((await wholeLog(opened.store)).map(({ stream }) => stream)).toEqual(['law-a', 'law-d'])
  })
})

describe('A server that refuses to write', () => {
  test('rejects for certain, and its connections are given up', async () => {
    await using opened = await openBehindProxy()
    const { store } = opened
    await record(store, firstOf('law-a'))
    const client = new pg.Client({ connectionString: server.connectionString })
    await client.connect()
    await client.query('ALTER ROLE postgres SET default_transaction_read_only = on')
    proxy.cut()
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect((await faultOf(store.append(firstOf('law-b')))).outcome).toBe('not_recorded')
    await client.query('ALTER ROLE postgres RESET default_transaction_read_only')
    await client.end()
    expect(await verdict(store, firstOf('law-b'))).toBe(1)
  })
})

test('A transaction that the server found too long may be tried again later.', () => {
  const tooLong = Object.assign(new Error('transaction timeout'), {
    code: '25P04',
    severity: 'FATAL',
  })
  expect(asFault(tooLong, 'unknown')).toMatchObject({
    outcome: 'unknown',
    retryAfter: 1000,
    message: 'PostgreSQL: transaction timeout',
  })
})

describe('A connection on which a statement', () => {
  test.each([
    ['that was prepared is gone', true, () => 'DEALLOCATE ALL'],
    [
      'is called as one of ours',
      false,
      (schema: string) => `PREPARE """${schema}"" one" AS SELECT 1`,
    ],
  ])('%s is given up', async (_, isUsed, change) => {
    const pool = new pg.Pool({ connectionString: server.connectionString, max: 1 })
    const schema = newSchema()
    await using opened = await openPostgres({ pool, schema })
    if (isUsed) await record(opened.store, firstOf('law-a'))
    await pool.query(change(schema))
    const fault = await faultOf(opened.store.append(firstOf('law-b')))
    expect(fault).toMatchObject({ outcome: 'not_recorded', retryAfter: 1000 })
    expect(await verdict(opened.store, firstOf('law-b'))).toBe(1)
    await opened.close()
    await pool.end()
  })
})

describe('A pool of another copy of the driver', () => {
  test('reports as well that the server refused an append', async () => {
    const require = createRequire(import.meta.url)
    for (const path of Object.keys(require.cache)) {
      if (/node_modules.pg\b/.test(path)) delete require.cache[path]
    }
    const copy: typeof pg = require('pg')
    expect(copy.DatabaseError).not.toBe(pg.DatabaseError)
    const pool = new copy.Pool({ connectionString: server.connectionString })
    const schema = newSchema()
    await using opened = await openPostgres({ pool, schema })
    await pool.query(`ALTER TABLE ${schema}.events RENAME TO gone`)
    expect((await faultOf(opened.store.append(firstOf('law-a')))).outcome).toBe('not_recorded')
    await opened.close()
    await pool.end()
  })
})

describe('Opening', () => {
  test.each([2 ** 31 - 1, Number.POSITIVE_INFINITY])('takes a timeout of %d', async (longest) => {
    const { connectionString } = server
    for (const timeout of [{ statementTimeout: longest }, { connectTimeout: longest }]) {
      await (await openPostgres({ connectionString, schema: newSchema(), ...timeout })).close()
    }
  })

  test('ends when its signal aborts', async () => {
    const controller = new AbortController()
    proxy.freeze()
    const connectionString = `postgres://postgres@127.0.0.1:${proxy.port}/postgres`
    const opening = openPostgres({ connectionString, signal: controller.signal })
    controller.abort(new Error('enough'))
    await expect(opening).rejects.toThrow('enough')
    proxy.resume()
    await expect(openPostgres({ connectionString, signal: controller.signal })).rejects.toThrow(
      'enough',
    )
  })

  test('removes its listener from the signal', async () => {
    const { signal } = new AbortController()
    await using _ = await openPostgres({ connectionString: server.connectionString, signal })
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  test('uses TLS when it is set', async () => {
    const { connectionString } = server
    for (const ssl of [true, { rejectUnauthorized: true }]) {
      const fault = await faultOf(openPostgres({ connectionString, ssl }))
      expect(fault.message).toContain('does not support SSL')
    }
    await (await openPostgres({ connectionString, ssl: false })).close()
  })

  test('closes the connection to a silent server', async () => {
    proxy.freeze()
    const connectionString = `postgres://postgres@127.0.0.1:${proxy.port}/postgres`
    const fault = await faultOf(openPostgres({ connectionString, connectTimeout: 50 }))
    expect(fault.outcome).toBe('not_recorded')
    proxy.resume()
  })
})

describe('A store that is closed', () => {
  test('answers nothing', async () => {
    const { store, close } = await openBehindProxy()
    await close()
    await close()
    const calls = [
      store.append(firstOf('law-a')),
      store.readStream('law-a'),
      store.readAll(0n, 1),
      store.lastPosition(),
      store.findAppend({ id: 'x' }),
    ]
    for (const fault of await Promise.all(calls.map(faultOf))) {
      expect(fault).toMatchObject({ outcome: 'not_recorded', message: 'The store is closed' })
    }
  })

  test('rejects calls that wait for a connection at once, and waits for running ones', async () => {
    const { connectionString } = server
    const schema = newSchema()
    const { store, close } = await openPostgres({
      connectionString,
      schema,
      maxConnections: 1,
      connectTimeout: 0,
    })
    const client = new pg.Client({ connectionString })
    await client.connect()
    await client.query(`BEGIN; LOCK TABLE ${schema}.events IN ACCESS EXCLUSIVE MODE`)
    const begun = store.lastPosition()
    const waiting = [faultOf(store.append(firstOf('law-a'))), faultOf(store.readStream('law-a'))]
    // Appends go out a moment after they are asked for.
    await new Promise((resolve) => setTimeout(resolve, 20))
    let hasClosed = false
    const closed = close().then(() => {
      hasClosed = true
    })
    for (const fault of await Promise.all(waiting)) {
      expect(fault).toMatchObject({ outcome: 'not_recorded', message: 'The store is closed' })
    }
    expect(hasClosed).toBe(false)
    await client.query('COMMIT')
    await client.end()
    expect(await begun).toBe(0n)
    await closed
  })

  test('waits for no farewell of a server that has fallen silent', async () => {
    const schema = newSchema()
    const { store, close } = await openBehindProxy(undefined, schema)
    const client = new pg.Client({ connectionString: server.connectionString })
    await client.connect()
    await client.query(`BEGIN; LOCK TABLE ${schema}.events IN ACCESS EXCLUSIVE MODE`)
    const begun = store.lastPosition()
    const waiting = 'SELECT FROM pg_locks WHERE NOT granted'
    await expect.poll(async () => (await client.query(waiting)).rowCount).toBe(1)
    const closed = close()
    const farewell = proxy.freezeAt('X\0\0\0\x04')
    await client.query('COMMIT')
    await client.end()
    expect(await begun).toBe(0n)
    await farewell
    await closed
    proxy.resume()
  })

  test('returns a connection that the pool of the host provides too late', async () => {
    const pool = new pg.Pool({ connectionString: server.connectionString, max: 1 })
    const { store, close } = await openPostgres({ pool, schema: newSchema() })
    const client = await pool.connect()
    const waiting = faultOf(store.lastPosition())
    await close()
    expect((await waiting).message).toBe('The store is closed')
    client.release()
    expect((await pool.query('SELECT 1')).rowCount).toBe(1)
    await pool.end()
  })

  test('while its server is silent ends to listen without its answer', async () => {
    const connectionString = `postgres://postgres@127.0.0.1:${proxy.port}/postgres`
    const pool = new pg.Pool({ connectionString })
    const opened = [
      await openBehindProxy(),
      await openPostgres({ pool, schema: newSchema() }),
      await openPostgres({ connectionString, connectTimeout: 0, schema: newSchema() }),
    ]
    for (const { store } of opened.slice(0, 2)) await heardOf(store)
    proxy.freeze()
    // Its connection is on its way.
    opened[2]?.store.onAppend?.(() => undefined)
    // An answer would never come.
    await Promise.all(opened.map(({ close }) => close()))
    proxy.resume()
    await pool.end()
  })

  test('no longer listens, also for a new listener', async () => {
    const pool = new pg.Pool({ connectionString: server.connectionString })
    const { store, close } = await openPostgres({ pool, schema: newSchema() })
    await close()
    const connect = vi.spyOn(pg.Client.prototype, 'connect')
    const stop = store.onAppend?.(() => undefined)
    expect(connect).not.toHaveBeenCalled()
    connect.mockRestore()
    stop?.()
    await pool.end()
  })

  test.each([
    [
      'listening',
      `const { store, close } = await openPostgres({ connectionString })
      await new Promise((resolve) => store.onAppend(resolve))`,
    ],
    [
      'listening beside a pool of the host',
      `const pool = new pg.Pool({ connectionString, max: 1 })
      const { store, close } = await openPostgres({ pool })
      await new Promise((resolve) => store.onAppend(resolve))
      void pool.end()`,
    ],
  ])('lets a program end that has waited for it, %s', async (_, opening) => {
    const program = `
      import pg from 'pg'
      import { openPostgres } from 'claviger/postgres'
      const connectionString = '${server.connectionString}'
      ${opening}
      await close()`
    const flags = ['--input-type=module', '--eval', program]
    const child = spawn(process.execPath, flags, { stdio: 'inherit' })
    expect(await once(child, 'exit')).toEqual([0, null])
  })
})

describe('A store that leaves its block', () => {
  test('is closed, and its connections at the server are gone', async () => {
    const named = `${server.connectionString}?application_name=disposed`
    let store: Postgres['store']
    {
      await using opened = await openPostgres({ connectionString: named })
      store = opened.store
      opened.store.onAppend?.(() => undefined)
      expect(await store.lastPosition()).toBeGreaterThanOrEqual(0n)
    }
    expect((await faultOf(store.lastPosition())).message).toBe('The store is closed')
    const client = new pg.Client({ connectionString: server.connectionString })
    await client.connect()
    const text = `SELECT FROM pg_stat_activity WHERE application_name = 'disposed'`
    // The server takes a moment to notice.
    await expect.poll(async () => (await client.query(text)).rowCount).toBe(0)
    await client.end()
  })
})

describe('A command whose connection is lost during the commit', () => {
  test('has succeeded when it was recorded, and took effect once', async () => {
    await using opened = await openBehindProxy()
    const { store } = opened
    const iam = createIam({
      store,
      secrets: aesGcmCipher({ current: 'k', keys: { k: new Uint8Array(32) } }),
      authorize: () => true,
    })
    const context = { caller: { userId: 'u1', orgId: 'acme' } }
    proxy.cutAt('project.added', 'before the answer')
    const added = await iam.projects.add({ name: 'Portal' }, context)
    expect(added.isOk() && added.value.changed).toBe(true)
    expect((await wholeLog(store)).map(({ type }) => type)).toEqual(['project.added'])
  })

  test('reports an unknown outcome when it was not', async () => {
    await using opened = await openBehindProxy()
    const iam = createIam({
      store: opened.store,
      secrets: aesGcmCipher({ current: 'k', keys: { k: new Uint8Array(32) } }),
      authorize: () => true,
    })
    proxy.cutAt('project.added', 'before the request')
    const context = { caller: { userId: 'u1', orgId: 'acme' } }
    const added = await iam.projects.add({ name: 'Portal' }, context)
    expect(added.isErr() && added.error).toMatchObject({
      kind: 'Unavailable',
      outcome: 'unknown',
      retryAfter: 1000,
      cause: { name: 'StoreFault' },
    })
  })
})
