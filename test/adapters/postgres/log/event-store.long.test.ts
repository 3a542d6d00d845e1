import { setImmediate } from 'node:timers/promises'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { openPostgres } from '../../../../src/adapters/postgres/index.js'
import { lockKey } from '../../../../src/adapters/postgres/log/writes.js'
import { quotedSchema } from '../../../../src/adapters/postgres/schema.js'
import {
  appendOf,
  firstOf,
  record,
  verdict,
  wholeLog,
  write,
} from '../../../../src/laws/event-store/harness.js'
import { eventRestoreLaws, eventStoreLaws } from '../../../../src/laws/index.js'
import { newLog } from '../../../../src/laws/read-model/harness.js'
import { projectAdded } from '../../../../src/laws/read-model/object-samples.js'
import { newSchema, schemas, serverForFile } from '../test-schemas.js'

const server = serverForFile()

const LAWS = [...eventStoreLaws, ...eventRestoreLaws]

describe('The PostgreSQL event store', () => {
  for (const { name, check } of LAWS) {
    test(name, async () => {
      const { connectionString } = server
      await using harness = schemas((schema) => ({ connectionString, schema }))
      await check(harness)
    })
  }
})

describe('The PostgreSQL event store on a pool of the host', () => {
  for (const { name, check } of LAWS) {
    test(name, async () => {
      const pool = new pg.Pool({ connectionString: server.connectionString })
      await using harness = schemas((schema) => ({ pool, schema }))
      await check(harness)
      await harness[Symbol.asyncDispose]()
      await pool.end()
    })
  }
})

test('A restore with a used key is refused, as by every store.', async () => {
  const { connectionString } = server
  await using opened = await openPostgres({ connectionString, schema: newSchema() })
  const { store } = opened
  const [event] = await record(store, firstOf('law-a', { idempotencyKey: 'org+key' }))
  if (!event) throw new Error('An event was expected')
  const position = event.position + 1n
  const again = { ...event, stream: 'law-b', appendId: 'another', position } as const
  await expect(store.restore([again])).rejects.toMatchObject({
    name: 'InvalidRestore',
    message: 'The idempotency key org+key was used before',
  })
})

describe('Appends sent together', () => {
  test('are checked independently', async () => {
    const { connectionString } = server
    await using opened = await openPostgres({ connectionString, schema: newSchema() })
    const { store } = opened
    await record(store, firstOf('law-project', { idempotencyKey: 'key' }))
    const verdicts = await Promise.all([
      verdict(store, firstOf('law-a')),
      verdict(store, appendOf([write('law-project', 2), write('law-b', 0, {})])),
      verdict(store, appendOf([write('law-project', 1), write('law-c', 0, {})])),
      verdict(store, firstOf('law-d', { idempotencyKey: 'key' })),
      verdict(store, appendOf([write('law-e', 0, {}), write('law-f', 3, {})])),
      verdict(store, appendOf([write('law-project', 1), write('law-project-2', 0)])),
      verdict(store, firstOf('law-g', { idempotencyKey: 'another' })),
    ])
    const conflict = (stream: string) => ({ kind: 'VersionConflict', stream })
    expect(verdicts).toEqual([
      1,
      conflict('law-project'),
      1,
      { kind: 'IdempotencyKeyUsed' },
      conflict('law-f'),
      0,
      1,
    ])
    const streams = (await wholeLog(store)).map(({ stream }) => stream)
    expect(streams).toEqual(['law-project', 'law-a', 'law-c', 'law-g'])
    const byKey = await store.findAppend({ idempotencyKey: 'another' })
    expect(byKey.map(({ stream }) => stream)).toEqual(['law-g'])
  })
})

describe('An append of one event', () => {
  test('is refused where the version before it is missing', async () => {
    const { connectionString } = server
    await using opened = await openPostgres({ connectionString, schema: newSchema() })
    const conflict = { kind: 'VersionConflict', stream: 'law-a' }
    for (const version of [1, 2])
      expect(await verdict(opened.store, appendOf([write('law-a', version, {})]))).toEqual(conflict)
    expect(await wholeLog(opened.store)).toEqual([])
  })

  test('is refused for its own stream before the one that it guards', async () => {
    const { connectionString } = server
    await using opened = await openPostgres({ connectionString, schema: newSchema() })
    await record(opened.store, firstOf('law-a'))
    const both = appendOf([write('law-a', 0, {}), write('law-b', 1)])
    const conflict = { kind: 'VersionConflict', stream: 'law-a' }
    expect(await verdict(opened.store, both)).toEqual(conflict)
  })
})

test('A position that is lower than every integer of PostgreSQL has all events above it.', async () => {
  const { connectionString } = server
  await using opened = await openPostgres({ connectionString, schema: newSchema() })
  const { store, readModel } = opened
  const log = newLog()
  log.record('acme', projectAdded('portal'))
  await store.restore(log.events)
  await readModel.apply(0n, log.events)
  for (const after of [-1n, -(2n ** 63n) - 1n, -(2n ** 70n)]) {
    expect((await store.readAll(after, 10)).length).toBe(1)
    expect(await store.countAfter(after)).toBe(1)
    expect((await readModel.history({ orgId: 'acme', after, limit: 10 })).length).toBe(1)
  }
})

test('A restore waits for its turn as every append does.', async () => {
  const { connectionString } = server
  const schema = newSchema()
  await using opened = await openPostgres({ connectionString, schema })
  const log = newLog()
  log.record('acme', projectAdded('portal'))
  const other = new pg.Client({ connectionString })
  await other.connect()
  await other.query(`BEGIN; SELECT pg_advisory_xact_lock(${lockKey(quotedSchema(schema))})`)
  const restored = opened.store.restore(log.events).then(() => 'restored')
  const untilItWaits = async () => {
    const waiting = "SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
    while ((await other.query(waiting)).rowCount === 0) await setImmediate()
    return 'waiting'
  }
  expect(await Promise.race([restored, untilItWaits()])).toBe('waiting')
  await other.query('COMMIT')
  expect(await restored).toBe('restored')
  await other.end()
})

test('An append is on disk before it is answered, also where other commits are not.', async () => {
  const schema = newSchema()
  const connectionString = `${server.connectionString}?options=-c%20synchronous_commit%3Doff`
  await using opened = await openPostgres({ connectionString, schema })
  const { store } = opened
  const client = new pg.Client({ connectionString })
  await client.connect()
  await client.query(`CREATE TABLE ${schema}.seen (setting text);
    CREATE FUNCTION ${schema}.see() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO ${schema}.seen VALUES (current_setting('synchronous_commit'));
      RETURN NULL;
    END $$;
    CREATE TRIGGER see AFTER INSERT ON ${schema}.events EXECUTE FUNCTION ${schema}.see()`)

  await record(store, firstOf('law-alone'))
  await Promise.all([record(store, firstOf('law-a')), record(store, firstOf('law-b'))])
  const [last] = (await wholeLog(store)).slice(-1)
  if (last) await store.restore([{ ...last, stream: 'law-r', position: last.position + 1n }])

  const { rows } = await client.query(`SELECT DISTINCT setting FROM ${schema}.seen`)
  expect(rows).toEqual([{ setting: 'on' }])
  await client.end()
})
