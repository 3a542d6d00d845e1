import type { Pool } from 'pg'
import postgresClient from 'postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  openPostgres,
  type Postgres,
  postgresJs,
  postgresJsNotice,
} from '../../../../src/adapters/postgres/index.js'
import {
  GRANTS,
  HELD,
  OBJECTS,
  SHARES,
  STANDING,
} from '../../../../src/adapters/sql/read-model/tables.js'
import { projectGrantAdded, userGrantAdded } from '../../../../src/laws/read-model/grant-samples.js'
import { newLog } from '../../../../src/laws/read-model/harness.js'
import { projectAdded, roleAdded } from '../../../../src/laws/read-model/object-samples.js'
import type {
  HistoryQuery,
  ListQuery,
  ReadModel,
  ViewType,
} from '../../../../src/ports/read-model.js'
import { countedPool } from '../counted-pool.js'
import { serverForFile } from '../test-schemas.js'

const server = serverForFile()
let postgres: Postgres
let pool: Pool

/** Users with a role, before there are many. */
const FEW = 20
const MANY = 2_000
/** How often each of the many is copied. */
const COPIES = 30

const log = newLog()
const give = (user: number) =>
  log.record(
    'acme',
    userGrantAdded({ userId: `user-${user}`, projectId: 'portal', projectOrgId: 'acme' }, [
      'editor',
    ]),
  )

/** Applies what the log has got since. */
const apply = async () => {
  const from = await postgres.readModel.checkpoint()
  const events = log.above(from)
  await postgres.store.restore(events)
  for (let index = 0; index < events.length; index += 1_000)
    await postgres.readModel.apply(
      await postgres.readModel.checkpoint(),
      events.slice(index, index + 1_000),
    )
}

beforeAll(async () => {
  // One connection, which prepares all statements.
  ;({ pool } = countedPool(server.connectionString))
  postgres = await openPostgres({ pool, schema: 'iam' })
  log.record('acme', projectAdded('portal'))
  for (const role of ['editor', 'reader']) log.record('acme', roleAdded('portal', role))
  for (let user = 0; user < FEW; user++) give(user)
  await apply()
  await pool.query('ANALYZE')
})

afterAll(async () => {
  await postgres.close()
  await pool.end()
})

const of = { orgId: 'acme', now: new Date('2030-01-01'), limit: 20 }
const history: HistoryQuery = { orgId: 'acme', after: 0n, limit: 20 }
const list: ListQuery<ViewType> = {
  type: 'user_grant',
  orgId: 'acme',
  conditions: [],
  sort: [{ field: 'key', direction: 'asc' }],
  limit: 20,
}
const grant = { type: 'user_grant', userId: 'user-7', projectId: 'portal' } as const

const READS: readonly (readonly [string, (readModel: ReadModel) => Promise<unknown>])[] = [
  ['a list', (readModel) => readModel.list(list)],
  [
    'the next page of a list',
    (readModel) => readModel.list({ ...list, after: ['acme+portal+user-11'] }),
  ],
  ['the roles of a user', (readModel) => readModel.heldRoles({ ...of, userId: 'user-7' })],
  [
    'the holders of a role',
    (readModel) => readModel.holders({ ...of, projectId: 'portal', roleKey: 'editor' }),
  ],
  ['the holders of all roles', (readModel) => readModel.holders({ ...of, projectId: 'portal' })],
  ['the holders of all projects', (readModel) => readModel.holders(of)],
  [
    'the next page of the holders',
    (readModel) =>
      readModel.holders({
        ...of,
        projectId: 'portal',
        after: ['editor', 'acme', '', '', '', 'user-11'],
      }),
  ],
  [
    'the roles of a user in a project',
    (readModel) => readModel.holders({ ...of, projectId: 'portal', userId: 'user-7' }),
  ],
  ['history', (readModel) => readModel.history(history)],
  ['history, newest first', (readModel) => readModel.history({ ...history, order: 'desc' })],
  ['the history of an object', (readModel) => readModel.history({ ...history, object: grant })],
  ['the history of a user', (readModel) => readModel.history({ ...history, user: 'user-7' })],
  ['a check', (readModel) => readModel.access({ ...of, ...grant, projectOrgId: 'acme' })],
  ['an object', (readModel) => readModel.get('acme', grant)],
  [
    'the impact of a role that nobody has',
    (readModel) =>
      readModel.affected({ ...of, projectId: 'portal', roleKeys: ['reader'], at: 2n ** 60n }),
  ],
]

