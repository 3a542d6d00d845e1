import { timeOf } from '../../../ports/event-store.js'
import type { Views, ViewType } from '../../../ports/read-model.js'
import { filterableText } from '../../../projections/rows/condition.js'
import { foldCase } from '../../../projections/rows/fold-case.js'
import { ownerOf, type RowKey } from '../../../projections/rows/row-key.js'
import { viewFields } from '../../../projections/rows/view-fields.js'
import type { Column } from '../dialect.js'
import type { Row } from '../statement.js'
import { foldedColumn, foldedFields, foldedKey, isKey } from './folded-fields.js'

/** The columns that {@link decodeRow} reads. */
export const READ_COLUMNS = 'body, sequence, creation_date'

/** The values of {@link READ_COLUMNS}. */
export type StoredRow<Integer = number | string> = readonly [
  /** All fields but `details`, as JSON. */
  body: string,
  sequence: Integer,
  /** In milliseconds. */
  creationDate: Integer,
]

/** What the rows and entries of one batch of events share. */
export interface Shared {
  /** The number of a name. */
  readonly numberOf: (name: string) => number
  /** Bodies that were read or made: the first entry of an object holds the same text as its row. */
  readonly bodies: Map<Views[ViewType], string>
}

/** The body of `row`. */
export const bodyOf = ({ bodies }: Shared, row: Views[ViewType]): string => {
  const known = bodies.get(row)
  if (known !== undefined) return known
  // JSON leaves out what is undefined; a copy without the field would take longer.
  const body = JSON.stringify({ ...row, details: undefined })
  bodies.set(row, body)
  return body
}

/** The columns of an object of that type. */
export const rowColumns = (type: ViewType): readonly Column[] => [
  { name: 'scope', holds: 'integer' },
  { name: 'key', holds: 'text' },
  { name: 'body', holds: 'json' },
  { name: 'sequence', holds: 'integer' },
  { name: 'creation_date', holds: 'integer' },
  ...foldedFields(type).map((field): Column => {
    const column = { name: foldedColumn(field), holds: 'text' } as const
    return isKey(type, field) ? { ...column, isNullable: true } : column
  }),
]

/** Makes the values of {@link rowColumns}. */
export const rowEncoder = (type: ViewType) => {
  const folded = foldedFields(type).map((field) => {
    const fold = isKey(type, field) ? foldedKey : foldCase
    const read = filterableText(viewFields[type], field)
    return (row: Views[ViewType]) => fold(read(row))
  })
  return ({ scope, key }: RowKey, row: Views[ViewType], shared: Shared): Row => {
    const { sequence, creationDate } = row.details
    const texts = folded.map((foldedOf) => foldedOf(row))
    const body = bodyOf(shared, row)
    return [shared.numberOf(scope), key, body, sequence, creationDate.getTime(), ...texts]
  }
}

/** The object of `scope` that is stored as a row. */
export const decodeRow = <Type extends ViewType>(
  scope: string,
  [body, position, creationDate]: StoredRow,
): Views[Type] => {
  const sequence = BigInt(position)
  return {
    ...JSON.parse(body),
    details: {
      sequence,
      creationDate: new Date(Number(creationDate)),
      changeDate: timeOf(sequence),
      resourceOwner: ownerOf(scope),
    },
  }
}
