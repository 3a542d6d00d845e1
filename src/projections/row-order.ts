import { aggregates } from '../domain/aggregates.js'
import type {
  FoundMappedRole,
  HeldRole,
  HeldRolesQuery,
  Holder,
  HoldersQuery,
  Source,
  SourceKey,
} from '../ports/access-reads.js'
import type { Condition, ListQuery, SortValue, Views, ViewType } from '../ports/read-model.js'
import { rolesIn } from './project.js'
import { fieldNamed, type ViewFields } from './rows.js'

/** A test whether a row meets all of `conditions`. */
export const meetsAll = <Row extends Views[ViewType]>(
  type: ViewType,
  fields: ViewFields<Row>,
  conditions: readonly Condition[],
): ((row: Row) => boolean) => {
  const tests = conditions.map((condition) => {
    const multiValued = multiValuedOf(type, condition)
    return multiValued ? meetsOne(condition, multiValued) : meets(fields, condition)
  })
  return (row) => tests.every((test) => test(row))
}

/** The list of a condition: one item must match. Undefined for a condition on a single text. */
export const multiValuedOf = (
  type: ViewType,
  { field }: Pick<Condition, 'field'>,
): 'roleKeys' | 'permissions' | undefined => {
  const { fields } = aggregates[type]
  const holds = Object.hasOwn(fields, field) ? fields[field]?.holds : undefined
  return holds === 'roleKeys' || holds === 'permissions' ? holds : undefined
}

/** A test whether one of the shown roles of a row, or one of its permissions, meets a condition. */
const meetsOne = (
  condition: Condition,
  multiValued: 'roleKeys' | 'permissions',
): ((row: Views[ViewType]) => boolean) => {
  const test = meetsText(condition)
  return multiValued === 'permissions'
    ? (row) => 'permissions' in row && row.permissions.some(test)
    : (row) => rolesIn(row).some(({ roleKey }) => test(roleKey))
}

const meets = <Row>(fields: ViewFields<Row>, condition: Condition): ((row: Row) => boolean) => {
  const read = filterableText(fields, condition.field)
  const test = meetsText(condition)
  return (row) => test(read(row))
}

const meetsText = ({ operator, value, ignoreCase }: Condition): ((text: string) => boolean) => {
  // A lone surrogate must not be found as half of a character.
  if (!value.isWellFormed()) return () => false
  const holds = operators[operator]
  if (!ignoreCase) return (text) => holds(text, value)
  const folded = foldCase(value)
  return (text) => holds(foldCase(text), folded)
}

const operators: Readonly<Record<Condition['operator'], (text: string, value: string) => boolean>> =
  {
    equals: (text, value) => text === value,
    startsWith: (text, value) => text.startsWith(value),
    contains: (text, value) => text.includes(value),
  }

/** Reads the text of that field. @throws RangeError when rows cannot be filtered by it */
export const filterableText = <Row>(
  fields: ViewFields<Row>,
  name: string,
): ((row: Row) => string) => {
  const field = fieldNamed(fields, name)
  if (!field.filterable) throw new RangeError(`Rows cannot be filtered by ${name}`)
  return (row) => String(field.of(row))
}

/** A page of rows, in order. */
export interface RowPage<Row> {
  readonly items: readonly Row[]
  readonly hasMore: boolean
}

/** The first `limit` of `rows`, as `sort` orders them, after the one that has the values `after`. */
export const pageOf = <Row>(
  fields: ViewFields<Row>,
  { sort, after, limit }: Pick<ListQuery<ViewType>, 'sort' | 'after' | 'limit'>,
  rows: readonly Row[],
): RowPage<Row> => {
  const keys = sort.map(({ field, direction }) => ({
    read: fieldNamed(fields, field).of,
    sign: direction === 'asc' ? 1 : -1,
  }))
  const compare = (one: readonly SortValue[], other: readonly SortValue[]): number => {
    for (const [index, { sign }] of keys.entries()) {
      const difference = compareValues(valueAt(one, index), valueAt(other, index))
      if (difference !== 0) return sign * difference
    }
    return 0
  }
  // A value may be made of several, so each is read once.
  const following: { readonly row: Row; readonly values: readonly SortValue[] }[] = []
  for (const row of rows) {
    const values = keys.map(({ read }) => read(row))
    if (after === undefined || compare(values, after) > 0) following.push({ row, values })
  }
  const first = firstOf(following, limit, (one, other) => compare(one.values, other.values))
  return { items: first.map(({ row }) => row), hasMore: following.length > limit }
}

