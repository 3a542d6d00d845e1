import { afterAll, describe, test } from 'vitest'
import { openPostgres, type Postgres } from '../../../../src/adapters/postgres/index.js'
import { readModelLaws } from '../../../../src/testing/index.js'
import { databaseHome } from '../../read-model-home.js'
import { newSchema, serverForFile } from '../test-schemas.js'

const server = serverForFile()
const opened: Postgres[] = []

afterAll(async () => {
  for (const { close } of opened) await close()
})

// `npm test` has the same read model on SQLite.
describe('A read model in PostgreSQL', () => {
  const home = databaseHome(newSchema, async (schema) => {
    const postgres = await openPostgres({ connectionString: server.connectionString, schema })
    opened.push(postgres)
    return postgres
  })

  test.each(readModelLaws)('$name', ({ check }) => check(home))
})
