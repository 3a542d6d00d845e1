import { zeroOf } from '../operations/message.js'
import type { WireField, WireMessage } from '../wire.js'

/** Writes the values of a response, and no others; fields that are not optional also with their zero value. */
type MessageWriter = (values: object) => Record<string, unknown>

const known = new WeakMap<WireMessage, MessageWriter>()

/** The writer of a message, which is made when it is first needed. */
export const writerOf = (message: WireMessage): MessageWriter => {
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
  return (value: unknown) => (Array.isArray(value) ? value.map(write) : write(value))
}

/** Enumerations have their names, times milliseconds, and sequences are text. */
const valueWriter = (field: WireField): ((value: unknown) => unknown) => {
  if (field.kind === 'enum') {
    // The first value that the library has under a name, or has none of.
    const names = new Map<unknown, string>()
    for (const each of field.values.toReversed()) names.set(each.value, each.name)
    return (value) => names.get(value)
  }
  if (field.kind === 'value') return (value) => value
  return (value) => {
    if (typeof value === 'bigint') return String(value)
    if (value instanceof Date) return timeText(value)
    if (field.kind === 'message' && typeof value === 'object' && value !== null)
      return writerOf(field.message)(value)
    return value ?? (field.isOptional ? undefined : zeroOf(field))
  }
}

const DAY = 24 * 60 * 60 * 1000

/** The last day that was written, such as `2026-01-31T`. */
let lastDay = { day: Number.NaN, text: '' }

/** As `toISOString`, which takes three times as long: most times in a response are of one day. */
export const timeText = (date: Date): string => {
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
