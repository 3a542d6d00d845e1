import { malformed, type Refusal } from '../json/refusal.js'
import type { WireField } from '../wire.js'
import type { MessageFields, Values } from './message.js'

/** A patch in JSON without its mask, which must name exactly the fields that are there. @throws Refusal */
export const withoutMask = (
  fields: MessageFields,
  { updateMask, ...values }: Values,
  path: string,
): Values => {
  if (typeof updateMask !== 'string') return values
  const { all, patchable = [] } = fields
  const names = updateMask === '' ? [] : updateMask.split(',', all.length)
  const named = namedFields(fields, names, path)
  const given = patchable.filter(({ name }) => values[name] !== undefined)
  if (named.length !== given.length || named.some((field) => !given.includes(field)))
    throw wrongMask('must name the fields that the body has', path)
  return values
}

/**
 * The fields that a protobuf patch gives: the fields in its mask, or without a mask the present fields; and the fields
 * that name the object. @throws Refusal for a mask that names an unknown field, or a field twice
 */
export const givenFields = (
  fields: MessageFields,
  message: object,
  path: string,
): readonly WireField[] => {
  const { all, patchable = [] } = fields
  const named = namedFields(fields, namesIn(message), path)
  const given = named.length > 0 ? named : patchable.filter(({ name }) => isSet(message, name))
  return all.filter(
    (field) => given.includes(field) || (field.kind !== 'mask' && !patchable.includes(field)),
  )
}

const namesIn = (message: object): readonly string[] => {
  const names: unknown = Reflect.get(Object(Reflect.get(message, 'updateMask')), 'paths')
  return Array.isArray(names) ? names : []
}

const isSet = (message: object, name: string): boolean => {
  const value: unknown = Reflect.get(message, name)
  return Array.isArray(value) ? value.length > 0 : value !== undefined
}

/** The fields with these names; each may be either of the two names of a field. */
const namedFields = (
  { byName, patchable = [] }: MessageFields,
  names: readonly string[],
  path: string,
): readonly WireField[] => {
  const named = names.slice(0, patchable.length + 1).map((name) => byName.get(name))
  const found = patchable.filter((field) => named.includes(field))
  if (found.length === names.length) return found
  const known = patchable.map(({ protoName }) => protoName)
  throw wrongMask(`must be a list of: ${known.join(', ')}; without duplicates`, path)
}

const wrongMask = (description: string, path: string): Refusal =>
  malformed({ field: path === '' ? 'update_mask' : `${path}.update_mask`, description })
