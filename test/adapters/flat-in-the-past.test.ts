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
} from '../../src/testing/read-model/grant-samples.js'
import { feed, newLog } from '../../src/testing/read-model/harness.js'
import { projectAdded, roleAdded } from '../../src/testing/read-model/object-samples.js'
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

/** Milliseconds that the fastest of some reads takes. */
const fastest = async (read: () => Promise<unknown>): Promise<number> => {
  let least = Number.POSITIVE_INFINITY
  for (let time = 0; time < 15; time++) {
    const begin = performance.now()
    await read()
    least = Math.min(least, performance.now() - begin)
  }
  return least
}

const server = serverForFile()
const closes: (() => Promise<void>)[] = []

afterAll(async () => {
  for (const close of closes) await close()
})

describe.each([
  ['memory', async () => memoryReadModel()],
  [
    'SQLite',
    async () => {
      const { readModel, close } = openSqlite(temporaryFile())
      closes.push(async () => close())
      return readModel
    },
  ],
  [
    'PostgreSQL without statistics',
    async () => {
      const { connectionString } = server
      const { readModel, close } = await openPostgres({ connectionString, schema: newSchema() })
      closes.push(close)
      return readModel
    },
  ],
])('In %s', (_, open) => {
  test('a check takes no longer for what was long ago.', async () => {
    const [fresh, old] = [await open(), await open()]
    await feedPast(fresh, 2)
    await feedPast(old, TIMES)
    const check = (model: ReadModel) => model.access({ orgId: 'acme', ...grantOf('ann') })
    expect((await check(old)).roles).toMatchObject([{ roleKey: 'editor' }])
    const before = await fastest(() => check(fresh))
    expect(await fastest(() => check(old))).toBeLessThan(4 * before + 1)
  })
})

test('In memory, a page of holders takes no longer for what was long ago', async () => {
  const [fresh, old] = [memoryReadModel(), memoryReadModel()]
  await feedPast(fresh, 2)
  await feedPast(old, 6 * TIMES)
  const list = (model: ReadModel) =>
    model.holders({ orgId: 'acme', projectId: 'portal', now: NOW, limit: HOLDERS + 1 })
  expect((await list(old)).items).toHaveLength(HOLDERS + 1)
  const before = await fastest(() => list(fresh))
  expect(await fastest(() => list(old))).toBeLessThan(4 * before + 1)
})
