import { isObject, type JsonObject, objectIn } from '../handlers/body.js'
import {
  attributeName,
  itemsOf,
  keyOf,
  MAX_LENGTH,
  matches,
  parseFilter,
  shortened,
} from './filter.js'
import { invalid, ScimRefusal } from './refusal.js'

type Mutable = Record<string, unknown>

/** What an operation does to one attribute. */
interface Operation {
  readonly op: 'add' | 'remove' | 'replace'
  /** Such as `emails[type eq "work"].value`. */
  readonly path: string
  readonly value: unknown
}

/** Most operations of a request. */
const MAX_OPERATIONS = 2_000

/** The resource after the operations of a PATCH (RFC 7644, section 3.5.2). @throws Refusal if one is malformed */
export const patched = (resource: JsonObject, body: JsonObject): JsonObject => {
  const copy: Mutable = structuredClone(resource)
  const operations = body[keyOf(body, 'Operations')]
  if (!Array.isArray(operations) || operations.length > MAX_OPERATIONS)
    throw invalid(`Operations must be a list of at most ${MAX_OPERATIONS}`)
  for (const [index, operation] of operations.entries())
    for (const each of operationsIn(operation, `Operations[${index}]`)) apply(copy, each)
  return copy
}

const operationsIn = (operation: unknown, name: string): readonly Operation[] => {
  const { op: word, path, value } = objectIn(operation, name)
  // Entra ID sends `Add`, `Replace` and `Remove`.
  const op = (['add', 'remove', 'replace'] as const).find(
    (each) => each === String(word).toLowerCase(),
  )
  if (!op) throw invalid(`${name}.op must be add, remove or replace`)
  if (typeof path === 'string') return [{ op, path, value }]
  if (op === 'remove') throw noTarget(`${name}.path is missing`)
  // Okta sends attributes without a path, and Entra ID paths as their names.
  return Object.entries(objectIn(value, `${name}.value`)).map(([key, each]) => ({
    op,
    path: key,
    value: each,
  }))
}

const noTarget = (message: string): ScimRefusal => new ScimRefusal(400, 'noTarget', message)

const PATH = /^([^[\]]+)(?:\[(.+)\](?:\.([^[\]]+))?)?$/

const apply = (resource: Mutable, { op, path, value }: Operation): void => {
  const text = path.length > MAX_LENGTH ? '' : path.trim()
  const [, name, condition, sub] = PATH.exec(text) ?? []
  if (name === undefined)
    throw new ScimRefusal(400, 'invalidPath', `No such path: ${shortened(path)}`)
  const names = attributeName(name)
  const outer = names.slice(0, -1).reduce(childOf, resource)
  const key = keyOf(outer, names.at(-1) ?? '')
  if (condition === undefined) {
    change(outer, key, { op, value })
    return
  }
  const filter = parseFilter(condition)
  const list = itemsOf(outer[key])
  const found = list.filter((item) => matches(filter, item))
  if (op === 'remove' && sub === undefined) {
    outer[key] = list.filter((item) => !found.includes(item))
    return
  }
  // Changing a field of a missing member, such as `display`, does not add the member.
  if (found.length === 0 && op !== 'remove' && key.toLowerCase() === 'members')
    throw noTarget(`${shortened(path)} is not a member`)
  // Entra ID replaces an address that is not there yet.
  const made = Object.fromEntries(filter.map((each) => [each.path[0], each.value]))
  const items = found.length > 0 || op === 'remove' ? found : [made]
  for (const item of items.filter(isMutable))
    if (sub === undefined) Object.assign(item, objectIn(value, 'value'))
    else change(item, keyOf(item, sub), { op, value })
  outer[key] = items.includes(made) ? [...list, made] : list
}

const change = (node: Mutable, key: string, { op, value }: Omit<Operation, 'path'>): void => {
  const before = node[key]
  // Entra ID names the members to remove by a value.
  const identity = op === 'add' ? valueAndType : valueIn
  const identities = new Set(itemsOf(value).map(identity))
  if (op === 'replace' || (op === 'add' && !Array.isArray(before)))
    node[key] = isObject(before) && isObject(value) ? { ...before, ...value } : value
  else {
    const others = itemsOf(before).filter((item) => !identities.has(identity(item)))
    if (op === 'add') node[key] = [...others, ...itemsOf(value)]
    else if (!Array.isArray(before)) delete node[key]
    else node[key] = value === undefined || value === null ? [] : others
  }
}

const childOf = (node: Mutable, name: string): Mutable => {
  const child = node[keyOf(node, name)]
  if (isMutable(child)) return child
  const made: Mutable = {}
  node[keyOf(node, name)] = made
  return made
}

const isMutable = (value: unknown): value is Mutable => isObject(value)

const valueIn = (item: unknown): unknown => (isObject(item) ? item['value'] : item)

/** An address may be both the one at work and the one at home. */
const valueAndType = (item: unknown): string =>
  JSON.stringify([valueIn(item), isObject(item) ? item['type'] : undefined])
