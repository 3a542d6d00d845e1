import { appendLaws } from './event-store/appending.js'
import { concurrencyLaws } from './event-store/concurrency.js'
import type { EventStoreLaw } from './event-store/harness.js'
import { readingLaws } from './event-store/reading.js'
import { accessLaws } from './read-model/access-laws.js'
import { checkpointLaws, headLaws } from './read-model/checkpoint-laws.js'
import { endingLaws } from './read-model/ending-laws.js'
import { getLaws } from './read-model/get-laws.js'
import type { ReadModelLaw } from './read-model/harness.js'
import { historyLaws } from './read-model/history-laws.js'
import { listLaws } from './read-model/list-laws.js'
import { mappingLaws } from './read-model/mapping-laws.js'
import { shownLaws } from './read-model/shown-laws.js'

export { eventClockLaws } from './event-store/concurrency.js'
export type {
  EventClockHarness,
  EventClockLaw,
  EventRecoveryHarness,
  EventRecoveryLaw,
  EventRestoreLaw,
  EventStoreHarness,
  EventStoreLaw,
} from './event-store/harness.js'
export {
  type InTransactionHarness,
  type InTransactionLaw,
  inTransactionLaws,
} from './event-store/in-transaction.js'
export { eventRecoveryLaws, eventRestoreLaws } from './event-store/reading.js'
export { BrokenLaw, type Law } from './law.js'
export {
  type SqliteHandleHome,
  type SqliteHandleLaw,
  sqliteHandleLaws,
  type WebhookCursorLaw,
  type WebhookCursorsHome,
  webhookCursorLaws,
} from './port-laws.js'
export type { ReadModelHome } from './read-model/harness.js'

import { resourceLaws } from './read-model/resource-laws.js'
import { userLaws } from './read-model/user-laws.js'

export type { ReadModelLaw }

/**
 * The promises of the port `EventStore`.
 *
 * @example
 * ```ts
 * for (const { name, check } of eventStoreLaws) test(name, () => check({ open, reopen }))
 * ```
 */
export const eventStoreLaws: readonly EventStoreLaw[] = [
  ...appendLaws,
  ...readingLaws,
  ...concurrencyLaws,
]

/**
 * The promises of the port `ReadModel`, as checks for any test runner: a read model is correct if none of them rejects.
 */
export const readModelLaws: readonly ReadModelLaw[] = [
  ...checkpointLaws,
  ...getLaws,
  ...listLaws,
  ...historyLaws,
  ...shownLaws,
  ...accessLaws,
  ...endingLaws,
  ...mappingLaws,
  ...resourceLaws,
  ...userLaws,
  ...headLaws,
]
