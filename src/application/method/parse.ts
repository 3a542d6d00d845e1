import { err, ok, type Result } from 'neverthrow'
import * as z from 'zod/mini'
import { compiled } from '../../domain/compiled.js'
import { type InvalidArgument, invalid } from '../errors/errors.js'
import { violationsOf } from './violations.js'

/** The output of `schema` for `value`, or what is wrong with it. @throws what a getter of `value` throws */
export const parse = <Schema extends z.ZodMiniType>(
  schema: Schema,
  value: unknown,
): Result<z.output<Schema>, InvalidArgument> => {
  const parsed = compiled(schema).safeParse(value)
  if (parsed.success) return ok(parsed.data)
  return err({ kind: 'InvalidArgument', violations: violationsOf(parsed.error) })
}

/**
 * {@link parse} for the input of a method: one with a getter that throws is malformed. The error is a function,
 * since to collect every violation takes far longer than to find the first.
 */
export const readInput = <Schema extends z.ZodMiniType>(
  schema: Schema,
  input: unknown,
): Result<z.output<Schema>, () => InvalidArgument> => {
  try {
    return z.validate(compiled(schema), input)
      ? parse(schema, input).mapErr(() => () => refusalOf(schema, input))
      : err(() => refusalOf(schema, input))
  } catch {
    return err(() => UNREADABLE)
  }
}

const UNREADABLE = invalid('', 'must be readable: a property or a method of it throws')

const refusalOf = (schema: z.ZodMiniType, input: unknown): InvalidArgument => {
  try {
    const parsed = parse(schema, input)
    return parsed.isErr() ? parsed.error : invalid('', 'must not change while it is read')
  } catch {
    return UNREADABLE
  }
}
