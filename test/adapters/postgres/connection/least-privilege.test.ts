import pg from 'pg'
import { beforeAll, describe, expect, test } from 'vitest'
import { openPostgres } from '../../../../src/adapters/postgres/index.js'
import { CHECKPOINT, OBJECTS } from '../../../../src/adapters/sql/read-model/tables.js'
import {
  appendOf,
  firstOf,
  record,
  verdict,
  wholeLog,
  write,
} from '../../../../src/laws/event-store/harness.js'
import { newLog } from '../../../../src/laws/read-model/harness.js'
import { projectAdded, roleAdded } from '../../../../src/laws/read-model/object-samples.js'
import { serverForFile } from '../test-schemas.js'
import { grants } from './grants.js'

const server = serverForFile()

let runtime: string

beforeAll(async () => {
  await (await openPostgres({ connectionString: server.connectionString })).close()
  const client = new pg.Client({ connectionString: server.connectionString })
  await client.connect()
  await client.query('CREATE ROLE claviger_runtime LOGIN')
  await client.query(grants)
  await client.end()
  runtime = server.connectionString.replace('postgres@', 'claviger_runtime@')
})

describe('A role with the documented grants', () => {
  test('reads, appends alone and in groups, restores and listens', async () => {
    await using opened = await openPostgres({ connectionString: runtime, migrate: false })
    const { store } = opened
    const heard = new Promise<void>((resolve) => store.onAppend?.(resolve))
    await record(store, firstOf('law-a', { idempotencyKey: 'key' }))
    await Promise.all([1, 2, 3].map((n) => record(store, firstOf(`law-${n}`))))
    await heard
    expect(await verdict(store, appendOf([write('law-a', 0, {})]))).toEqual({
      kind: 'VersionConflict',
      stream: 'law-a',
    })
    expect((await store.findAppend({ idempotencyKey: 'key' })).length).toBe(1)
    const log = await wholeLog(store)
    expect(log.length).toBe(4)
    const [last] = log.slice(-1)
    if (last) await store.restore([{ ...last, stream: 'law-r', position: last.position + 1n }])
    expect((await wholeLog(store)).length).toBe(5)
  })

  test('feeds, reads and empties the read model', async () => {
    await using opened = await openPostgres({ connectionString: runtime, migrate: false })
    const { readModel } = opened
    const log = newLog()
    log.record('acme', projectAdded('portal'))
    log.record('acme', roleAdded('portal', 'editor'))
    expect(await readModel.apply(0n, log.events)).toBe(true)
    const portal = await readModel.get<'project'>('acme', { type: 'project', id: 'portal' })
    expect(portal?.id).toBe('portal')
    await readModel.reset()
    expect(await readModel.checkpoint()).toBe(0n)
  })

  test('fills a read model that a backup has left out', async () => {
    const client = new pg.Client({ connectionString: server.connectionString })
    await client.connect()
    await client.query(`TRUNCATE claviger.${CHECKPOINT.name}, claviger.${OBJECTS.project.name}`)
    await client.end()
    await using opened = await openPostgres({ connectionString: runtime, migrate: false })
    const { readModel } = opened
    const log = newLog()
    log.record('acme', projectAdded('shop'))
    expect(await readModel.apply(0n, log.events)).toBe(true)
    expect(await readModel.checkpoint()).toBe(log.events[0]?.position)
    expect(await readModel.apply(0n, log.events)).toBe(false)
  })

  test('opens without `migrate: false` when there is nothing to migrate', async () => {
    await using opened = await openPostgres({ connectionString: runtime })
    await opened.store.lastPosition()
  })

  test('may change or delete no event, and make no table', async () => {
    const client = new pg.Client({ connectionString: runtime })
    await client.connect()
    for (const text of [
      `UPDATE claviger.events SET data = '{}'`,
      'DELETE FROM claviger.events',
      'TRUNCATE claviger.events',
      'DROP TABLE claviger.events',
      'CREATE TABLE claviger.mine (id int)',
      'INSERT INTO claviger.migrations (version) VALUES (1000)',
    ]) {
      await expect(client.query(text)).rejects.toThrow(/permission denied|must be owner/)
    }
    await client.end()
  })
})
