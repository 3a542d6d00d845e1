import { malformed, type Refusal } from '../operations/refusal.js'
import type { WireField } from '../wire.js'
import { duplicateField, type JsonObject } from './read.js'

/** The parameters of a query in the form of JSON. */
type Tree = { [name: string]: Tree | string | boolean | (string | boolean)[] }

/** A parameter of a query. */
interface Parameter {
  readonly name: string
  /** The rest of the way to its field. */
  readonly names: readonly string[]
  readonly text: string
}

/** The parameters of a path as JSON: those of `fields`, in their order. @throws Refusal if one is malformed */
export const pathFields = (fields: readonly WireField[], params: readonly string[]): JsonObject => {
  const json: Record<string, string> = {}
  for (const [index, { name, protoName }] of fields.entries()) {
    const text = decoded(params[index] ?? '', protoName)
    if (protoName === 'domain' && !IN_ONE_FORM.test(text)) throw malformed(OTHER_FORM)
    json[name] = text
  }
  return json
}

/** A domain can be written in many ways. A host that guards paths knows one of them. */
const IN_ONE_FORM = /^[a-z\d.-]*$/
const OTHER_FORM = {
  field: 'domain',
  description: 'must be in ASCII and lower case in a path, such as xn--bcher-kva.example',
}

/**
 * The parameters of a query as JSON. A name may have dots, for a field within one of `fields`; for a list it may be
 * there several times.
 *
 * @throws Refusal for a parameter that is malformed, or names no field
 */
export const queryFields = (fields: readonly WireField[], query: string): JsonObject => {
  const tree: Tree = {}
  for (const pair of query.split('&').filter((text) => text !== '')) {
    const [encoded = '', ...rest] = pair.replaceAll('+', ' ').split('=')
    const name = decoded(encoded, 'query')
    put(tree, fields, { name, names: name.split('.'), text: decoded(rest.join('='), name) })
  }
  return tree
}

/** @throws Refusal unless every `%` begins percent-encoded UTF-8 */
const decoded = (text: string, field: string): string => {
  try {
    return text.includes('%') ? decodeURIComponent(text) : text
  } catch {
    throw malformed({ field, description: 'must be percent-encoded UTF-8' })
  }
}

/** Goes only as deep as messages do, however many dots there are. */
const put = (tree: Tree, fields: readonly WireField[], parameter: Parameter): void => {
  const { name, names, text } = parameter
  const [first, ...others] = names
  const field = fields.find((known) => known.name === first || known.protoName === first)
  if (!field) throw unknownParameter(name)
  const there = tree[field.name]
  if (others.length > 0) {
    if (field.kind !== 'message') throw unknownParameter(name)
    const branch = there ?? {}
    if (typeof branch !== 'object' || Array.isArray(branch)) throw malformed(duplicateField(name))
    tree[field.name] = branch
    put(branch, field.message.fields, { name, names: others, text })
  } else if (field.isList) {
    if (Array.isArray(there)) there.push(jsonOf(field, text))
    else tree[field.name] = [jsonOf(field, text)]
  } else {
    if (there !== undefined) throw malformed(duplicateField(name))
    tree[field.name] = jsonOf(field, text)
  }
}

const unknownParameter = (name: string): Refusal =>
  malformed({ field: name, description: 'is not a query parameter of this method' })

/** Only flags have another form in JSON than in a query. */
const jsonOf = ({ kind }: WireField, text: string): string | boolean =>
  kind === 'flag' && /^(true|false)$/.test(text) ? text === 'true' : text
