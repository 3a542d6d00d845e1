import { checkpointLaws } from './checkpoint-laws.js'
import { getLaws } from './get-laws.js'
import { accessLaws } from './grants/access-laws.js'
import { endingLaws } from './grants/ending-laws.js'
import { holderLaws } from './grants/holder-laws.js'
import { shownLaws } from './grants/shown-laws.js'
import { headLaws } from './head-laws.js'
import { historyLaws } from './history-laws.js'
import { historyPageLaws } from './history-page-laws.js'
import type { ReadModelLaw } from './law.js'
import { filterLaws } from './lists/filter-laws.js'
import { listLaws } from './lists/list-laws.js'
import { orderLaws } from './lists/order-laws.js'
import { routeLaws } from './route-laws.js'

/**
 * What the port `ReadModel` promises, as checks that need no test runner: a read model is right
 * when none of them rejects.
 */
export const readModelLaws: readonly ReadModelLaw[] = [
  ...checkpointLaws,
  ...getLaws,
  ...filterLaws,
  ...listLaws,
  ...orderLaws,
  ...historyLaws,
  ...historyPageLaws,
  ...shownLaws,
  ...holderLaws,
  ...accessLaws,
  ...endingLaws,
  ...routeLaws,
  ...headLaws,
]
