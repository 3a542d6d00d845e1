import * as z from 'zod/mini'

// As the package does where it has no words of its own: application/method/input.ts.
z.config(z.locales.en())

/** A command as anyone may send it. */
export interface Input {
  readonly type: string
  readonly data: object
}

/** A schema, an input that it accepts, and the field of the input that is looked at. */
export interface Field {
  readonly schema: z.ZodMiniType
  readonly valid: Input
  readonly field: string
}

/** What `schema` objects to, as `path: message`; `[]` when it accepts `input`. */
export const objections = (schema: z.ZodMiniType, input: unknown): readonly string[] => {
  const parsed = schema.safeParse(input)
  if (parsed.success) return []
  return parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
}

/** `input` with one field set, also to undefined; `__proto__` becomes a field like any other. */
export const withField = (input: Input, field: string, value: unknown): Input => ({
  ...input,
  data: Object.fromEntries([...Object.entries(input.data), [field, value]]),
})

/** `input` with one field left out. */
export const withoutField = (input: Input, field: string): Input => ({
  ...input,
  data: Object.fromEntries(Object.entries(input.data).filter(([name]) => name !== field)),
})
