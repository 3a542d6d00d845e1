import { DatabaseSync, StatementSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  CHANGES,
  CHECKPOINT,
  OBJECTS,
  READ_MODEL,
} from '../../../../src/adapters/sql/read-model/tables.js'
import { openSqlite } from '../../../../src/adapters/sqlite/index.js'
import { memoryReadModel, type ReadModel } from '../../../../src/index.js'
import { readModelLaws } from '../../../../src/laws/index.js'
import {
  userGrantAdded,
  userGrantDeactivated,
  userGrantUpdated,
} from '../../../../src/laws/read-model/grant-samples.js'
import { newLog } from '../../../../src/laws/read-model/harness.js'
import {
  idpAdded,
  idpDeactivated,
  projectAdded,
  roleAdded,
  SEAL,
} from '../../../../src/laws/read-model/object-samples.js'
import { listOf } from '../../../../src/laws/read-model/samples.js'
import { databaseHome } from '../../read-model-home.js'
import { temporaryFile } from '../temporary-file.js'

describe('A read model in an SQLite file', () => {
  const home = databaseHome(temporaryFile, openSqlite)

  test.each(readModelLaws)('$name', ({ check }) => check(home))
})

const tablesOf = (path: string): readonly unknown[] => {
  const database = new DatabaseSync(path)
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all()
  database.close()
  return tables.map(({ name }) => name)
}

test('Its tables have their shape in their names and are made at first use.', async () => {
  const path = temporaryFile()
  const { readModel, close } = openSqlite(path)
  expect(tablesOf(path)).toEqual(['events'])

  await readModel.checkpoint()
  await close()

  expect(tablesOf(path)).toEqual([
    'events',
    `${READ_MODEL}_checkpoint`,
    `${READ_MODEL}_identity_provider`,
    `${READ_MODEL}_project`,
    `${READ_MODEL}_project_role`,
    `${READ_MODEL}_project_grant`,
    `${READ_MODEL}_user_grant`,
    `${READ_MODEL}_domain`,
    `${READ_MODEL}_role_mapping`,
    `${READ_MODEL}_membership`,
    `${READ_MODEL}_setup_link`,
    `${READ_MODEL}_place`,
    `${READ_MODEL}_share`,
    `${READ_MODEL}_held`,
    `${READ_MODEL}_mapped`,
    `${READ_MODEL}_member`,
    `${READ_MODEL}_standing`,
    `${READ_MODEL}_permission`,
    `${READ_MODEL}_change`,
  ])
})

test('Its tables are made again by a reset when somebody has dropped them.', async () => {
  const path = temporaryFile()
  await using opened = openSqlite(path)
  const { readModel } = opened
  const log = await withProject(readModel)
  const database = new DatabaseSync(path)
  for (const table of tablesOf(path).slice(1)) database.exec(`DROP TABLE ${table}`)
  database.close()

  await expect(readModel.checkpoint()).rejects.toThrow('no such table')
  await readModel.reset()

  expect(await readModel.checkpoint()).toBe(0n)
  expect(await readModel.apply(0n, log.events)).toBe(true)
})

test('A reset leaves nothing behind.', async () => {
  const path = temporaryFile()
  await using opened = openSqlite(path)
  const { readModel } = opened
  const log = newLog()
  const ann = { userId: 'ann', projectId: 'portal', projectOrgId: 'acme' }
  log.record('acme', userGrantAdded(ann, ['editor']))
  log.record('acme', userGrantDeactivated(ann))
  await readModel.apply(0n, log.events)
  await readModel.reset()
  const database = new DatabaseSync(path)
  for (const table of tablesOf(path).slice(1)) {
    expect(database.prepare(`SELECT 1 FROM ${table}`).all(), `${table}`).toEqual([])
  }
  database.close()
})

test('Its tables hold no secret, not even a sealed one.', async () => {
  const path = temporaryFile()
  const { readModel, close } = openSqlite(path)
  const log = newLog()
  log.record('acme', idpAdded('google'))
  log.record('acme', idpDeactivated('google'))
  await readModel.apply(0n, log.events)
  await close()

  const database = new DatabaseSync(path)
  for (const table of [OBJECTS.identity_provider.name, CHANGES.name]) {
    const rows = database.prepare(`SELECT * FROM ${table}`).all()
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain(SEAL)
  }
  database.close()
})

test('What another process has locked is waited for.', async () => {
  const path = temporaryFile()
  const { readModel, close } = openSqlite(path)
  await readModel.checkpoint()
  const log = newLog()
  log.record('acme', projectAdded('portal'))
  const other = new DatabaseSync(path)
  other.exec('BEGIN IMMEDIATE')

  const applied = readModel.apply(0n, log.events)
  expect(await readModel.get('acme', { type: 'project', id: 'portal' })).toBeUndefined()
  other.exec('COMMIT')
  other.close()

  expect(await applied).toBe(true)
  await close()
})

