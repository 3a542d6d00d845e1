import { type Timestamp, timestampFromDate } from '@bufbuild/protobuf/wkt'
import type { EnumValue } from './enum-values.js'
import { type MessageField, type MessageFields, zeroOf } from './message-fields.js'

/** How a message writes the values that JSON and protobuf have in different forms. */
interface Form {
  readonly enumeration: (value: EnumValue) => string | number
  readonly time: (date: Date) => string | Timestamp
  readonly sequence: (sequence: bigint) => string | bigint
  readonly value: (value: unknown) => unknown
}

/** With names of enumerations, times in milliseconds, and sequences as text. */
export const inJson: Form = {
  enumeration: ({ name }) => name,
  time: (date) => date.toISOString(),
  sequence: String,
  value: (value) => value,
}

/** As our generated code has them. */
export const inProtobuf: Form = {
  enumeration: ({ number }) => number,
  time: timestampFromDate,
  sequence: (sequence) => sequence,
  value: (value) => ({ kind: kindOfValue(value) }),
}

/** The one field of a `google.protobuf.Value` that is there. */
const kindOfValue = (value: unknown): object => {
  if (typeof value === 'boolean') return { case: 'boolValue', value }
  if (!Array.isArray(value)) return { case: 'stringValue', value: String(value) }
  return { case: 'listValue', value: { values: value.map((item) => inProtobuf.value(item)) } }
}

/** A message with the values that `from` has under the names of its fields, and with no others. */
export const writeMessage = (
  message: MessageFields,
  from: object,
  form: Form,
): Record<string, unknown> => {
  const written: Record<string, unknown> = {}
  for (const field of message.all) {
    const value: unknown = Reflect.get(from, field.name)
    written[field.name] =
      field.isList && Array.isArray(value)
        ? value.map((item) => writeValue(field, item, form))
        : writeValue(field, value, form)
  }
  return written
}

const writeValue = (field: MessageField, value: unknown, form: Form): unknown => {
  if (field.kind === 'enum') {
    const found = field.values.byValue.get(value)
    return found && form.enumeration(found)
  }
  if (field.kind === 'value') return value === undefined ? undefined : form.value(value)
  if (typeof value === 'bigint') return form.sequence(value)
  if (value instanceof Date) return form.time(value)
  if (field.kind === 'message' && typeof value === 'object' && value !== null)
    return writeMessage(field.message, value, form)
  return value ?? (field.isOptional ? undefined : zeroOf(field))
}
