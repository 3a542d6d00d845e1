import type { Violation } from '../../index.js'
import type { WireEnumValue, WireField, WireMessage } from '../wire.js'
import { malformed } from './refusal.js'

/** Values of a message by the names of their fields, as the library takes and answers them. */
export type Values = Readonly<Record<string, unknown>>

/** The fields of a message, indexed for lookups. */
export interface MessageFields {
  readonly all: readonly WireField[]
  readonly byNumber: ReadonlyMap<number, WireField>
  /** By each of their two names. */
  readonly byName: ReadonlyMap<string, WireField>
  /** The fields that a patch may change; the others name the object. Undefined if the message is not a patch. */
  readonly patchable: readonly WireField[] | undefined
  /** The values of a message in which nothing is given, without those that are absent. */
  readonly empty: Values
}

const known = new WeakMap<WireMessage, MessageFields>()

/** The fields of a message, indexed when they are first needed. */
export const fieldsOf = (message: WireMessage): MessageFields => {
  const found = known.get(message) ?? index(message)
  known.set(message, found)
  return found
}

const index = ({ fields: all }: WireMessage): MessageFields => {
  const isPatch = all.some(({ kind }) => kind === 'mask')
  const patchable = all.filter(({ isList, isOptional }) => isPatch && (isList || isOptional))
  const zeros = all
    .filter((field) => !field.isOptional && !patchable.includes(field))
    .map((field) => [field.name, zeroOf(field)] as const)
  return {
    all,
    byNumber: new Map(all.map((field) => [field.number, field])),
    byName: new Map([
      ...all.map((field) => [field.name, field] as const),
      ...all.map((field) => [field.protoName, field] as const),
    ]),
    patchable: isPatch ? patchable : undefined,
    empty: Object.fromEntries(zeros.filter(([, zero]) => zero !== undefined)),
  }
}

/** The value of a field that is not given and not optional. */
export const zeroOf = (field: WireField): unknown => {
  if (field.isList) return []
  return field.kind === 'enum' ? field.values[0]?.value : ZEROS[field.kind]
}

const ZEROS: { readonly [Kind in WireField['kind']]?: unknown } = {
  text: '',
  flag: false,
  number: 0,
}

/** The value of an enumeration that was sent, by its name or number; refuses any other. */
export const readEnum = (
  values: readonly WireEnumValue[],
  sent: unknown,
  path: FieldPath,
): string | undefined => {
  const found = values.find(({ name, number }) => name === sent || number === sent)
  return found
    ? found.value
    : refuse(path, `must be one of ${values.map(({ name }) => name).join(', ')}`)
}

/** The violation of a value that is not a time. */
export const A_TIME = 'must be a time of RFC 3339 in the years 1 to 9999'

const EARLIEST = Date.parse('0001-01-01T00:00:00Z')
const LATEST = Date.parse('9999-12-31T23:59:59.999Z')

/** The time in milliseconds as a `Date`; undefined outside the years 1 to 9999. */
export const timeInRange = (time: number): Date | undefined =>
  time >= EARLIEST && time <= LATEST ? new Date(time) : undefined

/** The part of a request that was read so far. */
interface ReadSoFar {
  readonly violations: Violation[]
  /** Messages in lists. */
  objects: number
}

/** The path of a value in a request. It becomes a text only for a violation, because a list may have 300,000 items. */
export interface FieldPath {
  /** The path of the message or list that holds the value; undefined for the whole request. */
  readonly parent: FieldPath | undefined
  /** A name, or an index in a list. */
  readonly step: string | number
  readonly read: ReadSoFar
}

/** The path of a whole request that is about to be read. */
export const wholeRequest = (): FieldPath => ({
  parent: undefined,
  step: '',
  read: { violations: [], objects: 0 },
})

/** The path of a part of the value at `parent`. */
export const pathTo = (parent: FieldPath, step: string | number): FieldPath => ({
  parent,
  step,
  read: parent.read,
})

/** Such as `roles[1].roleKey`. */
export const textOf = ({ parent, step }: FieldPath): string => {
  const before = parent ? textOf(parent) : ''
  if (typeof step === 'number') return `${before}[${step}]`
  return before === '' ? step : `${before}.${step}`
}

/** No response has room for more violations. */
const MAX_VIOLATIONS = 250

/** Whether the request has so many violations that no more of it needs to be read. */
export const isFull = ({ read }: FieldPath): boolean => read.violations.length >= MAX_VIOLATIONS

/** Notes a violation; undefined takes the place of the value. */
export const refuse = (path: FieldPath, description: string): undefined => {
  if (!isFull(path)) path.read.violations.push({ field: textOf(path), description })
}

/** Items of a list whose field has no bound, such as the names of a mask. There are fewer names. */
const MAX_ITEMS = 1_000

/** The items of a list up to one too many, which is enough for the library to refuse it. */
export const boundedItems = (field: WireField, items: readonly unknown[]): readonly unknown[] =>
  items.slice(0, (field.most ?? MAX_ITEMS) + 1)

/** Most messages in the lists of a request: in JSON of 1 MiB, no more can be well-formed. */
const MAX_OBJECTS = 30_000

/** Counts messages in lists. @throws Refusal if a request has too many: each takes time in every protocol */
export const countObjects = (read: Pick<ReadSoFar, 'objects'>, more: number): void => {
  read.objects += more
  if (read.objects > MAX_OBJECTS)
    throw malformed({
      field: '',
      description: `must have at most ${MAX_OBJECTS} objects in its lists`,
    })
}
