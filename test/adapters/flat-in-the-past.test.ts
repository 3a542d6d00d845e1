import pg from 'pg'
import { afterAll, describe, expect, test } from 'vitest'
import { openPostgres } from '../../src/adapters/postgres/index.js'
import { openSqlite } from '../../src/adapters/sqlite/index.js'
import { memoryReadModel, type ReadModel } from '../../src/index.js'
import {
  grantOf,
  projectGrantAdded,
  projectGrantDeactivated,
  projectGrantReactivated,
  userGrantAdded,
  userGrantRemoved,
} from '../../src/laws/read-model/grant-samples.js'
import { feed, newLog } from '../../src/laws/read-model/harness.js'
import { projectAdded, roleAdded } from '../../src/laws/read-model/object-samples.js'
import { newSchema, serverForFile } from './postgres/test-schemas.js'
import { temporaryFile } from './sqlite/temporary-file.js'

const NOW = new Date('2026-01-01')
const HOLDERS = 300
const TIMES = 3_000

/** Feeds `model` a role that one user had so often, and holders whose project was inactive for them so often. */
const feedPast = async (model: ReadModel, times: number): Promise<void> => {
  const log = newLog()
  log.record('acme', projectAdded('portal'))
  log.record('acme', roleAdded('portal', 'editor'))
  log.record('acme', projectGrantAdded('portal', 'globex', ['editor']))
  for (let user = 0; user < HOLDERS; user++)
    log.record('globex', userGrantAdded(grantOf(`user-${user}`), ['editor']))
  for (let time = 0; time < times; time++) {
    log.record('acme', userGrantAdded(grantOf('ann'), ['editor']))
    log.record('acme', userGrantRemoved(grantOf('ann')))
    log.record('acme', projectGrantDeactivated('portal', 'globex'))
    log.record('acme', projectGrantReactivated('portal', 'globex'))
  }
  log.record('acme', userGrantAdded(grantOf('ann'), ['editor']))
  await feed(model, log)
}

/** Milliseconds of the processor that the fastest of some reads takes, whatever else runs on the machine. */
const fastest = async (read: () => Promise<unknown>): Promise<number> => {
  let least = Number.POSITIVE_INFINITY
  for (let time = 0; time < 15; time++) {
    const begin = process.cpuUsage()
    await read()
    const { user, system } = process.cpuUsage(begin)
    least = Math.min(least, (user + system) / 1_000)
  }
  return least
}

const server = serverForFile()
const closes: (() => Promise<void>)[] = []

afterAll(async () => {
  for (const close of closes) await close()
})

/** A read model, and what a read of it costs. */
interface Home {
  readonly model: ReadModel
  readonly costOf: (read: () => Promise<unknown>) => Promise<number>
}

/** PostgreSQL without statistics, where the last statement of a read costs the blocks that it reads. */
const openCounted = async (): Promise<Home> => {
  const pool = new pg.Pool({ connectionString: server.connectionString, max: 1 })
  closes.push(() => pool.end())
  let last: pg.QueryConfig | undefined
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...given: unknown[]) => unknown
    const kept = (...given: readonly unknown[]) => {
      const [statement] = given
      if (typeof statement === 'object') last = statement as pg.QueryConfig
      return query(...given)
    }
    Object.assign(client, { query: kept })
  })
  const { readModel } = await openPostgres({ pool, schema: newSchema() })
  return {
    model: readModel,
    costOf: async (read) => {
      await read()
      const { text = '', values = [] } = last ?? {}
      const { rows } = await pool.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, values)
      const [{ Plan: plan }] = rows[0]['QUERY PLAN']
      return plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
    },
  }
}

describe.each<[string, () => Promise<Home>]>([
  ['memory', async () => ({ model: memoryReadModel(), costOf: fastest })],
  [
    'SQLite',
    async () => {
      const { readModel, close } = openSqlite(temporaryFile())
      closes.push(async () => close())
      return { model: readModel, costOf: fastest }
    },
  ],
  ['PostgreSQL without statistics', openCounted],
])('In %s', (_, open) => {
  test('a check costs no more for what was long ago.', async () => {
    const [fresh, old] = [await open(), await open()]
    await feedPast(fresh.model, 2)
    await feedPast(old.model, TIMES)
    const check = ({ model }: Home) => model.access({ orgId: 'acme', ...grantOf('ann') })
    expect((await check(old)).grants[0]?.roles).toMatchObject([{ roleKey: 'editor' }])
    const before = await fresh.costOf(() => check(fresh))
    expect(before).toBeGreaterThan(0)
    expect(await old.costOf(() => check(old))).toBeLessThan(4 * before + 1)
  })
})

test('In memory, a page of holders costs no more for what was long ago', async () => {
  const [fresh, old] = [memoryReadModel(), memoryReadModel()]
  await feedPast(fresh, 2)
  await feedPast(old, 6 * TIMES)
  const list = (model: ReadModel) =>
    model.holders({ orgId: 'acme', projectId: 'portal', now: NOW, limit: HOLDERS + 1 })
  expect((await list(old)).items).toHaveLength(HOLDERS + 1)
  const before = await fastest(() => list(fresh))
  expect(await fastest(() => list(old))).toBeLessThan(4 * before + 1)
})
