import * as z from 'zod/mini'

const compiledSchemas = new WeakMap<z.ZodMiniType, z.ZodMiniType>()

/**
 * `schema` as code, which `zod` makes when it is first asked for: it says the same of every value, in
 * a third of the time. Where no code may be made (a content security policy), `schema` itself.
 */
export const compiled = <Schema extends z.ZodMiniType>(schema: Schema): Schema => {
  const known = compiledSchemas.get(schema)
  // What is kept of a schema is that schema.
  if (known) return known as Schema
  const made = z.util.allowsEval.value ? z.compile(schema) : schema
  compiledSchemas.set(schema, made)
  return made
}
