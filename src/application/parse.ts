import { err, ok, type Result } from 'neverthrow'
import type * as z from 'zod/mini'
import { compiled } from '../domain/compiled.js'
import { type InvalidArgument, invalid } from './errors.js'
import { violationsOf } from './violations.js'

/** `value` as `schema` reads it, or what is wrong with it. @throws what a getter of `value` throws */
export const parse = <Schema extends z.ZodMiniType>(
  schema: Schema,
  value: unknown,
): Result<z.output<Schema>, InvalidArgument> => {
  const parsed = compiled(schema).safeParse(value)
  if (parsed.success) return ok(parsed.data)
  return err({ kind: 'InvalidArgument', violations: violationsOf(parsed.error) })
}

/** {@link parse}, for the input of a method: one with a getter that throws is malformed. */
export const parseInput: typeof parse = (schema, input) => {
  try {
    return parse(schema, input)
  } catch {
    return err(invalid('', 'must be readable: a property or a method of it throws'))
  }
}
