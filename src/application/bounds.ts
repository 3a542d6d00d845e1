import * as z from 'zod/mini'

/** How many rows a page may have: 1 to 1000; 100 when absent. */
export const pageSize = z._default(
  z
    .int({ error: 'must be a whole number from 1 to 1000' })
    .check(
      z.minimum(1, { error: 'must be at least 1' }),
      z.maximum(1000, { error: 'must be at most 1000' }),
    ),
  100,
)

/** A position in the log. */
export const position = z
  .bigint({ error: 'must be a bigint of at least 0' })
  .check(z.minimum(0n, { error: 'must be at least 0' }))
