import { kinds } from '../../../domain/kinds.js'
import type { ViewType } from '../../../ports/read-model.js'
import { foldCase } from '../../../projections/rows/fold-case.js'
import { identityField, viewFields } from '../../../projections/rows/view-fields.js'

/** Fields that lists are filtered by: their text, folded, has a column of its own. */
export const foldedFields = (type: ViewType): readonly string[] =>
  Object.entries(viewFields[type])
    .filter(([, { filterable }]) => filterable)
    .map(([field]) => field)

/** {@link foldedFields} that are worth an index: not one that has the same value in all rows. */
export const indexedFields = (type: ViewType): readonly string[] =>
  foldedFields(type).filter((field) => field !== 'state' || kinds[type].states.length > 1)

/** The column of the folded text of `field`; for a key, of {@link foldedKey}. */
export const foldedColumn = (field: string): string => `folded_${field}`

/** Whether `field` is the id or key of an object, which is the column `key`. */
export const isKey = (type: ViewType, field: string): boolean => field === identityField[type]

/**
 * The folded text of an id or key; null for a plain one, which is ASCII without capitals: its folded text follows
 * from the column `key`. Most are plain, so the index of this column has few rows.
 */
export const foldedKey = (key: string): string | null => (isPlain(key) ? null : foldCase(key))

/** The plain id or key that has the folded text `folded`, or undefined when there is none. */
export const plainKey = (folded: string): string | undefined => {
  const key = folded.toLowerCase()
  return isPlain(key) && foldCase(key) === folded ? key : undefined
}

const isPlain = (key: string): boolean => !/[^ -@[-~]/.test(key)
