import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { openPostgres } from '../../../src/adapters/postgres/index.js'
import {
  appendOf,
  firstOf,
  record,
  verdict,
  wholeLog,
  write,
} from '../../../src/testing/event-store-laws/samples.js'
import { eventRestoreLaws, eventStoreLaws } from '../../../src/testing/event-store-laws.js'
import { newLog, projectAdded } from '../../../src/testing/read-model/log.js'
import { newSchema, schemas, serverForFile } from './test-schemas.js'

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

describe('Appends sent together', () => {
  test('are judged each on its own', async () => {
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