/** Rows of all tables, or of one, that were read until now by going through the table and by an index. */
const rowsRead = async (table = '%'): Promise<number> => {
  await pool.query('SELECT pg_stat_force_next_flush()')
  const { rows } = await pool.query(
    `SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::integer AS count FROM pg_stat_user_tables
      WHERE relname LIKE $1`,
    [table],
  )
  return rows[0]?.count ?? 0
}

/** Copies rows, each with another text in `unique` and another number in `counted`. */
const copyRows = async (table: string, unique: string, counted?: string) => {
  const { rows } = await pool.query(
    `SELECT column_name AS name FROM information_schema.columns WHERE table_schema = 'iam' AND table_name = $1`,
    [table],
  )
  const columns = rows.map(({ name }) => String(name))
  const copied = columns.map((name) => {
    if (name === unique) return `${name} || '-' || copy`
    // Another microsecond.
    return name === counted ? `${name} + copy` : name
  })
  await pool.query(`INSERT INTO iam.${table} (${columns.join(', ')})
    SELECT ${copied.join(', ')} FROM iam.${table}, generate_series(1, ${COPIES}) AS copy`)
}

test('A plan that is kept from small tables reads few rows of large ones.', async () => {
  const other = await openPostgres({ pool, schema: 'iam' })
  const { readModel } = postgres
  for (const [, read] of READS) for (let n = 0; n < 8; n++) await read(readModel)
  for (let user = FEW; user < MANY; user++) give(user)
  await apply()
  await copyRows(GRANTS.name, 'user_id')
  await copyRows(HELD.name, 'user_id')
  await copyRows('events', 'stream', 'position')
  // Of no table the server knows that it has grown. A process that applies nothing finds out by and by.
  for (let n = 0; n < 250; n++) await other.readModel.get('acme', grant)
  const counts: (readonly [string, number])[] = []
  for (const process of [readModel, other.readModel])
    for (const [name, read] of READS)
      for (let n = 0; n < 8; n++) {
        const before = await rowsRead()
        await read(process)
        // The first counts what a list has, which the process then knows.
        if (n > 0) counts.push([name, (await rowsRead()) - before])
      }
  expect(counts.filter(([, rows]) => rows > 1_000)).toEqual([])
  const { rows } = await pool.query(
    `SELECT DISTINCT statement FROM pg_prepared_statements WHERE generic_plans > 0 AND name LIKE 'iam %'`,
  )
  expect(rows.length).toBeGreaterThanOrEqual(READS.length)
  expect(rows.some(({ statement }) => statement.includes('counted_0'))).toBe(true)
  await other.close()
})

test('The holders of a project that is granted to many organizations are found without judging each of them.', async () => {
  for (let n = 0; n < 2_000; n++)
    log.record('acme', projectGrantAdded('portal', `org-${n}`, ['editor']))
  await apply()
  await pool.query('ANALYZE')
  for (const after of [undefined, ['editor', 'acme', '', '', '', 'user-11'] as const]) {
    const before = await rowsRead()
    await postgres.readModel.holders({
      ...of,
      projectId: 'portal',
      roleKey: 'editor',
      ...(after && { after }),
    })
    // Each share once, for grants; judging one reads three rows more. Groups end with the page that grants fill.
    expect((await rowsRead()) - before).toBeLessThan(1.5 * 2_000)
  }
})

