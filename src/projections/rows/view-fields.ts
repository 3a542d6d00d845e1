import { filterableText } from '../../domain/kind.js'
import { byType } from '../../domain/kinds.js'
import type { SortValue, Views, ViewType } from '../../ports/read-model.js'

/** A field that rows are ordered by: what `typeof` says of it, and how it is read. Dates count in milliseconds. */
export type ViewField<Row> =
  | { readonly holds: 'string'; readonly filterable: boolean; readonly of: (row: Row) => string }
  | { readonly holds: 'boolean'; readonly filterable: false; readonly of: (row: Row) => boolean }
  | { readonly holds: 'bigint'; readonly filterable: false; readonly of: (row: Row) => bigint }

/** The fields of one type of object by their names; every one can be ordered by. */
export type ViewFields<Row> = Readonly<Record<string, ViewField<Row>>>

type Row = Views[ViewType]

const position = (of: (row: Row) => bigint): ViewField<Row> => ({
  holds: 'bigint',
  filterable: false,
  of,
})

/** Fields that every type of object has, in this order after its own. */
export const COMMON_FIELDS = {
  state: filterableText((row: Row) => row.state),
  sequence: position(({ details }) => details.sequence),
  creationDate: position(({ details }) => BigInt(details.creationDate.getTime())),
  changeDate: position(({ details }) => BigInt(details.changeDate.getTime())),
} satisfies ViewFields<Row>

/** What lists can be filtered and ordered by. */
export const viewFields: Readonly<Record<ViewType, ViewFields<Row>>> = byType(({ fields }) => {
  const own = Object.entries(fields).flatMap(([name, field]) =>
    field.sortable ? [[name, field] as const] : [],
  )
  return { ...Object.fromEntries(own), ...COMMON_FIELDS }
})

/** The field that tells the objects of one list apart, and so ends every order. */
export const identityField: Readonly<Record<ViewType, string>> = byType(
  ({ ids }) => Object.keys(ids.shape).at(-1) ?? '',
)

/** The field of that name; throws when there is none, for what users say is checked before. */
export const fieldNamed = <Row>(fields: ViewFields<Row>, name: string): ViewField<Row> => {
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined
  if (field === undefined) throw new RangeError(`There is no field ${name} to go by`)
  return field
}

/** Whether `value` can be one of `field`. */
export const canHold = (
  { holds }: { readonly holds: ViewField<never>['holds'] },
  value: SortValue,
): boolean => typeof value === holds
