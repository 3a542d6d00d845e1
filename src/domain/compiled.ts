import * as z from 'zod'

const compiledSchemas = new WeakMap<z.ZodType, z.ZodType>()

/**
 * `schema` as code, which `zod` makes when it is first asked for: it says the same of every value, in
 * a third of the time. Where no code may be made (a content security policy), `schema` itself.
 */
export const compiled = <Schema extends z.ZodType>(schema: Schema): Schema => {
  const made = compiledSchemas.get(schema)
  if (isOf(schema, made)) return made
  const first = z.util.allowsEval.value ? z.compile(schema) : schema
  compiledSchemas.set(schema, first)
  return first
}

const isOf = <Schema extends z.ZodType>(_: Schema, made: z.ZodType | undefined): made is Schema =>
  made !== undefined
