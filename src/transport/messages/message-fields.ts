import {
  type DescField,
  type DescMessage,
  getOption,
  hasOption,
  ScalarType,
} from '@bufbuild/protobuf'
import { rules } from '../gen/claviger/v1/field_rules_pb.js'
import { type EnumValues, enumValues } from './enum-values.js'

/** Values of a message by the names of their fields, as the library takes and answers them. */
export type Values = Readonly<Record<string, unknown>>

/** A field of a message. */
export type MessageField = Field & (Scalar | Enumeration | Nested)

interface Field {
  /** In JSON, in our generated code and in the library. */
  readonly name: string
  /** In the .proto file: `change_date`. */
  readonly protoName: string
  readonly number: number
  readonly isList: boolean
  /** Whether absent is another value than empty. */
  readonly isOptional: boolean
  /** Most items of a list, or most characters of a text; 0: no limit of its own. */
  readonly most: number
}

interface Scalar {
  /** A value is text, a flag or a list of texts; requests have none. */
  readonly kind: 'text' | 'flag' | 'number' | 'sequence' | 'value'
}

interface Enumeration {
  readonly kind: 'enum'
  readonly values: EnumValues
}

interface Nested {
  /** JSON has times and masks as texts. */
  readonly kind: 'message' | 'time' | 'mask'
  readonly message: MessageFields
}

/** The fields of a message. */
export interface MessageFields {
  readonly all: readonly MessageField[]
  readonly byNumber: ReadonlyMap<number, MessageField>
  /** By each of their names. */
  readonly byName: ReadonlyMap<string, MessageField>
  /** Of a patch, the fields that may be given; the others name what is patched, and how. */
  readonly patchable: readonly MessageField[] | undefined
  /** Whether it, or a message within it, is a patch. */
  readonly hasMasks: boolean
  /** The values of a message in which nothing is given. */
  readonly empty: Values
}

/** Most items of lists without a limit of their own, such as the names of a mask: more than there are names. */
const LONGEST_LIST = 1_000

/** The fields of `desc` and of the messages within it, of which none holds itself. */
export const messageFields = (desc: DescMessage): MessageFields => {
  const all = desc.fields.map(messageField)
  const isPatch = all.some(({ kind }) => kind === 'mask')
  const patchable = all.filter(({ isList, isOptional }) => isPatch && (isList || isOptional))
  return {
    all,
    byNumber: new Map(all.map((field) => [field.number, field])),
    byName: new Map([
      ...all.map((field) => [field.name, field] as const),
      ...all.map((field) => [field.protoName, field] as const),
    ]),
    patchable: isPatch ? patchable : undefined,
    hasMasks: isPatch || all.some((field) => field.kind === 'message' && field.message.hasMasks),
    empty: Object.fromEntries(
      all.map((field) => [
        field.name,
        field.isOptional || patchable.includes(field) ? undefined : zeroOf(field),
      ]),
    ),
  }
}

const messageField = (desc: DescField): MessageField => {
  const isList = desc.fieldKind === 'list'
  // Most have none, and to read one takes long.
  const most = hasOption(desc, rules) ? getOption(desc, rules).most : 0
  return {
    name: desc.jsonName,
    protoName: desc.name,
    number: desc.number,
    isList,
    isOptional: desc.proto.proto3Optional,
    most: most || (isList ? LONGEST_LIST : 0),
    ...typeOf(desc),
  }
}

const typeOf = (desc: DescField): Scalar | Enumeration | Nested => {
  if (desc.enum) return { kind: 'enum', values: enumValues(desc.enum) }
  // The one message that holds itself.
  if (desc.message?.typeName === 'google.protobuf.Value') return { kind: 'value' }
  if (desc.message)
    return { kind: KINDS[desc.message.typeName] ?? 'message', message: messageFields(desc.message) }
  switch (desc.scalar) {
    case ScalarType.BOOL:
      return { kind: 'flag' }
    case ScalarType.STRING:
      return { kind: 'text' }
    case ScalarType.UINT64:
      return { kind: 'sequence' }
    default:
      return { kind: 'number' }
  }
}

const KINDS: Readonly<Record<string, Nested['kind']>> = {
  'google.protobuf.FieldMask': 'mask',
  'google.protobuf.Timestamp': 'time',
}

/** What a field that is not given means, unless it is optional. */
export const zeroOf = (field: MessageField): unknown => {
  if (field.isList) return []
  return field.kind === 'enum' ? field.values.received.get(0)?.value : ZEROS[field.kind]
}

const ZEROS: { readonly [Kind in MessageField['kind']]?: unknown } = {
  text: '',
  flag: false,
  number: 0,
}
