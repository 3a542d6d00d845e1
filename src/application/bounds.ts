import * as z from 'zod'

/** How many rows a page may have: 1 to 1000; 100 when absent. */
export const pageSize = z
  .int({ error: 'must be a whole number from 1 to 1000' })
  .min(1, { error: 'must be at least 1' })
  .max(1000, { error: 'must be at most 1000' })
  .default(100)

/** A position in the log. */
export const position = z
  .bigint({ error: 'must be a bigint of at least 0' })
  .nonnegative({ error: 'must be at least 0' })
