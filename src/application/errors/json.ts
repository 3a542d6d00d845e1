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
