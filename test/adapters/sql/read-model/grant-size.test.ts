import { createHash } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { expect, test } from 'vitest'
import { openPostgres } from '../../../../src/adapters/postgres/index.js'
import { READ_MODEL } from '../../../../src/adapters/sql/read-model/tables.js'
import { openSqlite } from '../../../../src/adapters/sqlite/index.js'
import { userGrantAdded } from '../../../../src/laws/read-model/grant-samples.js'
import { feed, newLog } from '../../../../src/laws/read-model/harness.js'
import { projectAdded, roleAdded } from '../../../../src/laws/read-model/object-samples.js'
import type { ReadModel } from '../../../../src/ports/read-model.js'
import { serverForFile } from '../../postgres/test-schemas.js'

const server = serverForFile()

const GRANTS = 2_000
const PROJECTS = ['crm', 'portal', 'shop']

/** What tables and their indexes take: entries are rows and entries of indexes. */
interface Size {
  readonly entries: number
  readonly bytes: number
}

/** Random, but the same in each run. */
const uuidOf = (number: number): string => {
  const hex = createHash('sha256').update(`${number}`).digest('hex')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5')
}

/** What one grant of one role takes, where users have UUIDs. */
const sizeOfGrant = async (model: ReadModel, size: () => Promise<Size>): Promise<Size> => {
  const log = newLog()
  for (const projectId of PROJECTS) {
    log.record('acme', projectAdded(projectId))
    log.record('acme', roleAdded(projectId, 'editor'))
  }
  await feed(model, log)
  const before = await size()
  for (let index = 0; index < GRANTS; index++) {
    const projectId = PROJECTS[index % PROJECTS.length] ?? ''
    const ids = { userId: uuidOf(index), projectId, projectOrgId: 'acme' }
    log.record('acme', userGrantAdded(ids, ['editor']))
  }
  await feed(model, log)
  const after = await size()
  return {
    entries: Math.round((after.entries - before.entries) / GRANTS),
    bytes: (after.bytes - before.bytes) / GRANTS,
  }
}

test('A grant takes three entries of tables and indexes on SQLite, and at most 300 bytes.', async () => {
  const handle = new DatabaseSync(':memory:')
  const { readModel, close } = openSqlite(handle)
  // A leaf of a table or an index has one cell for each entry.
  const sum =
    handle.prepare(`SELECT sum(iif(pagetype = 'leaf', ncell, 0)) AS entries, sum(pgsize) AS bytes
    FROM dbstat WHERE name LIKE '%${READ_MODEL}%'`)
  const size = async () => {
    const row = sum.get()
    return { entries: Number(row?.['entries']), bytes: Number(row?.['bytes']) }
  }
  const grant = await sizeOfGrant(readModel, size)
  expect(grant.entries).toBe(3)
  expect(grant.bytes).toBeLessThan(300)
  await close()
  handle.close()
})

test('A grant takes five entries of tables and indexes on PostgreSQL, and at most 650 bytes.', async () => {
  const { connectionString } = server
  await using postgres = await openPostgres({ connectionString, schema: 'iam' })
  const client = new pg.Client({ connectionString })
  await client.connect()
  const size = async () => {
    await client.query('VACUUM ANALYZE')
    const { rows } = await client.query(
      `SELECT sum(reltuples) AS entries, sum(pg_relation_size(oid)) AS bytes FROM pg_class
       WHERE relkind IN ('r', 'i') AND relnamespace = 'iam'::regnamespace AND relname LIKE $1`,
      [`${READ_MODEL}%`],
    )
    return { entries: Number(rows[0].entries), bytes: Number(rows[0].bytes) }
  }
  const grant = await sizeOfGrant(postgres.readModel, size)
  expect(grant.entries).toBe(5)
  expect(grant.bytes).toBeLessThan(650)
  await client.end()
})
