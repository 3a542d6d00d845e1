import { firstDuplicate } from '../../duplicates.js'
import type { Violation } from '../../index.js'
import { timeIn } from '../../rfc3339.js'
import {
  A_TIME,
  boundedItems,
  countObjects,
  type FieldPath,
  fieldsOf,
  isFull,
  pathTo,
  readEnum,
  refuse,
  textOf,
  timeInRange,
  type Values,
  wholeRequest,
} from '../operations/message.js'
import { malformed, refuseMalformed } from '../operations/refusal.js'
import { withoutMask } from '../operations/update-mask.js'
import type { WireField, WireMessage } from '../wire.js'

/** An object of JSON. */
export type JsonObject = Readonly<Record<string, unknown>>

const GIVEN_TWICE = 'must not be given twice'

/** The violation of a field that is given more than once. */
export const duplicateField = (field: string): Violation => ({ field, description: GIVEN_TWICE })

/**
 * The values of a request in JSON: `fromUrl` is a part of them, `bytes` the rest. No refusal repeats a value, which may
 * be a secret.
 *
 * @throws Refusal if the request is malformed
 */
export const readJsonBody = (
  message: WireMessage,
  bytes: Uint8Array,
  fromUrl: JsonObject,
): Values => {
  const text = textIn(bytes)
  const json = objectIn(text)
  for (const name in fromUrl) {
    const protoName = fieldsOf(message).byName.get(name)?.protoName ?? name
    if (Object.hasOwn(json, name) || Object.hasOwn(json, protoName))
      throw malformed(duplicateField(name))
  }
  const values = readJson(message, Object.assign(json, fromUrl))
  const duplicate = firstDuplicate(text)
  if (duplicate !== undefined) throw malformed(duplicateField(duplicate.path))
  return values
}

/** The values of a request in parsed JSON. @throws Refusal if it is malformed */
export const readJson = (message: WireMessage, json: JsonObject): Values => {
  const request = wholeRequest()
  const values = readObject(message, json, request)
  refuseMalformed(request.read.violations)
  return values
}

/** A byte order mark is an error, as in JSON: a reader in front of us may not skip it, and see another body. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

const textIn = (bytes: Uint8Array): string => {
  try {
    return utf8.decode(bytes)
  } catch {
    throw malformed({ field: '', description: 'must be text in UTF-8' })
  }
}

const NO_OBJECT = 'must be a JSON object'

const objectIn = (text: string): JsonObject => {
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

const readObject = (message: WireMessage, json: JsonObject, path: FieldPath): Values => {
  const fields = fieldsOf(message)
  const { byName, empty, patchable } = fields
  const values = { ...empty }
  for (const name in json) {
    if (isFull(path)) break
    const field = byName.get(name)
    const value = json[name]
    if (!field) refuse(pathTo(path, name), 'is not a field of the request')
    else if (name !== field.name && Object.hasOwn(json, field.name))
      refuse(pathTo(path, field.name), GIVEN_TWICE)
    else if (value !== null) values[field.name] = readField(field, value, pathTo(path, name))
  }
  // A field that was refused is not there for a mask to name.
  const isPatch = patchable && path.read.violations.length === 0
  return isPatch ? withoutMask(fields, values, textOf(path)) : values
}

const readField = (field: WireField, value: unknown, path: FieldPath): unknown => {
  if (!field.isList) return readValue(field, value, path)
  if (!Array.isArray(value)) return refuse(path, 'must be a list')
  const items = boundedItems(field, value)
  if (field.kind === 'message') countObjects(path.read, items.length)
  return items.map((item, index) => readValue(field, item, pathTo(path, index)))
}

const readValue = (field: WireField, value: unknown, path: FieldPath): unknown => {
  switch (field.kind) {
    case 'text':
      return isText(value) ? value : refuse(path, 'must be text')
    case 'flag':
      return typeof value === 'boolean' ? value : refuse(path, 'must be true or false')
    case 'enum':
      return readEnum(field.values, value, path)
    case 'message':
      return isObject(value) ? readObject(field.message, value, path) : refuse(path, NO_OBJECT)
    case 'mask':
      return typeof value === 'string' ? value : refuse(path, 'must be text')
    case 'number':
      return wholeNumber(value) ?? refuse(path, 'must be a whole number')
    case 'sequence':
      return sequenceIn(value) ?? refuse(path, 'must be a whole number from 0 to 2^64 - 1')
    case 'time':
      return timeOf(value) ?? refuse(path, A_TIME)
    case 'value':
      return value
  }
}

const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.isWellFormed()

/** A number of JSON, which protobuf also allows as text. */
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/

/** A whole number of 32 bits. */
const wholeNumber = (value: unknown): number | undefined => {
  const number = typeof value === 'string' && NUMBER.test(value) ? Number(value) : value
  return typeof number === 'number' && number === (number | 0) ? number : undefined
}

/** A whole number of 64 bits, which JSON has as text; as a number only where it is exact. */
const sequenceIn = (value: unknown): bigint | undefined => {
  const isExact = typeof value === 'string' ? /^\d{1,20}$/.test(value) : Number.isSafeInteger(value)
  const sequence = isExact ? BigInt(String(value)) : -1n
  return BigInt.asUintN(64, sequence) === sequence ? sequence : undefined
}

/** In protobuf, a fraction of a second has at most nine digits. */
const LONG_FRACTION = /\.\d{10}/

const timeOf = (value: unknown): Date | undefined => {
  const isTime = typeof value === 'string' && !LONG_FRACTION.test(value)
  const time = isTime ? timeIn(value) : undefined
  return time && timeInRange(time.getTime())
}