test('A page of grants looks at the roles on it alone, and at each once.', async () => {
  const others = Array.from({ length: 12 }, (_, index) => `other-${index}`)
  for (const role of others) log.record('acme', roleAdded('portal', role))
  const last = { userId: 'user-last', projectId: 'portal', projectOrgId: 'acme' }
  log.record('acme', userGrantAdded(last, others))
  await apply()
  const looks = async (): Promise<number> => {
    await pool.query('SELECT pg_stat_force_next_flush()')
    const { rows } = await pool.query(
      'SELECT (seq_scan + idx_scan)::integer AS count FROM pg_stat_user_tables WHERE relname = $1',
      [STANDING.name],
    )
    return rows[0]?.count ?? 0
  }
  const short = { ...list, limit: 10 }
  // The first counts what the list has.
  await postgres.readModel.list(short)
  const before = await looks()
  const { items } = await postgres.readModel.list(short)
  expect(items).toHaveLength(10)
  // Besides the role, at the project.
  expect((await looks()) - before).toBeLessThanOrEqual(3)
})

test('A page of project grants reads the shares on it alone.', async () => {
  const sort = [{ field: 'grantedOrgId', direction: 'asc' }] as const
  const page = { ...list, type: 'project_grant', projectId: 'portal', sort } as const
  const before = await rowsRead(SHARES.name)
  const { items } = await postgres.readModel.list(page)
  expect(items).toHaveLength(20)
  // And one more, which tells whether there is a next page.
  expect((await rowsRead(SHARES.name)) - before).toBe(21)
})

test('A later page of project grants, whose plan is kept, reads few of them.', async () => {
  const sort = [{ field: 'grantedOrgId', direction: 'asc' }] as const
  const first = { ...list, type: 'project_grant', projectId: 'portal', sort } as const
  const page = { ...first, after: ['org-1000'] }
  for (let n = 0; n < 8; n++) await postgres.readModel.list(page)
  const before = await rowsRead(OBJECTS.project_grant.name)
  const { items } = await postgres.readModel.list(page)
  expect(items).toHaveLength(20)
  expect((await rowsRead(OBJECTS.project_grant.name)) - before).toBeLessThan(100)
})

test('In a schema with a long name, each statement has a name of its own.', async () => {
  const { readModel, close } = await openPostgres({ pool, schema: 'i'.repeat(54) })
  const ofRole = { ...of, projectId: 'portal', roleKey: 'editor' }
  for (const limit of [1, 10, 20, 50, 100]) {
    await readModel.holders({ ...ofRole, limit })
    await readModel.list({ ...list, limit })
  }
  const { rows } = await pool.query(
    `SELECT name FROM pg_prepared_statements WHERE name LIKE 'iiii%' AND statement LIKE '%share.role%'`,
  )
  expect(rows.length).toBeGreaterThanOrEqual(10)
  await close()
})

test('postgres.js prepares a statement anew when tables have grown, too.', async () => {
  const sql = postgresClient(server.connectionString, { max: 1, onnotice: postgresJsNotice })
  const { readModel, store, close } = await openPostgres({
    driver: postgresJs(sql),
    schema: 'by_text',
  })
  const grown = newLog()
  grown.record('acme', projectAdded('portal'))
  const get = () => readModel.get('acme', { type: 'project', id: 'portal' })
  await get()
  for (let role = 0; role < 600; role++) grown.record('acme', roleAdded('portal', `role-${role}`))
  await store.restore(grown.events)
  await readModel.apply(0n, grown.events)
  expect(await get()).toMatchObject({ id: 'portal' })
  const prepared = await sql`SELECT statement FROM pg_prepared_statements`
  const names = prepared.flatMap(({ statement }) => /-- by_text .head .$/.exec(statement) ?? [])
  expect(names).toHaveLength(2)
  expect(new Set(names).size).toBe(2)
  await close()
  await sql.end()
})
