import { appendLaws } from './event-store-laws/append.js'
import { clockLaws } from './event-store-laws/clock.js'
import { concurrencyLaws } from './event-store-laws/concurrency.js'
import { conflictLaws } from './event-store-laws/conflict.js'
import type {
  EventClockLaw,
  EventRecoveryLaw,
  EventRestoreLaw,
  EventStoreLaw,
} from './event-store-laws/harness.js'
import { idempotencyLaws } from './event-store-laws/idempotency.js'
import { readingLaws } from './event-store-laws/reading.js'
import { recoveryLaws } from './event-store-laws/recovery.js'
import { refusalLaws } from './event-store-laws/refusal.js'
import { restoreLaws } from './event-store-laws/restore.js'
import { textLaws } from './event-store-laws/text.js'
import { wakeLaws } from './event-store-laws/wake.js'

/**
 * What the port `EventStore` promises, sentence by sentence.
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

/** How the positions of a store follow the host's clock; not for a store with a clock of its own. */
export const eventClockLaws: readonly EventClockLaw[] = clockLaws

/** What the port `EventRestore` promises. */
export const eventRestoreLaws: readonly EventRestoreLaw[] = restoreLaws

/** What a store keeps when the program or the server behind it crashes; not for one in memory. */
export const eventRecoveryLaws: readonly EventRecoveryLaw[] = recoveryLaws
