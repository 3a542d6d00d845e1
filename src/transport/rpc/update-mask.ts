import type { DescField, DescMessage } from '@bufbuild/protobuf'
import type { FieldMask } from '@bufbuild/protobuf/wkt'
import { fieldNamed } from '../errors/field-named.js'
import { malformed } from '../errors/status-error.js'

/** Name of the message that says which fields are given; JSON has it as a text. */
export const FIELD_MASK = 'google.protobuf.FieldMask'

/** Of a patch, the field that says which of the others it gives. */
export const maskOf = (desc: DescMessage): DescField | undefined =>
  desc.fields.find(({ message }) => message?.typeName === FIELD_MASK)

/** Fields that a patch may give; the others name what is patched. */
const patchableIn = (desc: DescMessage): readonly DescField[] =>
  desc.fields.filter(({ fieldKind, proto }) => fieldKind === 'list' || proto.proto3Optional)

/** The fields that a mask names, by either of their names. @throws ConnectError where it names another, or one twice */
const namedBy = (desc: DescMessage, names: readonly string[]): readonly DescField[] => {
  const patchable = patchableIn(desc)
  const named = names.slice(0, patchable.length + 1).map((name) => fieldNamed(desc, name))
  const found = patchable.filter((field) => named.includes(field))
  if (found.length === names.length) return found
  throw wrongMask(`must name some of ${patchable.map(({ name }) => name).join(', ')}, none twice`)
}

const wrongMask = (description: string) => malformed({ field: 'update_mask', description })

/**
 * The JSON of a patch with a mask that names what is there, which a message does not tell of an empty list.
 *
 * @throws ConnectError where it has a mask that names anything else
 */
export const withMask = (desc: DescMessage, mask: DescField, json: Given): Given => {
  const { [mask.name]: inProto, [mask.jsonName]: inJson = inProto, ...fields } = json
  const given = patchableIn(desc).filter((field) => isIn(fields, field))
  const names = given.map(({ jsonName }) => jsonName)
  if (typeof inJson === 'string') {
    const named = namedBy(desc, inJson === '' ? [] : inJson.split(',', desc.fields.length))
    if (named.length !== given.length || named.some((field) => !given.includes(field)))
      throw wrongMask('must name the fields that the body has')
  }
  return { ...fields, [mask.jsonName]: names.join(',') }
}

type Given = Readonly<Record<string, unknown>>

/** `null` is absent. */
const isIn = (json: Given, { name, jsonName }: DescField): boolean =>
  (json[name] ?? json[jsonName] ?? null) !== null

/**
 * Answers the value of a field that a patch gives, undefined for any other: by its mask, or without one by what is in
 * the message. @throws ConnectError for a mask that names other fields, or one twice
 */
export const givenIn = <Request extends { readonly updateMask?: FieldMask | undefined }>(
  desc: DescMessage,
  request: Request,
) => {
  const named = namedBy(desc, request.updateMask?.paths ?? [])
  const given =
    named.length > 0 ? named : patchableIn(desc).filter((field) => isSet(request, field))
  return <Value>(name: string & keyof Request, value: Value): Value | undefined =>
    given.some(({ localName }) => localName === name) ? value : undefined
}

const isSet = (request: object, { localName }: DescField): boolean => {
  const value: unknown = Reflect.get(request, localName)
  return Array.isArray(value) ? value.length > 0 : value !== undefined
}
