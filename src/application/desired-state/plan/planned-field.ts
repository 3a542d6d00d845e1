import * as z from 'zod/mini'
import { changedFields } from '../../../domain/changed-fields.js'
import { choice, listOf, MAX_SCOPES } from '../../../domain/values.js'

/** What a declared field can hold. */
export type FieldValue = string | boolean | readonly string[]

const FieldValueInput: z.ZodMiniType<FieldValue> = z.union([
  z.string(),
  z.boolean(),
  listOf(z.string(), 0, MAX_SCOPES),
])

/** A field that is to change; `from` is absent of an object that is to be added. */
export type PlannedField =
  | {
      /** Name of the field. */
      readonly field: string
      /** Its value as it was seen. */
      readonly from?: FieldValue | undefined
      /** Its value as it is to be; absent of a role that is to be removed. */
      readonly to?: FieldValue | undefined
    }
  | {
      /** `clientSecret`. */
      readonly field: string
      /** A secret never shows; it is `unchanged` when it was opened and found equal. */
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

type Fields = Readonly<Record<string, FieldValue>>

/** The fields of `after` that `before` has not, or has with another value. */
export const fieldChanges = <After extends Fields>(
  before: { readonly [Field in keyof After]?: FieldValue } | undefined,
  after: After,
): readonly PlannedField[] =>
  changedFields<After>(before ?? {}, after).map((field) => ({
    field,
    ...(before && { from: before[field] }),
    to: after[field],
  }))
