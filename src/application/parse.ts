import { err, ok, type Result } from 'neverthrow'
import type * as z from 'zod'
import type { InvalidArgument } from './errors.js'
import { violationsOf } from './violations.js'

/** `value` as `schema` reads it, or what is wrong with it. */
export const parse = <Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): Result<z.output<Schema>, InvalidArgument> => {
  const parsed = schema.safeParse(value)
  if (parsed.success) return ok(parsed.data)
  return err({ kind: 'InvalidArgument', violations: violationsOf(parsed.error) })
}
