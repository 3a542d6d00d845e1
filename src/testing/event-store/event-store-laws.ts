import { appendLaws } from './append.js'
import { concurrencyLaws } from './concurrency.js'
import { conflictLaws } from './conflict.js'
import type { EventStoreLaw } from './harness.js'
import { idempotencyLaws } from './idempotency.js'
import { readingLaws } from './reading.js'
import { refusalLaws } from './refusal.js'
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
