import * as z from 'zod/mini'
import { choice, listOf, MAX_GRANTED_ROLES, MAX_SCOPES } from '../../../domain/values.js'

/** What a declared field can hold. */
export type FieldValue = string | boolean | readonly string[]

const FieldValueInput: z.ZodMiniType<FieldValue> = z.union([
  z.string(),
  z.boolean(),
  listOf(z.string(), 0, Math.max(MAX_SCOPES, MAX_GRANTED_ROLES)),
])

/** A field that changes; `from` is absent when the object is added. */
export type PlannedField =
  | {
      /** Name of the field. */
      readonly field: string
      /** The current value when the plan was made. */
      readonly from?: FieldValue | undefined
      /** The desired value; absent when the object is removed. */
      readonly to?: FieldValue | undefined
    }
  | {
      /** `clientSecret`. */
      readonly field: string
      /** A plan never shows a secret. `unchanged` when it was opened and is equal to the declared one. */
      readonly secret: 'set' | 'changed' | 'unchanged'
    }

/** Schema of a {@link PlannedField}. */
export const PlannedField: z.ZodMiniType<PlannedField> = z.union(
  [
    z.strictObject({ field: z.string(), secret: choice(['set', 'changed', 'unchanged']) }),
    z.strictObject({
      field: z.string(),
      from: z.optional(FieldValueInput),
      to: z.optional(FieldValueInput),
    }),
  ],
  { error: 'must be a field with its values, or a secret' },
)
