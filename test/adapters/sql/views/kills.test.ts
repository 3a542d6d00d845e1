import { expect, test } from 'vitest'
import { killed } from '../../../processes/pairs.js'
import { temporaryFile } from '../../sqlite/temporary-file.js'
import { sqliteForPairs } from './pairs.js'

test('Killed at random moments, processes leave no invoice without its right on SQLite.', async () => {
  await using database = await sqliteForPairs(temporaryFile(), true)
  const load = { kills: 4, pairs: 40, processes: 2, writers: 2 }
  expect((await killed(database, load)).pairs).toBeGreaterThanOrEqual(40)
}, 30_000)
