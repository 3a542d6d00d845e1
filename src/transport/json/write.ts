import { fieldsOf, zeroOf } from '../operations/message.js'
import type { WireEnumValue, WireField, WireMessage } from '../wire.js'

/** How a protocol writes the values that JSON and protobuf have in different forms. */
export interface Form {
  readonly enumeration: (value: WireEnumValue) => string | number
  readonly time: (date: Date) => unknown
  readonly sequence: (sequence: bigint) => string | bigint
  readonly value: (value: unknown) => unknown
}

/** JSON has names of enumerations, times in milliseconds, and sequences as text. */
export const JSON_FORM: Form = {
  enumeration: ({ name }) => name,
  time: (date) => date.toISOString(),
  sequence: String,
  value: (value) => value,
}

/** The values of a response, and no others; fields that are not optional also with their zero value. */
export const writeMessage = (
  message: WireMessage,
  values: object,
  form: Form,
): Record<string, unknown> => {
  const written: Record<string, unknown> = {}
  for (const field of fieldsOf(message).all) {
    const value: unknown = Reflect.get(values, field.name)
    written[field.name] =
      field.isList && Array.isArray(value)
        ? value.map((item) => writeValue(field, item, form))
        : writeValue(field, value, form)
  }
  return written
}

const writeValue = (field: WireField, value: unknown, form: Form): unknown => {
  if (field.kind === 'enum') {
    const found = field.values.find((known) => known.value === value)
    return found && form.enumeration(found)
  }
  if (field.kind === 'value') return value === undefined ? undefined : form.value(value)
  if (typeof value === 'bigint') return form.sequence(value)
  if (value instanceof Date) return form.time(value)
  if (field.kind === 'message' && typeof value === 'object' && value !== null)
    return writeMessage(field.message, value, form)
  return value ?? (field.isOptional ? undefined : zeroOf(field))
}
