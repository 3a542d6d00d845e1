import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { refuseMalformed } from '../json/refusal.js'
import type { Form } from '../json/write.js'
import {
  A_TIME,
  boundedItems,
  type FieldPath,
  fieldsOf,
  pathTo,
  readEnum,
  refuse,
  textOf,
  timeInRange,
  type Values,
  wholeRequest,
  zeroOf,
} from '../operations/message.js'
import { givenFields } from '../operations/update-mask.js'
import type { WireField, WireMessage } from '../wire.js'

/** The values of a decoded request. @throws Refusal if it has unknown fields or values of enumerations */
export const readMessage = (message: WireMessage, decoded: object): Values => {
  const request = wholeRequest()
  const values = readFields(message, decoded, request)
  refuseMalformed(request.read.violations)
  return values
}

const readFields = (message: WireMessage, decoded: object, path: FieldPath): Values => {
  refuseUnknown(decoded, path)
  const fields = fieldsOf(message)
  const isPatch = fields.patchable !== undefined
  const values: Record<string, unknown> = {}
  for (const field of isPatch
    ? givenFields(fields, presentIn(decoded), namesIn(decoded), textOf(path))
    : fields.all) {
    const value: unknown = Reflect.get(decoded, field.name)
    if (value !== undefined) values[field.name] = readField(field, value, pathTo(path, field.name))
    // A patch empties a field that its mask names and the message does not have.
    else if (isPatch) values[field.name] = zeroOf(field)
  }
  return values
}

/** Without lists that are empty. */
const presentIn = (message: object): Values =>
  Object.fromEntries(
    Object.entries(message).filter(([, value]) => !(Array.isArray(value) && value.length === 0)),
  )

const namesIn = (message: object): readonly string[] => {
  const names: unknown = Reflect.get(Object(Reflect.get(message, 'updateMask')), 'paths')
  return Array.isArray(names) ? names : []
}

/** Refuses fields whose number the message does not have. */
const refuseUnknown = (decoded: object, path: FieldPath): void => {
  const unknown: unknown = Reflect.get(decoded, '$unknown')
  if (!Array.isArray(unknown)) return
  for (const { no } of unknown) refuse(path, `must not have a field numbered ${no}`)
}

const readField = (field: WireField, value: unknown, path: FieldPath): unknown =>
  field.isList && Array.isArray(value)
    ? boundedItems(field, value).map((item, index) => readValue(field, item, pathTo(path, index)))
    : readValue(field, value, path)

/** Enumerations of protobuf are open: any number may come in, and an unknown one must not pass for the default. */
const readValue = (field: WireField, value: unknown, path: FieldPath): unknown => {
  if (field.kind === 'enum') return readEnum(field.values, value, path)
  if (typeof value !== 'object' || value === null) return value
  if (field.kind === 'message') return readFields(field.message, value, path)
  if (field.kind !== 'time') return value
  refuseUnknown(value, path)
  return timeIn(value) ?? refuse(path, A_TIME)
}

/** The time of a `google.protobuf.Timestamp`, to the millisecond; undefined if it is out of range. */
const timeIn = (timestamp: object): Date | undefined => {
  const seconds: unknown = Reflect.get(timestamp, 'seconds')
  const nanos = Number(Reflect.get(timestamp, 'nanos'))
  if (typeof seconds !== 'bigint' || nanos < 0 || nanos > 999_999_999) return undefined
  return timeInRange(Number(seconds) * 1000 + Math.floor(nanos / 1_000_000))
}

/** The form that the generated code encodes. */
export const PROTOBUF_FORM: Form = {
  enumeration: ({ number }) => number,
  time: timestampFromDate,
  sequence: (sequence) => sequence,
  value: (value) => anyValue(value),
}

/** A `google.protobuf.Value` of text, a number, a flag or a list of these. */
const anyValue = (value: unknown): object => {
  if (typeof value === 'number') return { kind: { case: 'numberValue', value } }
  if (typeof value === 'boolean') return { kind: { case: 'boolValue', value } }
  if (!Array.isArray(value)) return { kind: { case: 'stringValue', value: String(value) } }
  return { kind: { case: 'listValue', value: { values: value.map(anyValue) } } }
}
