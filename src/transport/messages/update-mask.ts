import type { FieldMask } from '@bufbuild/protobuf/wkt'
import { malformed } from '../errors/status-error.js'
import type { MessageField, MessageFields, Values } from './message-fields.js'

/**
 * The values of a request in JSON, without the masks of the patches in it, each of which must name the fields that are
 * there. @throws ConnectError
 */
export const withoutMasks = (message: MessageFields, values: Values, path = ''): Values =>
  message.hasMasks
    ? changedWithin(message, message.patchable ? withoutMask(message, values, path) : values, {
        change: withoutMasks,
        path,
      })
    : values

const withoutMask = (
  message: MessageFields,
  { updateMask, ...values }: Values,
  path: string,
): Values => {
  if (typeof updateMask !== 'string') return values
  const { all, patchable = [] } = message
  const named = namedFields(
    message,
    updateMask === '' ? [] : updateMask.split(',', all.length),
    path,
  )
  const given = givenIn(patchable, values)
  if (named.length !== given.length || named.some((field) => !given.includes(field)))
    throw wrongMask('must name the fields that the body has', path)
  return values
}

/** The values with masks that name the fields that are given: in protobuf, an empty list is there by its mask alone. */
export const withMasks = (message: MessageFields, values: Values): Values => {
  if (!message.hasMasks) return values
  const { patchable } = message
  const updateMask =
    patchable &&
    givenIn(patchable, values)
      .map(({ name }) => name)
      .join(',')
  return { ...changedWithin(message, values, { change: withMasks, path: '' }), updateMask }
}

/** What is to happen to each message within another that has masks. */
interface Change {
  readonly change: (message: MessageFields, values: Values, path: string) => Values
  /** Of the outer message. */
  readonly path: string
}

const changedWithin = (
  { all }: MessageFields,
  values: Values,
  { change, path }: Change,
): Values => {
  const changed: Record<string, unknown> = { ...values }
  for (const field of all) {
    if (field.kind !== 'message' || !field.message.hasMasks) continue
    const { name, message } = field
    const changeAt = (value: object, at: string) => change(message, { ...value }, `${path}${at}.`)
    const value = values[name]
    if (Array.isArray(value))
      changed[name] = value.map((item, index) => changeAt(item, `${name}[${index}]`))
    else if (typeof value === 'object' && value !== null) changed[name] = changeAt(value, name)
  }
  return changed
}

/**
 * The fields that a patch in protobuf gives, by its mask or, without one, by what is there; and those that name what
 * is patched. @throws ConnectError for a mask that names other fields, or one twice
 */
export const givenFields = (
  message: MessageFields,
  from: object,
  path: string,
): readonly MessageField[] => {
  const { all, patchable = [] } = message
  const place = path === '' ? '' : `${path}.`
  const named = namedFields(message, namesIn(Reflect.get(from, 'updateMask')), place)
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
  path: string,
): readonly MessageField[] => {
  const named = names.slice(0, patchable.length + 1).map((name) => byName.get(name))
  const found = patchable.filter((field) => named.includes(field))
  if (found.length === names.length) return found
  const known = patchable.map(({ protoName }) => protoName)
  throw wrongMask(`must name some of ${known.join(', ')}, none twice`, path)
}

const wrongMask = (description: string, path: string) =>
  malformed({ field: `${path}update_mask`, description })
