import { kinds, TYPES } from '../../../domain/kinds.js'
import type { ViewType } from '../../../ports/read-model.js'
import { foldCase } from '../../../projections/rows/fold-case.js'
import { identityField, viewFields } from '../../../projections/rows/view-fields.js'
import type { Dialect } from '../dialect.js'
import { EVENTS } from '../stored-events.js'

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

/** A backup that was restored into tables that were made already has left its row beside theirs. */
export const checkpointIn = ({ table }: Dialect): string =>
  `(SELECT max(position) FROM ${table(CHECKPOINT)})`

/** Positions of the last event and of the checkpoint; null where there is none. */
export const positionColumns = (dialect: Dialect): string =>
  `(SELECT max(position) FROM ${dialect.table(EVENTS)}) AS head, ${checkpointIn(dialect)} AS reached`

/** All that a reset empties, besides the checkpoint. */
export const FILLED = [NAMES, HISTORY, ...TYPES.map(tableOf)]

/** Creates all tables. @param historyTable - creates that of the history; each database has another key for it */
export const createTables = (dialect: Dialect, historyTable: string): string => {
  const { integer, text } = dialect.declarations.types
  const created = [
    tableWith(dialect, CHECKPOINT, [`position ${integer} NOT NULL`]),
    tableWith(dialect, NAMES, [`number ${integer} PRIMARY KEY`, `name ${text} NOT NULL UNIQUE`]),
    historyTable,
    ...TYPES.flatMap((type) => [
      tableWith(dialect, tableOf(type), objectColumns(dialect, type)),
      ...indexedFields(type).map((field) => indexOn(dialect, type, field)),
    ]),
  ]
  return created.join('\n')
}

/** Creates a table of such columns and constraints. */
const tableWith = (
  { table, declarations: { ifMissing, options } }: Dialect,
  name: string,
  columns: readonly string[],
): string => `CREATE TABLE ${ifMissing} ${table(name)} (${columns.join(', ')}) ${options};`

/** All fields but the details are in `shown`, as JSON; the creation date counts milliseconds. */
const objectColumns = ({ declarations }: Dialect, type: ViewType): readonly string[] => {
  const { integer, text, json } = declarations.types
  const folded = foldedFields(type).map(
    (field) => `${foldedColumn(field)} ${text} ${isKey(type, field) ? 'NULL' : 'NOT NULL'}`,
  )
  return [
    `scope ${integer} NOT NULL`,
    `key ${text} NOT NULL`,
    `shown ${json} NOT NULL`,
    `sequence ${integer} NOT NULL`,
    `creation_date ${integer} NOT NULL`,
    ...folded,
    'PRIMARY KEY (scope, key)',
  ]
}

const indexOn = (dialect: Dialect, type: ViewType, field: string): string => {
  const { ifMissing } = dialect.declarations
  const table = tableOf(type)
  const column = foldedColumn(field)
  return `CREATE INDEX ${ifMissing} ${table}_${field} ON ${dialect.table(table)} (scope, ${column})
    ${isKey(type, field) ? `WHERE ${column} IS NOT NULL` : ''};`
}

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
