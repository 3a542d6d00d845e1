import { isObject } from '../handlers/body.js'
import { ScimRefusal } from './refusal.js'

/**
 * A condition on an attribute; a filter is conditions that must all hold. Directories send `eq` and `and` alone.
 */
export interface Condition {
  readonly path: AttributeName
  /** Conditions on one item of the list at `path`, as in `emails[type eq "work"]`. */
  readonly item?: readonly Condition[]
  /** Absent with `item`. */
  readonly value?: unknown
}

/** Names from the outermost attribute to the innermost: `['name', 'familyName']`. */
export type AttributeName = readonly string[]

const TERM =
  /\s*(?:(\S+?)\s*\[((?:"(?:[^"\\]|\\.)*"|[^[\]"])*)\](?:\.(\S+)\s+eq\s+("(?:[^"\\]|\\.)*"|\S+))?|(\S+)\s+eq\s+("(?:[^"\\]|\\.)*"|[^\s()]+))(?:\s+and(?=\s)|\s*$)/giy

/** Longest filter or path, in UTF-16 units. It bounds the time that regular expressions take. */
export const MAX_LENGTH = 2_000

/** Parses a filter (RFC 7644, section 3.4.2.2) with `eq`, `and` and brackets. @throws ScimRefusal */
export const parseFilter = (text: string): readonly Condition[] => {
  const found = text.length > MAX_LENGTH ? [] : [...text.matchAll(TERM)]
  const length = found.reduce((sum, [term]) => sum + term.length, 0)
  if (length !== text.length || length === 0)
    throw new ScimRefusal(400, 'invalidFilter', `Only eq and and are supported: ${shortened(text)}`)
  return found.map(([, list, inner = '', sub, subValue = '', name = '', value = '']) => {
    if (list === undefined) return { path: attributeName(name), value: literal(value) }
    const own = sub === undefined ? [] : [{ path: attributeName(sub), value: literal(subValue) }]
    return { path: attributeName(list), item: [...parseFilter(inner), ...own] }
  })
}

/** A value of JSON. A word without quotes is text, as in an example of Entra ID, and so is a `\` of a Windows domain. */
const literal = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text.replace(/^"(.*)"$/s, '$1')
  }
}

export const shortened = (text: string): string => text.slice(0, 200)

/** Attributes of these schemas may have their URN in front. */
const CORE = /^urn:ietf:params:scim:schemas:core:2\.0:(User|Group):/i

/** An extension, and an attribute of it. */
const EXTENSION = /^(urn:.+:\d+\.\d+:\w+)(?::(.+))?$/i

const NAME = /^[a-z$][\w$-]*$/i

/** Splits the name of an attribute. @throws ScimRefusal */
export const attributeName = (text: string): AttributeName => {
  const [, urn, inner] = EXTENSION.exec(text.replace(CORE, '')) ?? []
  const plain = urn === undefined ? text.replace(CORE, '') : inner
  const names = plain?.split('.') ?? []
  // A name such as `__proto__` would reach what all objects share.
  if (!names.every((name) => NAME.test(name)))
    throw new ScimRefusal(400, 'invalidPath', `No attribute is called ${shortened(text)}`)
  return urn === undefined ? names : [urn, ...names]
}

/** The outermost attribute that a name leads to: an attribute, or an extension. */
export const outermost = (text: string): string => {
  const name = text.replace(CORE, '')
  return EXTENSION.exec(name)?.[1] ?? name.replace(/\..*/, '')
}

/** The key of an object for a name, whatever its case. */
export const keyOf = (object: object, name: string): string =>
  Object.hasOwn(object, name)
    ? name
    : (Object.keys(object).find((key) => key.toLowerCase() === name.toLowerCase()) ?? name)

/** All values of an attribute: of a list, those of its items, and of an item its `value`. */
const valuesAt = (node: unknown, path: AttributeName): readonly unknown[] => {
  if (Array.isArray(node)) return node.flatMap((item) => valuesAt(item, path))
  const [name, ...rest] = path
  if (!isObject(node)) return name === undefined ? [node] : []
  return name === undefined ? [node['value']] : valuesAt(node[keyOf(node, name)], rest)
}

/** Attributes whose case counts. */
const EXACT = /^(id|externalid|members|value)$/i

/** Whether a resource, or an item of a list, meets all conditions. */
export const matches = (filter: readonly Condition[], resource: unknown): boolean =>
  filter.every(({ path, item, value }) => {
    if (item)
      return itemsOf(isObject(resource) && resource[keyOf(resource, path[0] ?? '')]).some((each) =>
        matches(item, each),
      )
    // Entra ID writes `primary eq "True"`.
    const plain = (each: unknown) =>
      EXACT.test(path[0] ?? '') || !['string', 'boolean'].includes(typeof each)
        ? each
        : String(each).toLowerCase()
    return valuesAt(resource, path).some((each) => plain(each) === plain(value))
  })

/** The items of a list; one value is a list of it, and none an empty one. */
export const itemsOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value ? [value] : []
