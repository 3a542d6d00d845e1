import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf'
import type { Violation } from '../index.js'
import { twice } from './doubled-name.js'
import { fieldNamed } from './field-named.js'

/** What keeps `json` from being the message, by field, from the first on; never repeats a value. */
export function* jsonViolations(
  desc: DescMessage,
  json: unknown,
  path = '',
): Generator<Violation, void> {
  if (!isObject(json)) return yield { field: path, description: 'must be a JSON object' }
  const prefix = path === '' ? '' : `${path}.`
  for (const [name, value] of Object.entries(json)) {
    const place = `${prefix}${name}`
    const field = fieldNamed(desc, name)
    if (!field) yield { field: place, description: 'is not a field of the request' }
    else if (name !== field.jsonName && Object.hasOwn(json, field.jsonName))
      yield twice(`${prefix}${field.jsonName}`)
    else if (value !== null) yield* violationsOfField(field, value, place)
  }
}

function* violationsOfField(
  field: DescField,
  value: unknown,
  place: string,
): Generator<Violation, void> {
  if (field.fieldKind !== 'list') return yield* violationsOfValue(field, value, place)
  if (!Array.isArray(value)) return yield { field: place, description: 'must be a list' }
  for (const [index, item] of value.entries())
    yield* violationsOfValue(field, item, `${place}[${index}]`)
}

/** Of a field, or of one item of a list. */
function* violationsOfValue(
  field: DescField,
  value: unknown,
  place: string,
): Generator<Violation, void> {
  if (field.message) yield* jsonViolations(field.message, value, place)
  else if (!isReadable(field, value)) yield { field: place, description: expectationOf(field) }
}

/** Asks no parser: a list may have half a million items. */
const isReadable = ({ enum: known, scalar }: DescField, value: unknown): boolean => {
  if (known && typeof value === 'string') return known.values.some(({ name }) => name === value)
  switch (scalar) {
    case ScalarType.BOOL:
      return typeof value === 'boolean'
    case ScalarType.STRING:
      return typeof value === 'string' && value.isWellFormed()
    default:
      return isInteger(typeof value === 'string' && NUMBER.test(value) ? Number(value) : value)
  }
}

/** As JSON writes one, which protobuf allows as text too. */
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/

/** Of 32 bits, the only numbers that requests have. */
const isInteger = (value: unknown): boolean => typeof value === 'number' && value === (value | 0)

const expectationOf = (field: DescField): string => {
  if (field.enum) return `must be one of ${field.enum.values.map(({ name }) => name).join(', ')}`
  switch (field.scalar) {
    case ScalarType.BOOL:
      return 'must be true or false'
    case ScalarType.STRING:
      return 'must be text'
    default:
      return 'must be a whole number'
  }
}

const isObject = (json: unknown): json is object =>
  typeof json === 'object' && json !== null && !Array.isArray(json)
