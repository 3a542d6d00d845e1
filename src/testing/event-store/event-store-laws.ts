import { appendLaws, conflictLaws, idempotencyLaws } from './appending.js'
import { concurrencyLaws, wakeLaws } from './concurrency.js'
import type { EventStoreLaw } from './harness.js'
import { readingLaws } from './reading.js'
import { refusalLaws, textLaws } from './refusal.js'

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
