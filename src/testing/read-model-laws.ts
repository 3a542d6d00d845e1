import { checkpointLaws } from './read-model/checkpoint-laws.js'
import { filterLaws } from './read-model/filter-laws.js'
import { getLaws } from './read-model/get-laws.js'
import { historyLaws } from './read-model/history-laws.js'
import { historyPageLaws } from './read-model/history-page-laws.js'
import type { ReadModelLaw } from './read-model/law.js'
import { listLaws } from './read-model/list-laws.js'
import { orderLaws } from './read-model/order-laws.js'

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
]
