import fc from 'fast-check'
import { afterAll, test } from 'vitest'
import { openPostgres, type Postgres } from '../../../../src/adapters/postgres/index.js'
import {
  everyPlan,
  everyPlanOfMappings,
  everyWrite,
  type OpenIam,
} from '../../../application/access/impact-property.js'
import { iamOn } from '../../../application/host.js'
import { newSchema, serverForFile } from '../test-schemas.js'

const server = serverForFile()
const opened: Postgres[] = []

afterAll(async () => {
  for (const postgres of opened) await postgres.close()
})

const open: OpenIam = async (now) => {
  const { connectionString } = server
  const postgres = await openPostgres({ connectionString, schema: newSchema() })
  opened.push(postgres)
  return iamOn(postgres.store, { readModel: postgres.readModel, now, authorize: () => true })
}

test('On PostgreSQL, the impact of a dry run is the difference before and after the write.', () =>
  fc.assert(everyWrite(open), { numRuns: 3 }))

test('On PostgreSQL, the impacts of a plan are together the difference before and after it.', () =>
  fc.assert(everyPlan(open), { numRuns: 3 }))

test('On PostgreSQL, the impact of each change of mappings in a plan is the difference before and after it.', () =>
  fc.assert(everyPlanOfMappings(open), { numRuns: 10 }))
