import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { routeStatement } from '../../../../src/adapters/sql/read-model/read-model.js'
import { OBJECTS } from '../../../../src/adapters/sql/read-model/tables.js'
import { sqliteDialect } from '../../../../src/adapters/sql/sqlite/dialect.js'
import { LIMITS } from '../../../../src/adapters/sqlite/connection.js'
import { openSqlite } from '../../../../src/adapters/sqlite/index.js'
import { applyManyDomains, HOLDER, WANTED } from '../../sql/read-model/many-domains.js'
import { temporaryFile } from '../temporary-file.js'

const DIALECT = sqliteDialect(LIMITS)

test('SQLite finds where users sign in by an index, however many have added their domain.', async () => {
  const path = temporaryFile()
  await using opened = openSqlite(path)
  await applyManyDomains(opened.readModel)
  expect(await opened.readModel.route(WANTED)).toEqual(HOLDER)
  const { sql, parameters } = routeStatement(DIALECT, WANTED)
  const database = new DatabaseSync(path)
  const steps = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...parameters)
  database.close()
  const plan = steps.map(({ detail }) => `${detail}`).join('\n')
  expect(plan).toContain(`INDEX ${OBJECTS.domain.name}_route (key=? AND folded_state=?)`)
})
