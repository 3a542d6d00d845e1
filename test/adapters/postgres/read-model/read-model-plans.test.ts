import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPostgres, type Postgres } from '../../../../src/adapters/postgres/index.js'
import { numbered, postgresDialect } from '../../../../src/adapters/postgres/read-model.js'
import { historyStatement } from '../../../../src/adapters/sql/read-model/history.js'
import { listStatements } from '../../../../src/adapters/sql/read-model/lists.js'
import { OBJECTS, PERMISSIONS } from '../../../../src/adapters/sql/read-model/tables.js'
import { newLog } from '../../../../src/laws/read-model/harness.js'
import {
  projectAdded,
  projectRemoved,
  roleAdded,
} from '../../../../src/laws/read-model/object-samples.js'
import type { HistoryQuery } from '../../../../src/ports/read-model.js'
import { serverForFile } from '../test-schemas.js'

const server = serverForFile()
let postgres: Postgres
let client: pg.Client

beforeAll(async () => {
  const { connectionString } = server
  postgres = await openPostgres({ connectionString, schema: 'iam' })
  client = new pg.Client({ connectionString })
  await client.connect()
  const log = newLog()
  for (let index = 0; index < 100; index++) {
    log.record('acme', projectAdded(`project-${index}`))
    for (let role = 0; role < 100; role++)
      log.record(
        'acme',
        roleAdded(`project-${index}`, `role-${role}`, { permissions: [`doc-${role % 20}:read`] }),
      )
  }
  log.record('acme', projectRemoved('project-7'))
  await postgres.store.restore(log.events)
  await postgres.readModel.apply(0n, log.events)
  await client.query('ANALYZE')
})

afterAll(async () => {
  await client.end()
  await postgres.close()
})

const project = { type: 'project', id: 'project-7' } as const
const role = { type: 'project_role', projectId: 'project-7', roleKey: 'role-7' } as const

test.each<Partial<HistoryQuery>>([
  { object: project },
  { object: role },
  { object: role, order: 'desc', before: 2n ** 60n },
  { object: role, actor: 'u1', types: ['project.removed'] },
  { object: project, including: 'roles' },
  { object: project, including: 'roles', order: 'desc', actor: 'u1' },
])('The history of %o among 10,000 roles reads what belongs to it alone.', async (asked) => {
  const query = { orgId: 'acme', after: 0n, limit: 10, ...asked }
  const { sql, parameters } = historyStatement(postgresDialect('iam'), query)
  const { rows } = await client.query(`EXPLAIN ${numbered(sql)}`, [...parameters])
  const plan = rows.map((row) => String(row['QUERY PLAN']))
  const scans = plan.filter((step) => /Scan .* on events (event|own)/.test(step))
  expect(scans.length).toBeGreaterThan(0)
  for (const scan of scans) expect(scan).toMatch(/(Index|Bitmap Heap|Bitmap Index) Scan/)
  expect(scans.join('\n')).not.toContain('events_pkey')
})

test.each(['equals', 'startsWith'] as const)(
  'A list of roles by a permission that %s a text, among 10,000 roles, uses indexes alone.',
  async (operator) => {
    const { count, page } = listStatements(postgresDialect('iam'), {
      type: 'project_role',
      orgId: 'acme',
      projectId: 'project-8',
      conditions: [{ field: 'permission', operator, value: 'doc-7:read', ignoreCase: false }],
      sort: [{ field: 'roleKey', direction: 'asc' }],
      limit: 10,
    })
    for (const { sql, parameters } of [count, page]) {
      const { rows } = await client.query(`EXPLAIN ${numbered(sql)}`, [...parameters])
      const plan = rows.map((row) => String(row['QUERY PLAN']))
      for (const { name } of [OBJECTS.project_role, PERMISSIONS]) {
        const scans = plan.filter((step) => /Scan /.test(step) && step.includes(` ${name}`))
        expect(scans.length).toBeGreaterThan(0)
        for (const scan of scans) expect(scan).toMatch(/(Index|Index Only|Bitmap \w+) Scan/)
      }
      expect(plan.join('\n')).toMatch(/permission = 'doc-7:read'|permission >= 'doc-7:read'/)
    }
  },
)
