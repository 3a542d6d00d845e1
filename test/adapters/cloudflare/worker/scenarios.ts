import { demandEqual } from '../../../../src/laws/law.js'
import { largestBatch, largestGrant } from './scenarios/grants.js'
import { largestLists } from './scenarios/lists.js'
import { halfWritten, longData, lostParts } from './scenarios/long-data.js'
import { largestPositions } from './scenarios/positions.js'
import type { Scenario } from './scenarios/scenario.js'
import { brokenStorage, damagedRow, foreignTables } from './scenarios/storage.js'

/** What laws do not say, since it is about this storage. */
export const SCENARIOS: readonly { readonly name: string; readonly run: Scenario }[] = [
  { name: 'the largest positions', run: largestPositions },
  { name: 'data over 2 MB', run: longData },
  { name: 'parts that are lost', run: lostParts },
  { name: 'parts that cannot be written', run: halfWritten },
  { name: 'the largest grant, of emoji', run: largestGrant('🔑') },
  { name: 'the largest grant, of control characters', run: largestGrant('\u0001') },
  { name: 'the largest batch', run: largestBatch },
  { name: 'the largest lists', run: largestLists },
  { name: 'tables of others', run: foreignTables },
  { name: 'a damaged row', run: damagedRow },
  { name: 'a broken storage', run: brokenStorage },
  { name: 'a law that is broken', run: async () => demandEqual('1', 1, 2) },
]
