import { it } from 'vitest'
import { temporaryFile } from '../adapters/sqlite/temporary-file.js'
import { raceForGrants } from './grant-racing.js'

it('gives nobody a role that is removed meanwhile, and loses no role, with several processes on one file', async () => {
  await raceForGrants({ file: temporaryFile() }, 1)
}, 60_000)