/**
 * The first `limit` items, in order. They are kept in order while all are gone through, which takes far less time than
 * sorting all.
 */
export const firstOf = <Item>(
  items: readonly Item[],
  limit: number,
  compare: (one: Item, other: Item) => number,
): readonly Item[] => {
  const first: Item[] = []
  for (const item of items) {
    const last = first[limit - 1]
    if (last !== undefined && compare(item, last) >= 0) continue
    const place = countWhile(first, (there) => compare(item, there) >= 0)
    first.splice(place, 0, item)
    if (first.length > limit) first.pop()
  }
  return first
}

/** How many of `items` pass `test`, found by binary search: those that pass come before those that do not. */
export const countWhile = <Item>(items: readonly Item[], test: (item: Item) => boolean): number => {
  let low = 0
  let high = items.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const item = items[middle]
    if (item !== undefined && test(item)) low = middle + 1
    else high = middle
  }
  return low
}

/** The value of the sort field at `index`. @throws RangeError if it is missing */
export const valueAt = (values: readonly SortValue[], index: number): SortValue => {
  const value = values[index]
  if (value === undefined) throw new RangeError('`after` must have a value for each field')
  return value
}

const compareValues = (one: SortValue, other: SortValue): number => {
  if (one === other) return 0
  if (typeof one === 'string' && typeof other === 'string') return compareCodePoints(one, other)
  return one < other ? -1 : 1
}

/** Below 0 when `one` comes before `other`, by code points, which is the order of their bytes in UTF-8. */
export const compareCodePoints = (one: string, other: string): number => {
  const length = Math.min(one.length, other.length)
  for (let index = 0; index < length; index++) {
    const difference = one.charCodeAt(index) - other.charCodeAt(index)
    if (difference !== 0) return rank(one.charCodeAt(index)) - rank(other.charCodeAt(index))
  }
  return one.length - other.length
}

/** Surrogates encode the highest code points, but as units they are below U+E000 to U+FFFF. */
const rank = (unit: number): number => {
  if (unit < 0xd800) return unit
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800
}

/** A place in the order of ways: a grant comes before groups. */
export const keyOfSource = (via: Source): SourceKey =>
  via === 'grant' ? ['', ''] : [via.idpId, via.group]

/** A place in the order of {@link HeldRole}s. */
export const keyOfHeldRole = (held: HeldRole): NonNullable<HeldRolesQuery['after']> => {
  const { projectOrgId, projectId, roleKey, resource = '', via } = held
  return [projectOrgId, projectId, resource, roleKey, ...keyOfSource(via)]
}

/** A place in the order of {@link Holder}s. */
export const keyOfHolder = (holder: Holder): NonNullable<HoldersQuery['after']> => {
  const { projectId, roleKey, orgId, resource = '', via, userId } = holder
  const key = [roleKey, orgId, resource, ...keyOfSource(via), userId] as const
  return projectId === undefined ? key : [projectId, ...key]
}

/** The order of {@link FoundAccess.mapped}. */
export const byMappedRole = (one: FoundMappedRole, other: FoundMappedRole): number =>
  compareCodePoints(one.roleKey, other.roleKey) ||
  compareCodePoints(one.via.idpId, other.via.idpId) ||
  compareCodePoints(one.via.group, other.via.group) ||
  compareCodePoints(one.resource ?? '', other.resource ?? '')

/** The least text above every text that begins with `prefix`; undefined if it does not exist. */
export const afterPrefix = (prefix: string): string | undefined => {
  const points = Array.from(prefix, codePointOf)
  while (points.at(-1) === 0x10ffff) points.pop()
  const last = points.pop()
  if (last === undefined) return undefined
  // U+D800 to U+DFFF are not characters.
  return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1)
}

const codePointOf = (character: string): number => {
  const point = character.codePointAt(0)
  if (point === undefined) throw new Error('A character has a code point')
  return point
}

/**
 * `value` without the difference between upper and lower case, by the rules of Unicode and not of a
 * language. Each code point is folded alone, so a text that contains another still does when both are folded.
 */
export const foldCase = (value: string): string => value.toLowerCase().toUpperCase()
