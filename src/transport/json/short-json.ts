import { type BoundedField, type BoundedFields, isText } from '../http/request-bounds.js'

/**
 * JSON of a message without what its answer does not depend on: of a list, the items behind the first that is too
 * many, and of a text, characters likewise.
 */
export const shortJson = (fields: BoundedFields, json: object): string =>
  JSON.stringify(shortObject(fields, json))

const shortObject = (fields: BoundedFields, json: object): object =>
  Object.fromEntries(
    Object.entries(json).map(([name, value]) => {
      const field = fields.get(name)
      return [name, field ? shortValue(field, value) : value]
    }),
  )

const shortValue = (field: BoundedField, value: unknown): unknown => {
  if (Array.isArray(value))
    return value.slice(0, field.most + 1).map((item) => shortItem(field, item))
  return typeof value === 'string' ? shortText(field, value) : shortItem(field, value)
}

const shortItem = ({ fields }: BoundedField, value: unknown): unknown =>
  fields && typeof value === 'object' && value !== null ? shortObject(fields, value) : value

/** Characters are of at most two units of UTF-16, and none is cut in two. */
const shortText = (field: BoundedField, text: string): string => {
  const units = 2 * (field.most + 1)
  if (field.most === 0 || !isText(field) || text.length <= units) return text
  const short = text.slice(0, units)
  return short.isWellFormed() ? short : text.slice(0, units + 1)
}
