import pg from 'pg'
import { expect, test } from 'vitest'
import { openPostgres } from '../../../../src/adapters/postgres/index.js'
import { numbered, postgresDialect } from '../../../../src/adapters/postgres/read-model.js'
import { routeStatement } from '../../../../src/adapters/sql/read-model/read-model.js'
import { OBJECTS } from '../../../../src/adapters/sql/read-model/tables.js'
import { applyManyDomains, HOLDER, WANTED } from '../../sql/read-model/many-domains.js'
import { serverForFile } from '../test-schemas.js'

const server = serverForFile()

test('PostgreSQL finds where users sign in by an index, however many have added their domain.', async () => {
  const { connectionString } = server
  await using postgres = await openPostgres({ connectionString, schema: 'iam' })
  await applyManyDomains(postgres.readModel)
  expect(await postgres.readModel.route(WANTED)).toEqual(HOLDER)
  const client = new pg.Client({ connectionString })
  await client.connect()
  await client.query('ANALYZE')
  const { sql, parameters } = routeStatement(postgresDialect('iam'), WANTED)
  const { rows } = await client.query(`EXPLAIN ${numbered(sql)}`, [...parameters])
  await client.end()
  const plan = rows.map((row) => String(row['QUERY PLAN'])).join('\n')
  expect(plan).toContain(`${OBJECTS.domain.name}_route`)
  expect(plan).not.toMatch(new RegExp(`Seq Scan on ${OBJECTS.domain.name}`))
})
