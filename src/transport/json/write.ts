import { zeroOf } from '../operations/message.js'
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
  time: (date) => timeText(date),
  sequence: String,
  value: (value) => value,
}

/** Writes the values of a response, and no others; fields that are not optional also with their zero value. */
type MessageWriter = (values: object) => Record<string, unknown>

/** Makes the writers of messages in a form, each when it is first needed. */
export const messageWriters = (form: Form): ((message: WireMessage) => MessageWriter) => {
  const known = new WeakMap<WireMessage, MessageWriter>()
  const writerOf = (message: WireMessage): MessageWriter => {
    const found = known.get(message) ?? newWriter(message)
    known.set(message, found)
    return found
  }
  const newWriter = ({ fields }: WireMessage): MessageWriter => {
    const writers = fields.map((field) => ({ name: field.name, write: fieldWriter(field) }))
    return (values) => {
      const written: Record<string, unknown> = {}
      for (const { name, write } of writers) written[name] = write(Reflect.get(values, name))
      return written
    }
  }
  const fieldWriter = (field: WireField) => {
    const write = valueWriter(field)
    if (!field.isList) return write
    return (value: unknown) =>
      Array.isArray(value) ? value.map((item) => write(item)) : write(value)
  }
  const valueWriter = (field: WireField): ((value: unknown) => unknown) => {
    if (field.kind === 'enum') {
      // The first value that the library has under a name, or has none of.
      const names = new Map<unknown, string | number>()
      for (const each of field.values.toReversed()) names.set(each.value, form.enumeration(each))
      return (value) => names.get(value)
    }
    if (field.kind === 'value')
      return (value) => (value === undefined ? undefined : form.value(value))
    return (value) => {
      if (typeof value === 'bigint') return form.sequence(value)
      if (value instanceof Date) return form.time(value)
      if (field.kind === 'message' && typeof value === 'object' && value !== null)
        return writerOf(field.message)(value)
      return value ?? (field.isOptional ? undefined : zeroOf(field))
    }
  }
  return writerOf
}

const DAY = 24 * 60 * 60 * 1000

/** The last day that was written, such as `2026-01-31T`. */
let lastDay = { day: Number.NaN, text: '' }

/** As `toISOString`, which takes three times as long: most times in a response are of one day. */
const timeText = (date: Date): string => {
  const time = date.getTime()
  const day = Math.floor(time / DAY)
  if (day !== lastDay.day)
    lastDay = { day, text: date.toISOString().slice(0, -'00:00:00.000Z'.length) }
  const inDay = time - day * DAY
  const seconds = Math.floor(inDay / 1000)
  const minutes = Math.floor(seconds / 60)
  const clock = `${digits(Math.floor(minutes / 60))}:${digits(minutes % 60)}:${digits(seconds % 60)}`
  return `${lastDay.text}${clock}.${digits(inDay % 1000, 3)}Z`
}

const digits = (number: number, length = 2): string => String(number).padStart(length, '0')
