import { timeOf } from '../../../ports/event-store.js'
import type { Views, ViewType } from '../../../ports/read-model.js'
import { filterableText } from '../../../projections/rows/condition.js'
import { foldCase } from '../../../projections/rows/fold-case.js'
import { ownerOf, type RowKey } from '../../../projections/rows/row-key.js'
import { type ViewFields, viewFields } from '../../../projections/rows/view-fields.js'
import type { Column } from '../dialect.js'
import type { Row } from '../statement.js'
import { foldedColumn, foldedFields, foldedKey, isKey } from './tables.js'

/** The columns that {@link decodeRow} reads: all fields but the details, as JSON; two of the details, the second in ms. */
export const SHOWN_COLUMNS = 'shown, sequence, creation_date'

/** What {@link SHOWN_COLUMNS} hold. */
export type ShownRow<Integer = number | string> = readonly [
  shown: string,
  sequence: Integer,
  creationDate: Integer,
]

/** What the rows and entries of one batch of events share. */
export interface Shared {
  /** The number of a name. */
  readonly numberOf: (name: string) => number
  /** All fields of a row but the details, as JSON. */
  readonly shownIn: (row: Views[ViewType]) => string
}

/** Makes the text of a row once: an object that is new has it in its first entry as well. */
export const shownOnce = (): Shared['shownIn'] => {
  const made = new Map<Views[ViewType], string>()
  return (row) => {
    const known = made.get(row)
    if (known !== undefined) return known
    // JSON leaves out what is undefined; a copy without the field would take longer.
    const shown = JSON.stringify({ ...row, details: undefined })
    made.set(row, shown)
    return shown
  }
}

/** How the objects of a type are stored. */
export interface StoredRows<View> {
  readonly columns: readonly Column[]
  /** Their values. */
  readonly encode: (rowKey: RowKey, row: View, shared: Shared) => Row
}

/** @see StoredRows */
export const storedRows = <Type extends ViewType>(type: Type): StoredRows<Views[Type]> => {
  const fields: ViewFields<Views[Type]> = viewFields[type]
  const folded = foldedFields(type).map((field) => {
    const fold = isKey(type, field) ? foldedKey : foldCase
    const read = filterableText(fields, field)
    return (row: Views[Type]) => fold(read(row))
  })
  return {
    columns: [
      { name: 'scope', holds: 'integer' },
      { name: 'key', holds: 'text' },
      { name: 'shown', holds: 'json' },
      { name: 'sequence', holds: 'integer' },
      { name: 'creation_date', holds: 'integer' },
      ...foldedFields(type).map((field): Column => ({ name: foldedColumn(field), holds: 'text' })),
    ],
    encode: ({ scope, key }, row, { numberOf, shownIn }) => {
      const { sequence, creationDate } = row.details
      const texts = folded.map((foldedOf) => foldedOf(row))
      return [numberOf(scope), key, shownIn(row), sequence, creationDate.getTime(), ...texts]
    },
  }
}

/** An object of `scope` as it is read, from what its row holds. */
export const decodeRow = <Type extends ViewType>(
  scope: string,
  [shown, position, creationDate]: ShownRow,
): Views[Type] => {
  const sequence = BigInt(position)
  return {
    ...JSON.parse(shown),
    details: {
      sequence,
      creationDate: new Date(Number(creationDate)),
      changeDate: timeOf(sequence),
      resourceOwner: ownerOf(scope),
    },
  }
}
