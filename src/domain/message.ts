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

/** Schema of a command. Unknown fields are refused, so that none is ignored. */
export const command = <const Type extends string, Shape extends z.core.$ZodShape>(
  type: Type,
  data: Shape,
) => z.strictObject({ type: z.literal(type), data: z.strictObject(data) })

/** Schema of an event. Its output is frozen: an event is a fact. */
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

/** The version in which events of `type` are written now; 1 for a shape that never changed. */
export const currentVersion = (upcasters: Upcasters, type: string): number =>
  1 + stepsOf(upcasters, type).length

/** `data` as `schemaVersion` wrote it, in the newest version of its event type. */
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
