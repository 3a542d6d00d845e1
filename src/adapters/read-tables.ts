import { kinds, TYPES } from '../domain/kinds.js'
import type { ViewType } from '../ports/read-model.js'
import { foldCase } from '../projections/fold-case.js'
import { identityField, viewFields } from '../projections/view-fields.js'

/**
 * Raised when what the tables of read models hold changes. As part of their names it lets old and new
 * processes of a rolling upgrade keep their own tables side by side.
 */
const SHAPE_VERSION = 4

/** Name of the read model and beginning of the names of its tables. */
export const READ_MODEL = `read_${SHAPE_VERSION}`

/** Holds the checkpoint. */
export const CHECKPOINT = `${READ_MODEL}_checkpoint`

/** Holds a number for every name that rows and indexes repeat; they have that in its place. */
export const NAMES = `${READ_MODEL}_name`

/** Holds one row for every event. */
export const HISTORY = `${READ_MODEL}_history`

/** Holds one row for every object of the type that exists. */
export const tableOf = (type: ViewType): string => `${READ_MODEL}_${type}`

/** All that a reset empties, besides the checkpoint. */
export const FILLED = [NAMES, HISTORY, ...TYPES.map(tableOf)]

/** Fields whose text, folded, has a column of its own: what rows can be filtered by. */
export const foldedFields = (type: ViewType): readonly string[] =>
  Object.entries(viewFields[type])
    .filter(([, { filterable }]) => filterable)
    .map(([field]) => field)

/** {@link foldedFields} that are worth an index: one that all rows have with one value is not. */
export const indexedFields = (type: ViewType): readonly string[] =>
  foldedFields(type).filter((field) => field !== 'state' || kinds[type].states.length > 1)

/** The column of the folded text of `field`; of a key, of {@link foldedKey}. */
export const foldedColumn = (field: string): string => `folded_${field}`

/** Whether `field` is the id or key of an object, which is the column `key`. */
export const isKey = (type: ViewType, field: string): boolean => field === identityField[type]

/**
 * The folded text of an id or key; null of a plain one, as most are: ASCII without capitals, which tells
 * it by itself. So the index of the column has few rows to keep.
 */
export const foldedKey = (key: string): string | null => (isPlain(key) ? null : foldCase(key))

/** The plain id or key that has the folded text `folded`, or undefined when none has. */
export const plainKey = (folded: string): string | undefined => {
  const key = folded.toLowerCase()
  return isPlain(key) && foldCase(key) === folded ? key : undefined
}

const isPlain = (key: string): boolean => !/[^ -@[-~]/.test(key)
