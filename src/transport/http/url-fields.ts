import type { ConnectError } from '@connectrpc/connect'
import { malformed } from '../errors/status-error.js'
import { duplicateField } from '../messages/duplicate-field.js'
import type { MessageField, MessageFields } from '../messages/message-fields.js'
import type { JsonObject } from '../messages/read-json.js'

/** What JSON would have in the place of the parameters of a query. */
type Tree = { [name: string]: Tree | string | boolean | (string | boolean)[] }

/** A parameter of a query: the names of its field, and of the messages around it, and its text. */
interface Parameter {
  readonly name: string
  readonly names: readonly string[]
  readonly text: string
}

/** The texts of a path as JSON: those of `fields`, in their order. @throws ConnectError for one that is malformed */
export const pathFields = (
  fields: readonly MessageField[],
  texts: readonly string[],
): JsonObject => {
  const json: Record<string, string> = {}
  for (const [index, { name, protoName }] of fields.entries())
    json[name] = decoded(texts[index] ?? '', protoName)
  return json
}

/**
 * The parameters of a query as JSON. A name may have dots for a field within a field of `message`, of which only
 * `fields` are parameters, and stands there several times for a list.
 *
 * @throws ConnectError for a parameter that is none of these, or malformed
 */
export const queryFields = (
  message: MessageFields,
  fields: readonly MessageField[],
  query: string,
): JsonObject => {
  const tree: Tree = {}
  const parameters = query
    .split('&')
    .filter((pair) => pair !== '')
    .map(parameterOf)
  for (const parameter of parameters) {
    const field = message.byName.get(parameter.names[0] ?? '')
    if (!field || !fields.includes(field)) throw notAParameter(parameter)
  }
  for (const parameter of parameters) put(tree, message, parameter)
  return tree
}

const parameterOf = (pair: string): Parameter => {
  const [encoded = '', ...rest] = pair.replaceAll('+', ' ').split('=')
  const name = decoded(encoded, 'query')
  return { name, names: name.split('.'), text: decoded(rest.join('='), name) }
}

/** @throws ConnectError when `%` does not stand before UTF-8 in hexadecimal */
const decoded = (text: string, field: string): string => {
  try {
    return text.includes('%') ? decodeURIComponent(text) : text
  } catch {
    throw malformed({ field, description: 'must be percent-encoded UTF-8' })
  }
}

/** Goes no deeper than our messages do, whatever the number of dots. */
const put = (tree: Tree, message: MessageFields, parameter: Parameter): void => {
  const { name, names, text } = parameter
  const field = message.byName.get(names[0] ?? '')
  if (!field) throw notAParameter(parameter)
  const there = tree[field.name]
  if (names.length > 1) {
    if (field.kind !== 'message' || field.isList) throw notAParameter(parameter)
    const branch = there ?? {}
    if (typeof branch !== 'object' || Array.isArray(branch)) throw malformed(duplicateField(name))
    tree[field.name] = branch
    put(branch, field.message, { name, names: names.slice(1), text })
  } else if (field.isList) {
    tree[field.name] = [...(Array.isArray(there) ? there : []), jsonOf(field, text)]
  } else {
    if (there !== undefined) throw malformed(duplicateField(name))
    tree[field.name] = jsonOf(field, text)
  }
}

const notAParameter = ({ name }: Parameter): ConnectError =>
  malformed({ field: name, description: 'is not a query parameter of this method' })

/** Of what a query can say, JSON has another form for flags alone. */
const jsonOf = ({ kind }: MessageField, text: string): string | boolean =>
  kind === 'flag' && /^(true|false)$/.test(text) ? text === 'true' : text
