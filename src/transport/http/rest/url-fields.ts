import type { ConnectError } from '@connectrpc/connect'
import { malformed } from '../../errors/status-error.js'
import { duplicateField } from '../../messages/duplicate-field.js'
import type { MessageField } from '../../messages/message-fields.js'
import type { JsonObject } from '../../messages/read-json.js'

/** What JSON would have in the place of the parameters of a query. */
type Tree = { [name: string]: Tree | string | boolean | (string | boolean)[] }

/** A parameter of a query. */
interface Parameter {
  readonly name: string
  /** What is left of the way to its field. */
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
 * The parameters of a query as JSON. A name may have dots for a field within one of `fields`, and stands there
 * several times for a list.
 *
 * @throws ConnectError for a parameter that is none of the fields, or malformed
 */
export const queryFields = (fields: readonly MessageField[], query: string): JsonObject => {
  const tree: Tree = {}
  for (const pair of query.split('&').filter((text) => text !== '')) {
    const [encoded = '', ...rest] = pair.replaceAll('+', ' ').split('=')
    const name = decoded(encoded, 'query')
    put(tree, fields, { name, names: name.split('.'), text: decoded(rest.join('='), name) })
  }
  return tree
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
const put = (tree: Tree, fields: readonly MessageField[], parameter: Parameter): void => {
  const { name, names, text } = parameter
  const [first, ...others] = names
  const field = fields.find((known) => known.name === first || known.protoName === first)
  if (!field) throw notAParameter(name)
  const there = tree[field.name]
  if (others.length > 0) {
    if (field.kind !== 'message') throw notAParameter(name)
    const branch = there ?? {}
    if (typeof branch !== 'object' || Array.isArray(branch)) throw malformed(duplicateField(name))
    tree[field.name] = branch
    put(branch, field.message.all, { name, names: others, text })
  } else if (field.isList) {
    tree[field.name] = [...(Array.isArray(there) ? there : []), jsonOf(field, text)]
  } else {
    if (there !== undefined) throw malformed(duplicateField(name))
    tree[field.name] = jsonOf(field, text)
  }
}

const notAParameter = (name: string): ConnectError =>
  malformed({ field: name, description: 'is not a query parameter of this method' })

/** Of what a query can say, JSON has another form for flags alone. */
const jsonOf = ({ kind }: MessageField, text: string): string | boolean =>
  kind === 'flag' && /^(true|false)$/.test(text) ? text === 'true' : text
