import { malformed, refuseMalformed } from '../errors/status-error.js'
import { duplicateField, firstDuplicate, GIVEN_TWICE } from './duplicate-field.js'
import type { EnumValues } from './enum-values.js'
import type { MessageField, MessageFields, Values } from './message-fields.js'
import { countObjects, isFull, type Place, partAt, refuse, wholeRequest } from './place.js'
import { A_TIME, timeInJson } from './read-time.js'
import { withoutMasks } from './update-mask.js'

/** An object of JSON. */
export type JsonObject = Readonly<Record<string, unknown>>

/** A byte order mark is no JSON: left out in silence, it would hide from others that look at the body. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * The values of a request in JSON, of which `fromUrl` stands in the URL and the rest in `bytes`. No refusal repeats
 * a value, which may be a secret.
 *
 * @throws ConnectError where the request is malformed
 */
export const readJsonBody = (
  message: MessageFields,
  bytes: Uint8Array,
  fromUrl: JsonObject,
): Values => {
  const text = textOf(bytes)
  const json = objectOf(text)
  for (const name in fromUrl) {
    const protoName = message.byName.get(name)?.protoName ?? name
    if (Object.hasOwn(json, name) || Object.hasOwn(json, protoName))
      throw malformed(duplicateField(name))
  }
  const values = readJson(message, Object.assign(json, fromUrl))
  const duplicate = firstDuplicate(text)
  if (duplicate !== undefined) throw malformed(duplicateField(duplicate))
  return values
}

/** The values of a request in parsed JSON. @throws ConnectError where it is malformed */
export const readJson = (message: MessageFields, json: JsonObject): Values => {
  const request = wholeRequest()
  const values = readObject(message, json, request)
  refuseMalformed(request.read.violations)
  return withoutMasks(message, values)
}

const textOf = (bytes: Uint8Array): string => {
  try {
    return utf8.decode(bytes)
  } catch {
    throw malformed({ field: '', description: 'must be text in UTF-8' })
  }
}

const NO_OBJECT = 'must be a JSON object'

const objectOf = (text: string): JsonObject => {
  try {
    const json: unknown = JSON.parse(text)
    if (isObject(json)) return json
  } catch {
    const isBegun = /^[ \t\r\n]*\{/.test(text)
    throw malformed({ field: '', description: isBegun ? 'must be JSON' : NO_OBJECT })
  }
  throw malformed({ field: '', description: NO_OBJECT })
}

const isObject = (json: unknown): json is JsonObject =>
  typeof json === 'object' && json !== null && !Array.isArray(json)

const readObject = (message: MessageFields, json: JsonObject, place: Place): Values => {
  const values = { ...message.empty }
  for (const name in json) {
    if (isFull(place)) break
    const field = message.byName.get(name)
    const value = json[name]
    if (!field) refuse(partAt(place, name), 'is not a field of the request')
    else if (name !== field.name && Object.hasOwn(json, field.name))
      refuse(partAt(place, field.name), GIVEN_TWICE)
    else if (value !== null) values[field.name] = readField(field, value, partAt(place, name))
  }
  return values
}

/** Of a list that is too long, one item too many is enough. */
const readField = (field: MessageField, value: unknown, place: Place): unknown => {
  if (!field.isList) return readValue(field, value, place)
  if (!Array.isArray(value)) return refuse(place, 'must be a list')
  const items: readonly unknown[] = value.slice(0, field.most + 1)
  if (field.kind === 'message') countObjects(place.read, items.length)
  return items.map((item, index) => readValue(field, item, partAt(place, index)))
}

const readValue = (field: MessageField, value: unknown, place: Place): unknown => {
  switch (field.kind) {
    case 'text':
      return isText(value) ? shortText(value, field.most) : refuse(place, 'must be text')
    case 'flag':
      return typeof value === 'boolean' ? value : refuse(place, 'must be true or false')
    case 'enum':
      return readEnum(field.values, value, place)
    case 'message':
      return isObject(value) ? readObject(field.message, value, place) : refuse(place, NO_OBJECT)
    case 'mask':
      return typeof value === 'string' ? value : refuse(place, 'must be text')
    case 'number':
      return wholeNumber(value) ?? refuse(place, 'must be a whole number')
    case 'sequence':
      return sequenceOf(value) ?? refuse(place, 'must be a whole number from 0 to 2^64 - 1')
    case 'time':
      return timeInJson(value) ?? refuse(place, A_TIME)
    case 'value':
      return value
  }
}

const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.isWellFormed()

/** Of a text that is too long, a part that is so too: a character is one or two units, and none is cut in two. */
const shortText = (text: string, most: number): string => {
  const units = 2 * (most + 1)
  if (most === 0 || text.length <= units) return text
  const short = text.slice(0, units)
  return short.isWellFormed() ? short : text.slice(0, units + 1)
}

const readEnum = (values: EnumValues, value: unknown, place: Place): unknown => {
  const found = values.received.get(value)
  return found ? found.value : refuse(place, values.expectation)
}

/** As JSON writes one, which protobuf allows as text too. */
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/

/** Of 32 bits. */
const wholeNumber = (value: unknown): number | undefined => {
  const number = typeof value === 'string' && NUMBER.test(value) ? Number(value) : value
  return typeof number === 'number' && number === (number | 0) ? number : undefined
}

/** Of 64 bits, which JSON has as text; a number only where it is exact. */
const sequenceOf = (value: unknown): bigint | undefined => {
  const isExact = typeof value === 'string' ? /^\d{1,20}$/.test(value) : Number.isSafeInteger(value)
  const sequence = isExact ? BigInt(String(value)) : -1n
  return BigInt.asUintN(64, sequence) === sequence ? sequence : undefined
}
