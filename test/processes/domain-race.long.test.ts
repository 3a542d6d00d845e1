import { it } from 'vitest'
import { temporaryFile } from '../adapters/sqlite/temporary-file.js'
import { raceForDomain } from './domain-racing.js'

it('lets one organization hold a domain at a time, with several processes on one file', async () => {
  await raceForDomain({ file: temporaryFile() })
}, 60_000)
