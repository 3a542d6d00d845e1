import { accessLaws, holderLaws } from './access-laws.js'
import { affectedLaws } from './affected-laws.js'
import { checkpointLaws, headLaws } from './checkpoint-laws.js'
import { endingLaws } from './ending-laws.js'
import { filterLaws } from './filter-laws.js'
import { getLaws, routeLaws } from './get-laws.js'
import type { ReadModelLaw } from './harness.js'
import { historyLaws, historyPageLaws } from './history-laws.js'
import { listLaws, orderLaws } from './list-laws.js'
import { mappingLaws } from './mapping-laws.js'
import { permissionLaws } from './permission-laws.js'
import { shownLaws } from './shown-laws.js'
import { userLaws } from './user-laws.js'

/**
 * The promises of the port `ReadModel`, as checks for any test runner: a read model is correct if none of them rejects.
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
  ...affectedLaws,
  ...endingLaws,
  ...userLaws,
  ...permissionLaws,
  ...mappingLaws,
  ...routeLaws,
  ...headLaws,
]
