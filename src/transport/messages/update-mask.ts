import type { FieldMask } from '@bufbuild/protobuf/wkt'
import { malformed } from '../errors/status-error.js'
import type { MessageField, MessageFields, Values } from './message-fields.js'

/** The values of a patch in JSON, whose mask must name the fields that are there. @throws ConnectError */
export const withoutMask = (message: MessageFields, { updateMask, ...values }: Values): Values => {
  if (typeof updateMask !== 'string') return values
  const { all, patchable = [] } = message
  const named = namedFields(message, updateMask === '' ? [] : updateMask.split(',', all.length))
  const given = givenIn(patchable, values)
  if (named.length !== given.length || named.some((field) => !given.includes(field)))
    throw wrongMask('must name the fields that the body has')
  return values
}

/** A mask that names the fields of a patch that are given; in protobuf, an empty list is there by its mask alone. */
export const maskOf = ({ patchable }: MessageFields, values: Values): Values =>
  patchable
    ? {
        updateMask: givenIn(patchable, values)
          .map(({ name }) => name)
          .join(','),
      }
    : {}

/**
 * The fields that a patch in protobuf gives, by its mask or, without one, by what is there; and those that name what
 * is patched. @throws ConnectError for a mask that names other fields, or one twice
 */
export const givenFields = (message: MessageFields, from: object): readonly MessageField[] => {
  const { all, patchable = [] } = message
  const named = namedFields(message, namesIn(Reflect.get(from, 'updateMask')))
  const given = named.length > 0 ? named : patchable.filter(({ name }) => isSet(from, name))
  return all.filter(
    (field) => given.includes(field) || (field.kind !== 'mask' && !patchable.includes(field)),
  )
}

const givenIn = (patchable: readonly MessageField[], values: Values): readonly MessageField[] =>
  patchable.filter(({ name }) => values[name] !== undefined)

const namesIn = (mask: FieldMask | undefined): readonly string[] => mask?.paths ?? []

const isSet = (from: object, name: string): boolean => {
  const value: unknown = Reflect.get(from, name)
  return Array.isArray(value) ? value.length > 0 : value !== undefined
}

/** By either of their names. */
const namedFields = (
  { byName, patchable = [] }: MessageFields,
  names: readonly string[],
): readonly MessageField[] => {
  const named = names.slice(0, patchable.length + 1).map((name) => byName.get(name))
  const found = patchable.filter((field) => named.includes(field))
  if (found.length === names.length) return found
  const known = patchable.map(({ protoName }) => protoName)
  throw wrongMask(`must name some of ${known.join(', ')}, none twice`)
}

const wrongMask = (description: string) => malformed({ field: 'update_mask', description })
