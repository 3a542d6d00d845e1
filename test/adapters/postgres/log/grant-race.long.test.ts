import { it } from 'vitest'
import { raceForGrants } from '../../../processes/grant-racing.js'
import { newSchema, serverForFile } from '../test-schemas.js'

const server = serverForFile()

it('gives nobody a role that is removed meanwhile, and loses no role, with sixteen writers', async () => {
  const { connectionString } = server
  await raceForGrants({ connectionString, schema: newSchema() }, 4)
}, 60_000)
