import { appendLaws } from './append.js'
import { clockLaws } from './clock.js'
import { concurrencyLaws } from './concurrency.js'
import { conflictLaws } from './conflict.js'
import type { EventClockLaw, EventRecoveryLaw, EventRestoreLaw, EventStoreLaw } from './harness.js'
import { idempotencyLaws } from './idempotency.js'
import { readingLaws } from './reading.js'
import { recoveryLaws } from './recovery.js'
import { refusalLaws } from './refusal.js'
import { restoreLaws } from './restore.js'
import { textLaws } from './text.js'
import { wakeLaws } from './wake.js'

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
