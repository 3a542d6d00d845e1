import { expect, test } from 'vitest'
import { killed } from '../../../processes/pairs.js'
import { temporaryFile } from '../../sqlite/temporary-file.js'
import { sqliteForPairs } from './pairs.js'

test('Killed at random moments, processes leave no invoice without its right on SQLite.', async () => {
  await using database = await sqliteForPairs(temporaryFile())
  const task = { kills: 4, processes: 2, until: Date.now() + 10_000 }
  expect(await killed(database.place, task, database.left)).toBe(4)
}, 30_000)
