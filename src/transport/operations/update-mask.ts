import type { WireField } from '../wire.js'
import type { MessageFields, Values } from './message.js'
import { malformed, type Refusal } from './refusal.js'

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
  const present = patchable.filter(({ name }) => values[name] !== undefined)
  if (named.length !== present.length || named.some((field) => !present.includes(field)))
    throw wrongMask('must name the fields that the body has', path)
  return values
}

/**
 * The fields that a protobuf patch gives: those that its mask names, or without names the present fields; and the fields
 * that name the object. @throws Refusal for a mask that names an unknown field, or a field twice
 */
export const maskedFields = (
  fields: MessageFields,
  present: Values,
  names: readonly string[],
  path: string,
): readonly WireField[] => {
  const { all, patchable = [] } = fields
  const named = namedFields(fields, names, path)
  const patched =
    named.length > 0 ? named : patchable.filter(({ name }) => present[name] !== undefined)
  return all.filter(
    (field) => patched.includes(field) || (field.kind !== 'mask' && !patchable.includes(field)),
  )
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
