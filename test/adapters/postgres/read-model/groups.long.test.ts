import { afterAll } from 'vitest'
import { openPostgres, type Postgres } from '../../../../src/adapters/postgres/index.js'
import { describeGroups } from '../../../application/role-mappings/groups-suite.js'
import { newSchema, serverForFile } from '../test-schemas.js'

const server = serverForFile()
const opened: Postgres[] = []

afterAll(async () => {
  for (const postgres of opened) await postgres.close()
})

describeGroups(
  'PostgreSQL',
  async () => {
    const { connectionString } = server
    const postgres = await openPostgres({ connectionString, schema: newSchema() })
    opened.push(postgres)
    return postgres
  },
  { hasOwnClock: true },
)
