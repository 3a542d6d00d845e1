import { fieldsOf, zeroOf } from '../operations/message.js'
import type { WireField, WireMessage } from '../wire.js'

/**
 * The values of a response as JSON has them: fields that are not optional also with their zero value, times in
 * milliseconds, sequences as text, enumerations by the names of the .proto file.
 */
export const writeJson = (message: WireMessage, values: object): Record<string, unknown> => {
  const written: Record<string, unknown> = {}
  for (const field of fieldsOf(message).all) {
    const value: unknown = Reflect.get(values, field.name)
    written[field.name] =
      field.isList && Array.isArray(value)
        ? value.map((item) => writeValue(field, item))
        : writeValue(field, value)
  }
  return written
}

const writeValue = (field: WireField, value: unknown): unknown => {
  if (field.kind === 'enum') return field.values.find((known) => known.value === value)?.name
  if (field.kind === 'value') return value
  if (typeof value === 'bigint') return String(value)
  if (value instanceof Date) return value.toISOString()
  if (field.kind === 'message' && typeof value === 'object' && value !== null)
    return writeJson(field.message, value)
  return value ?? (field.isOptional ? undefined : zeroOf(field))
}
