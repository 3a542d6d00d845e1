import { afterAll, describe, test } from 'vitest'
import { openPostgres, type Postgres } from '../../../../src/adapters/postgres/index.js'
import { readModelLaws } from '../../../../src/laws/index.js'
import { databaseHome } from '../../read-model-home.js'
import { newSchema } from '../test-schemas.js'
import { DRIVERS, driverForFile } from './hosts.js'

// `npm test` has the same read model on SQLite.
describe.each(DRIVERS)('A read model on %s', (name) => {
  const driver = driverForFile(name)
  const opened: Postgres[] = []
  const home = databaseHome(newSchema, async (schema) => {
    const postgres = await openPostgres({ driver: driver(), schema })
    opened.push(postgres)
    return postgres
  })
  afterAll(async () => {
    for (const { close } of opened) await close()
  })

  test.each(readModelLaws)('$name', ({ check }) => check(home))
})