test('A list is of one moment, though another process writes while it is read.', async () => {
  const path = temporaryFile()
  await using opened = openSqlite(path)
  const { readModel } = opened
  const log = await withProject(readModel)
  const other = new DatabaseSync(path)
  const { all } = StatementSync.prototype
  const reading = vi.spyOn(StatementSync.prototype, 'all')
  onTestFinished(() => reading.mockRestore())
  reading.mockImplementationOnce(function (this: StatementSync, ...parameters) {
    const rows = all.apply(this, parameters)
    other.exec(`DELETE FROM ${OBJECTS.project.name}; UPDATE ${CHECKPOINT.name} SET position = 0`)
    return rows
  })

  const sort = [{ field: 'id', direction: 'asc' }] as const
  const query = { type: 'project', orgId: 'acme', conditions: [], sort, limit: 10 } as const
  const { items, totalSize, sequence } = await readModel.list(query)

  expect([items.length, totalSize, sequence]).toEqual([1, 1, log.events[0]?.position])
  expect(await readModel.checkpoint()).toBe(0n)
  other.close()
})

test('The rows of a list are counted once for each checkpoint, and anew after a reset.', async () => {
  const path = temporaryFile()
  await using opened = openSqlite(path)
  const { readModel } = opened
  const log = await withProject(readModel)
  const sort = [{ field: 'id', direction: 'asc' }] as const
  const query = { type: 'project', orgId: 'acme', conditions: [], sort, limit: 10 } as const
  const totalOf = async (more: object = {}) =>
    (await readModel.list({ ...query, ...more })).totalSize
  expect([await totalOf(), await totalOf({ orgId: 'other' })]).toEqual([1, 0])

  // Without an event, no row changes: what somebody deletes is not noticed.
  const database = new DatabaseSync(path)
  database.exec(`DELETE FROM ${OBJECTS.project.name}`)
  database.close()
  expect([await totalOf(), await totalOf({ after: ['a'], limit: 1 })]).toEqual([1, 1])

  const checkpoint = await readModel.checkpoint()
  log.record('acme', projectAdded('shop'))
  log.record('acme', projectAdded('wiki'))
  await readModel.apply(checkpoint, log.events.slice(1))
  expect(await totalOf()).toBe(2)

  await readModel.reset()
  await readModel.apply(0n, log.events.slice(-1))
  expect(await totalOf()).toBe(1)
})

test('A grant that was recorded without roles is there, and may get some.', async () => {
  const grant = { userId: 'ann', projectId: 'portal', projectOrgId: 'acme' }
  const log = newLog()
  log.record('acme', projectAdded('portal'))
  log.record('acme', roleAdded('portal', 'reader'))
  log.record('acme', userGrantAdded(grant, []))
  log.record('acme', userGrantAdded({ ...grant, resource: 'workspace:42' }, []))
  await using opened = openSqlite(temporaryFile())
  const models = [opened.readModel, memoryReadModel()]
  const listed = () => Promise.all(models.map((model) => model.list(listOf('user_grant'))))
  const applied = async (from: bigint) => {
    for (const model of models) await model.apply(from, log.above(from))
    return await listed()
  }

  const [without, expected] = await applied(0n)
  expect(without).toEqual(expected)
  expect(without?.totalSize).toBe(2)

  const from = await opened.readModel.checkpoint()
  log.record('acme', userGrantUpdated(grant, ['reader']))
  const [given, known] = await applied(from)
  expect(given).toEqual(known)
  expect(given?.items.map(({ roles }) => roles.length)).toContain(1)
})

test('Half a character is not found as what SQLite would take it for.', async () => {
  await using opened = openSqlite(temporaryFile())
  const { readModel } = opened
  const log = newLog()
  log.record('acme', projectAdded('portal', '\ufffd'))
  await readModel.apply(0n, log.events)
  const sort = [{ field: 'id', direction: 'asc' }] as const
  for (const [value, found] of [
    ['\ufffd', 1],
    ['\ud83d', 0],
  ] as const) {
    const conditions = [{ field: 'name', operator: 'equals', value, ignoreCase: false }] as const
    const query = { type: 'project', orgId: 'acme', conditions, sort, limit: 10 } as const
    expect((await readModel.list(query)).items).toHaveLength(found)
  }
})

/** The log that an empty read model now shows: of one project. */
const withProject = async (readModel: ReadModel) => {
  const log = newLog()
  log.record('acme', projectAdded('portal'))
  await readModel.apply(0n, log.events)
  return log
}
