import type { SortKey, SortValue } from '../../ports/read-model.js'
import { compareCodePoints } from './code-point-order.js'
import { fieldNamed, type ViewFields } from './view-fields.js'

/** An order of rows. */
export interface RowOrder<Row> {
  /** Below 0 when `one` comes first. */
  readonly compare: (one: Row, other: Row) => number
  /** Whether `row` comes after the row that has `values` in the fields of the order. */
  readonly isAfter: (row: Row, values: readonly SortValue[]) => boolean
}

/** The order that `sort` asks for. */
export const rowOrder = <Row>(fields: ViewFields<Row>, sort: readonly SortKey[]): RowOrder<Row> => {
  const keys = sort.map(({ field, direction }) => ({
    read: fieldNamed(fields, field).of,
    sign: direction === 'asc' ? 1 : -1,
  }))
  const first = (difference: (key: (typeof keys)[number], index: number) => number): number => {
    for (const [index, key] of keys.entries()) {
      const found = difference(key, index)
      if (found !== 0) return key.sign * found
    }
    return 0
  }
  return {
    compare: (one, other) => first(({ read }) => compareValues(read(one), read(other))),
    isAfter: (row, values) =>
      first(({ read }, index) => compareValues(read(row), values[index] ?? read(row))) > 0,
  }
}

const compareValues = (one: SortValue, other: SortValue): number => {
  if (one === other) return 0
  if (typeof one === 'string' && typeof other === 'string') return compareCodePoints(one, other)
  return one < other ? -1 : 1
}
