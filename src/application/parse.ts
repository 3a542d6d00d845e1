import { err, ok, type Result } from 'neverthrow'
import type * as z from 'zod/mini'
import { compiled } from '../domain/compiled.js'
import type { InvalidArgument } from './errors.js'
import { violationsOf } from './violations.js'

/** `value` as `schema` reads it, or what is wrong with it. */
export const parse = <Schema extends z.ZodMiniType>(
  schema: Schema,
  value: unknown,
): Result<z.output<Schema>, InvalidArgument> => {
  const parsed = compiled(schema).safeParse(value)
  if (parsed.success) return ok(parsed.data)
  return err({ kind: 'InvalidArgument', violations: violationsOf(parsed.error) })
}
