import { appendLaws } from './appending/append.js'
import { concurrencyLaws } from './appending/concurrency.js'
import { conflictLaws } from './appending/conflict.js'
import { idempotencyLaws } from './appending/idempotency.js'
import { refusalLaws } from './appending/refusal.js'
import { textLaws } from './appending/text.js'
import type { EventStoreLaw } from './harness.js'
import { readingLaws } from './reading.js'
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
