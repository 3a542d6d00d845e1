/** What JSON can hold. */
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [field: string]: Json }

/**
 * What `toJson` makes of a `Value`: text of a `bigint` or a `Date`, a {@link JsonObject} of an object, the
 * same of each item of a list; of what is not known, any {@link Json}. A function has no such form.
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
 * What `toJson` makes of an object, field by field: no `events`, no `clientSecret`, and a field that may be
 * undefined may be absent.
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

/** Of what has any field, such as a `Record`, none can be said to be there. */
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
