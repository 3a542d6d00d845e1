import fc from 'fast-check'
import { test } from 'vitest'
import { openSqlite } from '../../../src/adapters/sqlite/index.js'
import { memoryEventStore } from '../../../src/index.js'
import { temporaryFile } from '../../adapters/sqlite/temporary-file.js'
import { iamOn } from '../host.js'
import { everyPlan, everyPlanOfMappings, everyWrite, type OpenIam } from './impact-property.js'

const HISTORIES = Number(process.env['FUZZ_RUNS'] ?? 40)

const HOMES: readonly (readonly [name: string, OpenIam, share: number])[] = [
  ['memory', async (now) => iamOn(memoryEventStore({ now }), { now, authorize: () => true }), 1],
  [
    'SQLite',
    async (now) => {
      const { store, readModel } = openSqlite(temporaryFile(), { now })
      return iamOn(store, { readModel, now, authorize: () => true })
    },
    0.1,
  ],
]

test.each(HOMES)(
  'the impact of a dry run is the difference of who has which role before and after the write: %s',
  (_, open, share) => fc.assert(everyWrite(open), { numRuns: Math.ceil(HISTORIES * share) }),
)

test.each(HOMES)(
  'the impacts of a plan are together the difference of who has which role before and after it: %s',
  (_, open, share) => fc.assert(everyPlan(open), { numRuns: Math.ceil(2 * HISTORIES * share) }),
)

test.each(HOMES)(
  'the impact of each change of mappings in a plan is the difference before and after it, in their order: %s',
  (_, open, share) =>
    fc.assert(everyPlanOfMappings(open), { numRuns: Math.ceil((HISTORIES * share) / 2) }),
)
