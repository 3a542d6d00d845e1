import { type DescField, type DescMessage, fromJsonString, ScalarType } from '@bufbuild/protobuf'
import type { Violation } from '../index.js'

/** What keeps `json` from being the message, by field; never repeats a value. */
export const jsonViolations = (
  desc: DescMessage,
  json: unknown,
  path = '',
): readonly Violation[] => {
  if (!isObject(json)) return [{ field: path, description: 'must be a JSON object' }]
  return Object.entries(json).flatMap(([name, value]) => {
    const place = path === '' ? name : `${path}.${name}`
    const field = desc.fields.find((known) => known.jsonName === name || known.name === name)
    if (!field) return [{ field: place, description: 'is not a field of the request' }]
    return value === null ? [] : violationsOfField(field, value, place)
  })
}

const violationsOfField = (
  field: DescField,
  value: unknown,
  place: string,
): readonly Violation[] => {
  if (field.fieldKind === 'message') return jsonViolations(field.message, value, place)
  if (field.fieldKind !== 'list')
    return isReadable(field, value) ? [] : [{ field: place, description: expectationOf(field) }]
  if (!Array.isArray(value)) return [{ field: place, description: 'must be a list' }]
  return value.flatMap((item, index) => violationsOfItem(field, item, `${place}[${index}]`))
}

const violationsOfItem = (
  field: DescField & { readonly fieldKind: 'list' },
  item: unknown,
  place: string,
): readonly Violation[] => {
  if (field.listKind === 'message') return jsonViolations(field.message, item, place)
  return isReadable(field, [item]) ? [] : [{ field: place, description: expectationOf(field) }]
}

const isReadable = (field: DescField, value: unknown): boolean => {
  try {
    fromJsonString(field.parent, JSON.stringify({ [field.name]: value }))
    return true
  } catch {
    return false
  }
}

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
