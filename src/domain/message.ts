import * as z from 'zod/mini'

/** Any command or event. */
export interface Message {
  /** Commands are named in the imperative, events in the past tense. */
  readonly type: string
  /** Its fields, named as in the specification. */
  readonly data: object
}

/** Some fields of `Data`; an undefined one counts as absent. */
export type Patch<Data> = { readonly [Field in keyof Data]?: Data[Field] | undefined }

/** Schema of a command. Unknown fields are refused. */
export const command = <const Type extends string, Shape extends z.core.$ZodShape>(
  type: Type,
  data: Shape,
) => z.strictObject({ type: z.literal(type), data: z.strictObject(data) })

/** Schema of an event. Its output is frozen. */
export const event = <const Type extends string, Shape extends z.core.$ZodShape>(
  type: Type,
  data: Shape,
) => z.readonly(z.strictObject({ type: z.literal(type), data: z.readonly(z.strictObject(data)) }))

/** A schema that {@link event} makes. */
export type EventSchema<Type extends string = string> = z.ZodMiniReadonly<
  z.ZodMiniObject<{
    readonly type: z.ZodMiniLiteral<Type>
    readonly data: z.ZodMiniReadonly<z.ZodMiniObject>
  }>
>

/** The event type of `schema`, in a list. */
export const eventTypesOf = <Type extends string>(schema: EventSchema<Type>): readonly Type[] => [
  ...schema.def.innerType.shape.type.def.values,
]

/** Reads the data of one version of an event as data of the next version. */
export type Upcaster = (data: object) => object

/**
 * For each event type whose shape ever changed: how version 1 becomes 2, 2 becomes 3, and so on.
 * A type that is not listed is at version 1.
 */
export type Upcasters = Readonly<Record<string, readonly Upcaster[]>>

/** The version in which events of `type` are written now; 1 if the shape never changed. */
export const currentVersion = (upcasters: Upcasters, type: string): number =>
  1 + stepsOf(upcasters, type).length

/** Converts `data` of `schemaVersion` to the newest version of its event type. */
export const upcast = (
  upcasters: Upcasters,
  { type, schemaVersion, data }: Message & { readonly schemaVersion: number },
): object =>
  stepsOf(upcasters, type)
    .slice(schemaVersion - 1)
    .reduce<object>((older, step) => step(older), data)

const NO_STEPS: readonly Upcaster[] = []

const stepsOf = (upcasters: Upcasters, type: string): readonly Upcaster[] =>
  Object.hasOwn(upcasters, type) ? (upcasters[type] ?? NO_STEPS) : NO_STEPS

const compiledSchemas = new WeakMap<z.ZodMiniType, z.ZodMiniType>()

/**
 * `schema` compiled to code at its first use, which is three times as fast; or `schema` itself where code generation is
 * forbidden, as by a content security policy.
 */
export const compiled = <Schema extends z.ZodMiniType>(schema: Schema): Schema => {
  const known = compiledSchemas.get(schema)
  // The compiled form of a schema has the type of the schema.
  if (known) return known as Schema
  const made = mayGenerateCode() ? z.compile(schema) : schema
  compiledSchemas.set(schema, made)
  return made
}

let isCodeAllowed: boolean | undefined

/** Tries it once, since a content security policy reports every attempt. */
const mayGenerateCode = (): boolean => {
  if (z.config().jitless) return false
  try {
    // `z.util.allowsEval` says the same, and brings all of `z.util` into a bundle.
    isCodeAllowed ??= Boolean(new Function(''))
  } catch {
    isCodeAllowed = false
  }
  return isCodeAllowed
}

/** Fields of `next` that `previous` lacks or has with another value; the order of lists matters. */
export const changedFields = <Fields extends object>(
  previous: { readonly [Field in keyof Fields]?: unknown },
  next: Fields,
): readonly (keyof Fields & string)[] => {
  const changed: (keyof Fields & string)[] = []
  for (const field in next) {
    if (!sameValue(previous[field], next[field])) changed.push(field)
  }
  return changed
}

/** Whether every field of `next` has the same value in `previous`. */
export const changesNothing = <Fields extends object>(
  previous: { readonly [Field in keyof Fields]?: unknown },
  next: Fields,
): boolean => changedFields(previous, next).length === 0

/** `fields` with the values of `patch`. */
export const patched = <Fields extends object>(fields: Fields, patch: Patch<Fields>): Fields => {
  const present = Object.entries(patch).filter(([, value]) => value !== undefined)
  return { ...fields, ...Object.fromEntries(present) }
}

/** Whether both are the same JSON: items of lists in their order, members of objects in any. */
export const sameValue = (one: unknown, other: unknown): boolean => {
  if (one === other) return true
  if (typeof one !== 'object' || typeof other !== 'object' || !one || !other) return false
  if (Array.isArray(one) !== Array.isArray(other)) return false
  const members = Object.entries(one)
  return (
    members.length === Object.keys(other).length &&
    members.every(([name, value]) => sameValue(value, Reflect.get(other, name)))
  )
}
