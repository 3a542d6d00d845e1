import { type DescField, ScalarType } from '@bufbuild/protobuf'
import type { Violation } from '../../index.js'
import type { BoundedField, BoundedFields } from '../http/request-bounds.js'
import { FIELD_MASK } from '../rpc/update-mask.js'
import { twice } from './duplicate-field.js'

/** What keeps `json` from being a message of these fields, from the first on; never repeats a value. */
export function* jsonViolations(
  fields: BoundedFields,
  json: unknown,
  path = '',
): Generator<Violation, void> {
  if (!isObject(json)) return yield { field: path, description: 'must be a JSON object' }
  const prefix = path === '' ? '' : `${path}.`
  for (const name in json) {
    const place = `${prefix}${name}`
    const field = fields.get(name)
    const { jsonName = '' } = field?.desc ?? {}
    const value = json[name]
    if (!field) yield { field: place, description: 'is not a field of the request' }
    else if (name !== jsonName && Object.hasOwn(json, jsonName)) yield twice(`${prefix}${jsonName}`)
    else if (value !== null) yield* violationsOfField(field, value, place)
  }
}

/** Of a list with too many items, those behind the first that is too many are not looked at. */
function* violationsOfField(
  field: BoundedField,
  value: unknown,
  place: string,
): Generator<Violation, void> {
  if (field.desc.fieldKind !== 'list') return yield* violationsOfValue(field, value, place)
  if (!Array.isArray(value)) return yield { field: place, description: 'must be a list' }
  for (const [index, item] of value.slice(0, field.most + 1).entries())
    yield* violationsOfValue(field, item, `${place}[${index}]`)
}

/** Of a field, or of one item of a list. */
function* violationsOfValue(
  { desc, fields }: BoundedField,
  value: unknown,
  place: string,
): Generator<Violation, void> {
  if (fields && desc.message?.typeName !== FIELD_MASK) yield* jsonViolations(fields, value, place)
  else if (!isReadable(desc, value)) yield { field: place, description: expectationOf(desc) }
}

const isReadable = ({ enum: known, scalar, message }: DescField, value: unknown): boolean => {
  if (message) return typeof value === 'string'
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
  if (field.message) return 'must be text'
  switch (field.scalar) {
    case ScalarType.BOOL:
      return 'must be true or false'
    case ScalarType.STRING:
      return 'must be text'
    default:
      return 'must be a whole number'
  }
}

const isObject = (json: unknown): json is Readonly<Record<string, unknown>> =>
  typeof json === 'object' && json !== null && !Array.isArray(json)
