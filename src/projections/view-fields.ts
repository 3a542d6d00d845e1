import { filterableText, type ShownField, sortableText } from '../domain/aggregate.js'
import { byType } from '../domain/aggregates.js'
import type { SortValue, Views, ViewType } from '../ports/read-model.js'

/** A field that rows are ordered by. */
export interface ViewField<Row> {
  /** The `typeof` of its values. */
  readonly holds: ShownField['holds'] | 'bigint'
  readonly filterable?: true
  /** Reads it. Dates are in milliseconds. */
  readonly of: (row: Row) => SortValue
}

/** The sortable fields of one type of object, by their names. */
export type ViewFields<Row> = Readonly<Record<string, ViewField<Row>>>

type Row = Views[ViewType]

/** Fields of every type of object, in this order after its own. */
export const COMMON_FIELDS = {
  state: { ...filterableText, of: ({ state }) => state },
  sequence: { holds: 'bigint', of: ({ details }) => details.sequence },
  creationDate: { holds: 'bigint', of: ({ details }) => BigInt(details.creationDate.getTime()) },
  changeDate: { holds: 'bigint', of: ({ details }) => BigInt(details.changeDate.getTime()) },
} satisfies ViewFields<Row>

/**
 * The field that is unique among the objects of one list, and the last one of every order. Objects that several ids
 * name have the field `key`, which is not shown.
 */
export const identityField: Readonly<Record<ViewType, string>> = byType(({ ids, container }) => {
  const names = Object.keys(ids.shape)
  const last = names.at(-1)
  if (last === undefined) throw new Error('An object has an id or a key')
  return names.length > (container ? 2 : 1) ? 'key' : last
})

/** The fields that lists can be filtered and sorted by. */
export const viewFields: Readonly<Record<ViewType, ViewFields<Row>>> = byType(
  ({ type, fields, key }) => {
    const keyFields =
      identityField[type] === 'key'
        ? { key: { ...sortableText, of: (row: Row) => key(row, row.details.resourceOwner) } }
        : {}
    const own = Object.entries(fields).flatMap(([name, field]) =>
      field.sortable
        ? [[name, { ...field, of: (row: Row): SortValue => Reflect.get(row, name) ?? '' }] as const]
        : [],
    )
    return { ...Object.fromEntries(own), ...keyFields, ...COMMON_FIELDS }
  },
)

/** Names of the fields that lists can be filtered by. */
export const filterableFields = (type: ViewType): readonly string[] =>
  Object.keys(viewFields[type]).filter((name) => viewFields[type][name]?.filterable)

/** The field of that name. @throws RangeError for an unknown field, because input is checked before */
export const fieldNamed = <Row>(fields: ViewFields<Row>, name: string): ViewField<Row> => {
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined
  if (field === undefined)
    throw new RangeError(`Unknown field ${name}: it cannot be filtered or sorted by`)
  return field
}
