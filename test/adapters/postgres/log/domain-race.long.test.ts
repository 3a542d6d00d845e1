import { it } from 'vitest'
import { raceForDomain } from '../../../processes/domain-racing.js'
import { newSchema, serverForFile } from '../test-schemas.js'

const server = serverForFile()

it('lets one of sixteen organizations hold a domain at a time', async () => {
  const { connectionString } = server
  await raceForDomain({ connectionString, schema: newSchema() })
}, 60_000)
