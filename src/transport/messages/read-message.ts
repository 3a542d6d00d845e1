import { refuseMalformed } from '../errors/status-error.js'
import { type MessageField, type MessageFields, type Values, zeroOf } from './message-fields.js'
import { type Place, partAt, pathOf, refuse, wholeRequest } from './place.js'
import { A_TIME, timeInProtobuf } from './read-time.js'
import { givenFields } from './update-mask.js'

/** The values of a request in protobuf. @throws ConnectError where it has unknown fields or enumeration values */
export const readMessage = (message: MessageFields, from: object): Values => {
  const request = wholeRequest()
  const values = readFields(message, from, request)
  refuseMalformed(request.read.violations)
  return values
}

const readFields = (message: MessageFields, from: object, place: Place): Values => {
  refuseUnknown(from, place)
  const isPatch = message.patchable !== undefined
  const values: Record<string, unknown> = {}
  for (const field of isPatch ? givenFields(message, from, pathOf(place)) : message.all) {
    const value: unknown = Reflect.get(from, field.name)
    // What a mask names and the message does not have, is emptied.
    const isEmptied = isPatch && value === undefined
    values[field.name] = isEmptied
      ? zeroOf(field)
      : readField(field, value, partAt(place, field.name))
  }
  return values
}

/** A field whose number the message does not have. */
const refuseUnknown = (from: object, place: Place): void => {
  const unknown: unknown = Reflect.get(from, '$unknown')
  if (!Array.isArray(unknown)) return
  for (const { no } of unknown) refuse(place, `must not have a field numbered ${no}`)
}

const readField = (field: MessageField, value: unknown, place: Place): unknown =>
  field.isList && Array.isArray(value)
    ? value.map((item, index) => readValue(field, item, partAt(place, index)))
    : readValue(field, value, place)

/** An enumeration of protobuf is open: any number can come in, and none may stand for the default. */
const readValue = (field: MessageField, value: unknown, place: Place): unknown => {
  if (value === undefined) return undefined
  if (field.kind === 'enum') {
    const found = field.values.received.get(value)
    return found ? found.value : refuse(place, field.values.expectation)
  }
  if (typeof value !== 'object' || value === null) return value
  if (field.kind === 'message') return readFields(field.message, value, place)
  if (field.kind !== 'time') return value
  refuseUnknown(value, place)
  return timeInProtobuf(value) ?? refuse(place, A_TIME)
}
