import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openPostgres, type Postgres } from '../../../../src/adapters/postgres/index.js'
import { numbered, postgresDialect } from '../../../../src/adapters/postgres/read-model.js'
import type { Statement } from '../../../../src/adapters/sql/dialect.js'
import { accessStatement } from '../../../../src/adapters/sql/read-model/access.js'
import { affectedStatement } from '../../../../src/adapters/sql/read-model/affected.js'
import { heldRolesStatement } from '../../../../src/adapters/sql/read-model/held-roles.js'
import { holdersStatement } from '../../../../src/adapters/sql/read-model/holders.js'
import { listStatements } from '../../../../src/adapters/sql/read-model/lists.js'
import { GRANTS, HELD, OBJECTS, SHARES } from '../../../../src/adapters/sql/read-model/tables.js'
import { usersStatement } from '../../../../src/adapters/sql/read-model/users.js'
import {
  ACCESS,
  AFFECTED,
  ALL_HOLDERS,
  applyManyGrants,
  GRANT_LISTS,
  HELD_ROLES,
  HOLDERS,
  HOLDERS_OF_USER,
  USERS_OF_ORGANIZATION,
} from '../../sql/read-model/many-grants.js'
import { serverForFile } from '../test-schemas.js'

const server = serverForFile()
const dialect = postgresDialect('iam')
let postgres: Postgres
let client: pg.Client

beforeAll(async () => {
  const { connectionString } = server
  postgres = await openPostgres({ connectionString, schema: 'iam', views: true })
  client = new pg.Client({ connectionString })
  await client.connect()
  await applyManyGrants(postgres.readModel)
  await client.query('ANALYZE')
})

afterAll(async () => {
  await client.end()
  await postgres.close()
})

/** How PostgreSQL goes about `statement`, line by line. */
const planOf = async ({ sql, parameters }: Statement): Promise<readonly string[]> => {
  const { rows } = await client.query(`EXPLAIN ${numbered(sql)}`, [...parameters])
  return rows.map((row) => String(row['QUERY PLAN']))
}

const LARGE = [HELD, GRANTS, OBJECTS.project_grant].map(({ name }) => name)

/** How the tables of many rows are read; some tables are so small that an index would cost more. */
const readsOf = async (statement: Statement): Promise<readonly string[]> =>
  (await planOf(statement)).filter((line) =>
    LARGE.some((name) => / Scan /.test(line) && line.includes(` on ${name}`)),
  )

const expectIndexes = async (statement: Statement): Promise<void> => {
  const reads = await readsOf(statement)
  expect(reads.length).toBeGreaterThan(0)
  for (const read of reads) expect(read).toMatch(/Index (Only )?Scan|Bitmap Heap Scan/)
}

describe('Among 20,000 grants in 100 organizations, PostgreSQL uses an index', () => {
  test.each(GRANT_LISTS)('for a list by %s.', async (_, query) => {
    await expectIndexes(listStatements(dialect, query).count)
    await expectIndexes(listStatements(dialect, query).page)
  })

  test('for a check of access, which looks at no roles of other organizations.', async () => {
    await expectIndexes(accessStatement(dialect, ACCESS))
    const plan = (await planOf(accessStatement(dialect, ACCESS))).join('\n')
    expect(plan).not.toContain(`Seq Scan on ${SHARES.name}`)
  })

  test.each(HELD_ROLES)('for the roles of one user, with %o.', (query) =>
    expectIndexes(heldRolesStatement(dialect, query)),
  )

  test.each(['role_holder', 'permission_holder'])('for the rows of one user in %s.', (view) =>
    expectIndexes({
      sql: `SELECT project_id FROM iam.${view} WHERE org_id = ? AND user_id = ?`,
      parameters: ['org-7', 'user-7'],
    }),
  )

  test.each(['role_holder', 'permission_holder'])('for a join with %s.', (view) =>
    expectIndexes({
      sql: `SELECT * FROM (VALUES ('portal'), ('shop')) AS invoice (project_id) WHERE project_id IN (
        SELECT project_id FROM iam.${view} WHERE org_id = ? AND user_id = ?)`,
      parameters: ['org-7', 'user-7'],
    }),
  )

  test.each(HOLDERS)('for the holders of roles by %s, in their order.', async (_, query) => {
    const statement = holdersStatement(dialect, query)
    await expectIndexes(statement)
    for (const held of await readsOf(statement))
      expect(held).toMatch(new RegExp(`Index (Only )?Scan using ${HELD.name}_pkey`))
    // Generation by generation, each up to the length of a page.
    const plan = (await planOf(statement)).join('\n')
    expect(plan).toContain('Presorted Key: share.')
  })

  test.each([5, 20, 100, 1000])('and plans pages of %i holders of a role once.', async (limit) => {
    const [, [, query]] = HOLDERS
    const { sql, parameters } = holdersStatement(dialect, { ...query, limit })
    const [name, text] = [`holders ${limit}`, numbered(sql)]
    for (let n = 0; n < 8; n++) await client.query({ name, text, values: [...parameters] })
    const { rows } = await client.query(
      `SELECT custom_plans::integer AS planned, generic_plans > 0 AS kept FROM pg_prepared_statements WHERE name = $1`,
      [name],
    )
    // After five plans the server compares their cost with that of one that is kept.
    expect(rows).toEqual([{ planned: 5, kept: true }])
  })

  test.each(AFFECTED)('for the roles that a change concerns by %s.', async (_, query) => {
    const statement = affectedStatement(dialect, query)
    await expectIndexes(statement)
  })

  test.each(ALL_HOLDERS)('for the holders of roles of all projects, by %s.', async (_, query) => {
    const statement = holdersStatement(dialect, query)
    await expectIndexes(statement)
    // In order, so that each generation is read up to the length of a page.
    for (const held of await readsOf(statement))
      expect(held).toMatch(new RegExp(`Index (Only )?Scan using ${HELD.name}_pkey`))
  })

  test.each(USERS_OF_ORGANIZATION)('for the users of an organization, with %o.', async (query) => {
    const statement = usersStatement(dialect, query)
    await expectIndexes(statement)
    // Role by role, each up to the length of a page; of few users, in the places of their grants alone.
    for (const read of await readsOf(statement))
      expect(read).toMatch(
        new RegExp(
          `using ${HELD.name}_(pkey|user)|Bitmap Heap Scan on ${GRANTS.name}|${GRANTS.name}_user`,
        ),
      )
  })

  test.each(HOLDERS_OF_USER)('for the roles of one user in projects, with %o.', async (query) => {
    const statement = holdersStatement(dialect, query)
    await expectIndexes(statement)
    expect((await readsOf(statement)).join('\n')).toContain(`${GRANTS.name}_user`)
  })
})
