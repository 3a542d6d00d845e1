import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf'
import type { ConnectError } from '@connectrpc/connect'
import { fieldNamed } from '../errors/field-named.js'
import { malformed } from '../errors/status-error.js'
import { twice } from './duplicate-field.js'

/** A parameter of a URL: the path of its field, and its text. */
export type Parameter = readonly [name: string, text: string]

/** Parameters of a query, decoded. @throws ConnectError when one is not well-formed */
export const queryParameters = (query: string): readonly Parameter[] =>
  query
    .replace(/^\?/, '')
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair): Parameter => {
      const [name = '', ...rest] = pair.replaceAll('+', ' ').split('=')
      return [decoded(name, 'query'), decoded(rest.join('='), name)]
    })

/** Text of a part of a URL. @throws ConnectError when `%` does not stand before UTF-8 in hexadecimal */
export const decoded = (text: string, field: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    throw malformed({ field, description: 'must be percent-encoded UTF-8' })
  }
}

/** Tree of what parameters say, as JSON has it. */
type Tree = Map<string, Tree | string | boolean | (string | boolean)[]>

/**
 * The members of the JSON object that `parameters` stand for; a name may go into messages with
 * dots, and stand several times for a list.
 */
export const jsonMembers = (desc: DescMessage, parameters: readonly Parameter[]): string => {
  const tree: Tree = new Map()
  for (const [name, text] of parameters) put(tree, desc, { names: name.split('.'), text, name })
  return jsonOf(tree).slice(1, -1)
}

interface Placing {
  /** What is left of the way. */
  readonly names: readonly string[]
  readonly text: string
  readonly name: string
}

/** Goes no deeper than our messages do, whatever the number of dots. */
const put = (tree: Tree, desc: DescMessage, { names, text, name }: Placing): void => {
  const [first, ...others] = names
  const field = fieldNamed(desc, first)
  if (!field) throw notAParameter(name)
  const key = field.jsonName
  const there = tree.get(key)
  if (others.length > 0) {
    if (field.fieldKind !== 'message') throw notAParameter(name)
    const branch = there ?? new Map()
    if (!(branch instanceof Map)) throw malformed(twice(name))
    tree.set(key, branch)
    put(branch, field.message, { names: others, text, name })
  } else if (field.fieldKind === 'list') {
    tree.set(key, [...(Array.isArray(there) ? there : []), jsonValueOf(field, text)])
  } else {
    if (there !== undefined) throw malformed(twice(name))
    tree.set(key, jsonValueOf(field, text))
  }
}

/** The answer to a parameter that stands for no field. */
export const notAParameter = (name: string): ConnectError =>
  malformed({ field: name, description: 'is not a query parameter of this method' })

/** Of what a query can say, JSON has another form for booleans alone. */
const jsonValueOf = (field: DescField, text: string): string | boolean =>
  field.scalar === ScalarType.BOOL && /^(true|false)$/.test(text) ? text === 'true' : text

const jsonOf = (value: Tree | string | boolean | readonly (string | boolean)[]): string =>
  value instanceof Map
    ? `{${[...value].map(([name, part]) => `${JSON.stringify(name)}:${jsonOf(part)}`).join(',')}}`
    : JSON.stringify(value)
