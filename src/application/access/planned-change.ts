import * as z from 'zod/mini'
import { changedFields } from '../../domain/changed-fields.js'
import { compiled } from '../../domain/compiled.js'
import { choice, type ObjectRef } from '../../domain/values.js'
import type { NewEvent } from '../../ports/event-store.js'
import type { ObjectDetails } from '../../ports/read-model.js'
import { objectOf } from '../../projections/event-cases.js'
import { streamOf } from '../../projections/stream-name.js'
import { ObjectInput } from '../object-input.js'
import { PlannedEvent } from './planned-event.js'

/** What a declared field can hold. */
export type FieldValue = string | boolean | readonly string[]

const FieldValueInput: z.ZodMiniType<FieldValue> = z.union([
  z.string(),
  z.boolean(),
  z.array(z.string()),
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

const PlannedField: z.ZodMiniType<PlannedField> = z.union(
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

/** What becomes of a declared object. */
export type Action = 'add' | 'update' | 'remove' | 'unchanged'

/** What becomes of one object, and on what condition. Plain data, as JSON keeps it. */
export interface PlannedChange {
  /** `unchanged` comes without events. */
  readonly action: Action
  /** By its type and ids. */
  readonly object: ObjectRef
  /** For people to read; what takes effect are the `events`. */
  readonly fields: readonly PlannedField[]
  /** As they would be recorded; a secret in them is sealed. */
  readonly events: readonly PlannedEvent[]
  /** `details.sequence` of the object as it was seen, in decimal digits; absent when there was none. */
  readonly sequence?: string | undefined
}

/** Schema of a {@link PlannedChange}. */
export const PlannedChange: z.ZodMiniType<PlannedChange> = z
  .strictObject({
    action: choice(['add', 'update', 'remove', 'unchanged']),
    object: ObjectInput,
    fields: z.array(PlannedField, { error: 'must be a list' }),
    events: z
      .array(PlannedEvent, { error: 'must be a list' })
      .check(z.maxLength(2, { error: 'must have at most 2 items' })),
    sequence: z.optional(
      z
        .string({ error: 'must be text' })
        .check(z.regex(/^[1-9][0-9]{0,19}$/, { error: 'must be a sequence in decimal digits' })),
    ),
  })
  .check(
    z.superRefine((change, { addIssue }) => {
      // The first once more, for a change without any.
      const events = [change.events[0], ...change.events]
      if (events.some((event) => actionOf(event) !== change.action))
        addIssue({ code: 'custom', path: ['action'], message: 'must be what the events say' })
      if ((change.action === 'add') !== (change.sequence === undefined))
        addIssue({
          code: 'custom',
          path: ['sequence'],
          message: 'must be absent of what is added, and of nothing else',
        })
      const own = streamOf('', change.object)
      change.events.forEach((event, index) => {
        if (streamOf('', objectOf(event)) !== own)
          addIssue({
            code: 'custom',
            path: ['events', index],
            message: 'must tell of the object of the change',
          })
      })
    }),
  )

const actionOf = (event: PlannedEvent | undefined): Action => {
  if (!event) return 'unchanged'
  if (event.type.endsWith('added')) return 'add'
  return event.type.endsWith('removed') ? 'remove' : 'update'
}

/** A change, beside the details of the object as it was seen. */
export interface Draft {
  readonly change: PlannedChange
  readonly details: ObjectDetails | undefined
}

/** The change that the decided `events` make to an object that was seen with `details`, or not at all. */
export const draft = ({
  object,
  fields,
  events,
  details,
}: {
  readonly object: ObjectRef
  readonly fields: readonly PlannedField[]
  readonly events: readonly NewEvent[]
  readonly details: ObjectDetails | undefined
}): Draft => {
  const planned = events.map((event) => compiled(PlannedEvent).parse(event))
  const change: PlannedChange = {
    action: actionOf(planned[0]),
    object,
    fields,
    events: planned,
    ...(details && { sequence: String(details.sequence) }),
  }
  return { change, details }
}

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
