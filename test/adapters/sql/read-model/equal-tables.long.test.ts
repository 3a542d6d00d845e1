import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { openPostgres } from '../../../../src/adapters/postgres/index.js'
import { CHECKPOINT, FILLED } from '../../../../src/adapters/sql/read-model/tables.js'
import { openSqlite } from '../../../../src/adapters/sqlite/index.js'
import { ProjectId } from '../../../../src/domain/values.js'
import {
  projectGrantAdded,
  projectGrantDeactivated,
  projectGrantUpdated,
  userGrantAdded,
  userGrantDeactivated,
  userGrantReactivated,
  userGrantRemoved,
  userGrantUpdated,
} from '../../../../src/laws/read-model/grant-samples.js'
import type { Log } from '../../../../src/laws/read-model/harness.js'
import {
  idpAdded,
  projectAdded,
  projectRemoved,
  roleAdded,
  roleRemoved,
  roleUpdated,
} from '../../../../src/laws/read-model/object-samples.js'
import { manyLog } from '../../../../src/laws/read-model/samples.js'
import type { ReadModel } from '../../../../src/ports/read-model.js'
import { newSchema, serverForFile } from '../../postgres/test-schemas.js'
import { temporaryFile } from '../../sqlite/temporary-file.js'

const server = serverForFile()

/** Objects that come, change and go, in organizations that are new in the middle of a batch. */
const busyLog = (): Log => {
  const log = manyLog()
  const id = ProjectId.parse('portal')
  log.record('north', idpAdded('google'))
  log.record('south', projectAdded(id))
  log.record('south', { type: 'project.deactivated', data: { id } })
  log.record('south', roleAdded(id, 'editor'))
  log.record('south', roleUpdated(id, 'editor', { displayName: 'Chief' }))
  log.record('south', roleRemoved(id, 'editor'))
  log.record('south', roleAdded(id, 'editor'))
  log.record('north', projectAdded(id))
  log.record('north', roleAdded(id, 'reader'))
  grantRoles(log, id)
  log.record('north', projectRemoved(id))
  return log
}

/** Roles of the projects of both are granted and given, changed and ended in every way. */
const grantRoles = (log: Log, id: string): void => {
  const bob = { userId: 'bob', projectId: id, projectOrgId: 'south' }
  log.record('south', roleAdded(id, 'reader'))
  log.record('south', projectGrantAdded(id, 'north', ['editor', 'reader']))
  log.record('north', userGrantAdded(bob, ['editor', ['reader', '2030-01-01T00:00:00.000Z']]))
  log.record('south', userGrantAdded(bob, ['editor']))
  log.record('north', userGrantAdded({ ...bob, projectOrgId: 'north' }, ['reader']))
  log.record('north', userGrantUpdated(bob, ['editor', 'reader']))
  log.record('south', projectGrantUpdated(id, 'north', ['reader']))
  log.record('south', userGrantDeactivated(bob))
  log.record('south', roleRemoved(id, 'editor'))
  log.record('south', userGrantReactivated(bob))
  log.record('south', projectGrantDeactivated(id, 'north'))
  log.record('south', userGrantRemoved(bob))
}

const applyIn = async (model: ReadModel, log: Log, size: number): Promise<void> => {
  for (let from = 0; from < log.events.length; from += size) {
    const batch = log.events.slice(from, from + size)
    expect(await model.apply(await model.checkpoint(), batch)).toBe(true)
  }
}

/** Each row as text, in an order that does not depend on how it was written. */
const sorted = (rows: readonly object[]) => rows.map((row) => Object.values(row).join()).toSorted()

const onSqlite = async (log: Log, size: number) => {
  const path = temporaryFile()
  await using opened = openSqlite(path)
  await applyIn(opened.readModel, log, size)
  const database = new DatabaseSync(path, { readOnly: true })
  const rows = [CHECKPOINT, ...FILLED].map(({ name }) =>
    sorted(database.prepare(`SELECT * FROM ${name}`).all()),
  )
  database.close()
  return rows
}

const onPostgres = async (log: Log, size: number) => {
  const schema = newSchema()
  await using opened = await openPostgres({ connectionString: server.connectionString, schema })
  await applyIn(opened.readModel, log, size)
  const client = new pg.Client({ connectionString: server.connectionString })
  await client.connect()
  const rows = []
  for (const { name } of [CHECKPOINT, ...FILLED])
    rows.push(sorted((await client.query(`SELECT * FROM ${schema}.${name}`)).rows))
  await client.end()
  return rows
}

describe.each([
  ['SQLite', onSqlite],
  ['PostgreSQL', onPostgres],
] as const)('Equal logs lead to equal tables on %s', (_, tablesAfter) => {
  test.each([2, 3, 7, 1_000])('one by one and %i events at a time.', async (size) => {
    expect(await tablesAfter(busyLog(), size)).toEqual(await tablesAfter(busyLog(), 1))
  })
})
