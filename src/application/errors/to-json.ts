/** A response never shows raw events (a number of events is allowed), nor the one field that holds a secret. */
const isHidden = (field: string, value: unknown): boolean =>
  field === 'clientSecret' || (field === 'events' && typeof value === 'object')

/**
 * An outcome as plain JSON: sequences as text, as protobuf writes a uint64; dates in RFC 3339, UTC, with
 * milliseconds; without events and secrets. Absent fields stay absent.
 */
export function toJson<Outcome>(outcome: Outcome): JsonOf<Outcome>
export function toJson(outcome: unknown): Json {
  if (typeof outcome === 'bigint') return String(outcome)
  if (outcome instanceof Date) return outcome.toISOString()
  if (Array.isArray(outcome)) return outcome.map(toJson)
  if (typeof outcome === 'object' && outcome !== null)
    return Object.fromEntries(
      Object.entries(outcome)
        .filter(([field, value]) => value !== undefined && !isHidden(field, value))
        .map(([field, value]) => [field, toJson(value)]),
    )
  if (typeof outcome === 'string' || typeof outcome === 'boolean') return outcome
  return typeof outcome === 'number' && Number.isFinite(outcome) ? outcome : null
}

/** Any JSON value. */
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [field: string]: Json }

/**
 * The JSON form of a `Value`, as `toJson` returns it: text for a `bigint` or a `Date`, a {@link JsonObject} for an
 * object, the form of each item for a list, any {@link Json} for `unknown`. A function has no JSON form.
 */
export type JsonOf<Value> = unknown extends Value
  ? Json
  : Value extends string | number | boolean | null
    ? Value
    : Value extends bigint | Date
      ? string
      : Value extends undefined
        ? null
        : Value extends symbol | ((...parameters: never) => unknown)
          ? never
          : Value extends readonly unknown[]
            ? { readonly [Index in keyof Value]: JsonOf<Value[Index]> }
            : JsonObject<Value>

/**
 * The JSON form of an object, field by field: without `events` and `clientSecret`; a field that may be undefined
 * may be absent.
 */
export type JsonObject<Value> = {
  readonly [Field in keyof Value as MayBeAbsent<Value, Field> extends true
    ? never
    : Shown<Value, Field>]: JsonOf<Value[Field]>
} & {
  readonly [Field in keyof Value as MayBeAbsent<Value, Field> extends true
    ? Shown<Value, Field>
    : never]?: JsonOf<Exclude<Value[Field], undefined>>
}

/** Fields of a type with an index signature, such as a `Record`, are never declared optional. */
type MayBeAbsent<Value, Field extends keyof Value> = string extends Field
  ? false
  : undefined extends Value[Field]
    ? true
    : false

type Shown<Value, Field extends keyof Value> = Field extends symbol | 'clientSecret'
  ? never
  : Field extends 'events'
    ? NonNullable<Value[Field]> extends object
      ? never
      : Field
    : Field
