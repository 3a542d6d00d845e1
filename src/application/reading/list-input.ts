import * as z from 'zod/mini'
import { type AnyKind, recordOf } from '../../domain/kinds.js'
import { choice, listOf } from '../../domain/values.js'
import type { Condition, SortKey } from '../../ports/read-model.js'
import { pageSize } from '../method/bounds.js'
import { OPERATORS, TextFilter } from './given-list.js'

/** Names of the fields of a kind that lists can be filtered or sorted by. */
type NamesOf<Fields, Use extends 'filterable' | 'sortable'> = {
  [Name in keyof Fields]: Fields[Name] extends Readonly<Record<Use, true>> ? Name : never
}[keyof Fields] &
  string

const namesOf = <Fields extends AnyKind['fields'], Use extends 'filterable' | 'sortable'>(
  fields: Fields,
  use: Use,
) =>
  // Cast: `Object.keys` answers with any text.
  Object.keys(fields).filter((name) => fields[name]?.[use]) as NamesOf<Fields, Use>[]

/** Which objects of a kind to list: without a condition, every one. */
export const filterBy = <Fields extends AnyKind['fields']>({
  fields,
}: {
  readonly fields: Fields
}) =>
  z.strictObject({
    ...recordOf(namesOf(fields, 'filterable'), () => z.optional(TextFilter)),
    state: z.optional(choice(['active', 'inactive'])),
  })

const COMMON_FIELDS = ['state', 'sequence', 'creationDate', 'changeDate'] as const

/** A page token, which is opaque. */
export const pageToken = z.optional(
  z.string({ error: 'must be text' }).check(z.maxLength(16_384, { error: 'is too long' })),
)

/** The order and the page of a list of objects of a kind. */
export const pageOf = <Fields extends AnyKind['fields']>({
  fields,
}: {
  readonly fields: Fields
}) => {
  const names = [...namesOf(fields, 'sortable'), ...COMMON_FIELDS]
  const direction = z._default(choice(['asc', 'desc']), 'asc')
  const sort = listOf(z.strictObject({ field: choice(names), direction }), 0, names.length).check(
    z.refine((keys) => new Set(keys.map(({ field }) => field)).size === keys.length, {
      error: 'must not name a field twice',
    }),
  )
  return { sort: z._default(sort, []), pageSize, pageToken }
}

/** The parsed input of a list of objects of any kind. */
export interface ListInput {
  readonly filter: Filter
  readonly sort: readonly SortKey[]
  readonly pageSize: number
  readonly pageToken?: string | undefined
  readonly projectId?: string
}

type Filter = Readonly<Record<string, z.output<typeof TextFilter> | string | undefined>>

/** The conditions of a parsed filter. */
export const conditionsOf = (filter: Filter): readonly Condition[] =>
  Object.entries(filter).flatMap(([field, wanted]): readonly Condition[] => {
    if (wanted === undefined) return []
    if (typeof wanted === 'string')
      return [{ field, operator: 'equals', value: wanted, ignoreCase: false }]
    const { ignoreCase } = wanted
    return OPERATORS.flatMap((operator) => {
      const value = wanted[operator]
      return value === undefined ? [] : [{ field, operator, value, ignoreCase }]
    })
  })

/** `sort` as a total order: it ends with the fields of `identity`, in which together no two rows are equal. */
export const totalOrder = (
  identity: readonly string[],
  sort: readonly SortKey[],
): readonly SortKey[] => {
  const named = new Set(sort.map(({ field }) => field))
  const missing = identity.filter((field) => !named.has(field))
  // What comes after a field that no two rows are equal in decides nothing.
  const end = identity.length === 1 ? sort.findIndex(({ field }) => field === identity[0]) : -1
  const decisive = end < 0 ? sort : sort.slice(0, end + 1)
  return [...decisive, ...missing.map((field) => ({ field, direction: 'asc' as const }))]
}
