import {
  type DescEnum,
  type DescField,
  type DescMessage,
  getOption,
  ScalarType,
} from '@bufbuild/protobuf'
import { rules } from '../gen/claviger/v1/field_rules_pb.js'
import { descriptions } from '../gen/descriptions_pb.js'
import { exampleOf, WELL_KNOWN } from './openapi-example.js'

/** A JSON Schema of the dialect of OpenAPI 3.1. */
export type Schema = Readonly<Record<string, unknown>>

/** Where the schema of a message stands. */
export const referenceTo = ({ name }: DescMessage): Schema => ({
  $ref: `#/components/schemas/${name}`,
})

/** What a request may say in its body: `fields` of the message, and nothing else. */
export const requestSchema = (message: DescMessage, fields: readonly DescField[]): Schema => ({
  ...objectSchema(message, fields),
  required: fields.filter(isRequired).map(({ jsonName }) => jsonName),
  additionalProperties: false,
})

/** What a response says: every field that is not optional, zero values too. */
export const responseSchema = (message: DescMessage): Schema => ({
  ...objectSchema(message, message.fields),
  required: message.fields.flatMap(({ proto, jsonName }) => (proto.proto3Optional ? [] : jsonName)),
})

/** Messages that the fields of a message are, at any depth. */
export const nestedMessages = (message: DescMessage): readonly DescMessage[] =>
  message.fields.flatMap((field) =>
    field.message && !(field.message.typeName in WELL_KNOWN)
      ? [field.message, ...nestedMessages(field.message)]
      : [],
  )

/** Whether the field must be given. */
export const isRequired = (field: DescField): boolean => getOption(field, rules).required

/** What one value of the field is like, without saying what it means. */
export const valueSchema = (field: DescField): Schema => {
  const { least, most } = getOption(field, rules)
  if (field.fieldKind === 'list')
    return { type: 'array', items: itemSchema(field), ...limits('Items', least, most) }
  if (field.scalar === ScalarType.STRING)
    return { type: 'string', ...limits('Length', least, most) }
  return itemSchema(field)
}

/** What the comment in the .proto file says of a field. */
export const descriptionOf = (field: DescField): string =>
  descriptions[`${field.parent.typeName}.${field.name}`] ?? ''

const objectSchema = (message: DescMessage, fields: readonly DescField[]): Schema => ({
  type: 'object',
  description: descriptions[message.typeName],
  properties: Object.fromEntries(fields.map((field) => [field.jsonName, propertySchema(field)])),
})

const propertySchema = (field: DescField): Schema => {
  const example = field.message ? undefined : exampleOf(field)
  return {
    ...valueSchema(field),
    description: descriptionOf(field),
    ...(example !== undefined && { examples: [example] }),
  }
}

const itemSchema = (field: DescField): Schema => {
  if (field.message) return WELL_KNOWN[field.message.typeName] ?? referenceTo(field.message)
  if (field.enum) return enumSchema(field.enum, field.proto.proto3Optional)
  switch (field.scalar) {
    case ScalarType.BOOL:
      return { type: 'boolean' }
    case ScalarType.UINT64:
      return { type: 'string', pattern: '^[0-9]{1,20}$' }
    case ScalarType.INT32:
      return { type: 'integer', format: 'int32' }
    default:
      return { type: 'string' }
  }
}

/** One that is optional has no default: a patch that does not give it keeps it as it is. */
const enumSchema = ({ values }: DescEnum, isOptional: boolean): Schema => ({
  type: 'string',
  enum: values.map(({ name }) => name),
  ...(!isOptional && { default: values[0]?.name }),
})

const limits = (of: 'Items' | 'Length', least: number, most: number): Schema => ({
  ...(least > 0 && { [`min${of}`]: least }),
  ...(most > 0 && { [`max${of}`]: most }),
})
