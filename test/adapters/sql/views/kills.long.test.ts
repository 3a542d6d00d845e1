import { expect, test } from 'vitest'
import { searched } from '../../../nightly.js'
import { killed } from '../../../processes/pairs.js'
import { temporaryFile } from '../../sqlite/temporary-file.js'
import { postgresForPairs, sqliteForPairs } from './pairs.js'

/** The four databases together: 1,000 kills and 100,000 pairs at night. After each kill all pairs of a run are counted. */
const { runs, ...SIZE } = searched({
  short: { runs: 1, kills: 60, pairs: 1_200 },
  nightly: { runs: 10, kills: 25, pairs: 2_500 },
})

const DATABASES = [
  ['SQLite', (views: boolean) => sqliteForPairs(temporaryFile(), views)],
  ['PostgreSQL', postgresForPairs],
] as const

test.each(
  DATABASES.flatMap(([name, open]) =>
    [true, false].flatMap((views) =>
      Array.from({ length: runs }, () => [name, views ? 'with' : 'without', open, views] as const),
    ),
  ),
)(
  'Faults at random moments leave no half of a pair on %s %s views.',
  async (_name, _with, open, views) => {
    await using database = await open(views)
    const { pairs, unknown } = await killed(database, { ...SIZE, processes: 4, writers: 4 })
    expect(pairs).toBeGreaterThanOrEqual(SIZE.pairs)
    // Otherwise no fault has met an append.
    expect(unknown).toBeGreaterThan(SIZE.kills / 4)
  },
  1_200_000,
)
