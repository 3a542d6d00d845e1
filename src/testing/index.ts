import { appendLaws, conflictLaws, idempotencyLaws } from './event-store/appending.js'
import { concurrencyLaws, wakeLaws } from './event-store/concurrency.js'
import type { EventStoreLaw } from './event-store/harness.js'
import { readingLaws } from './event-store/reading.js'
import { refusalLaws, textLaws } from './event-store/refusal.js'

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
export { eventRecoveryLaws, eventRestoreLaws } from './event-store/reading.js'
export { type FixedClock, fixedClock } from './fixed-clock.js'
export { given } from './given.js'
export { BrokenLaw, type Law } from './law.js'
export type { ReadModelHome, ReadModelLaw } from './read-model/harness.js'
export { readModelLaws } from './read-model/read-model-laws.js'
export {
  type SqliteHandleHome,
  type SqliteHandleLaw,
  sqliteHandleLaws,
} from './sqlite-handle-laws.js'
export { testPostgres } from './test-postgres.js'
export {
  type WebhookCursorLaw,
  type WebhookCursorsHome,
  webhookCursorLaws,
} from './webhook-cursor-laws.js'

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
  ...conflictLaws,
  ...readingLaws,
  ...idempotencyLaws,
  ...refusalLaws,
  ...textLaws,
  ...concurrencyLaws,
  ...wakeLaws,
]
