import { byType } from '../../../domain/kinds.js'
import type { Dialect, Table } from '../dialect.js'
import { EVENTS } from '../stored-events.js'
import { foldedColumn, indexedFields } from './folded-fields.js'
import { ENTRY_COLUMNS } from './stored-entries.js'
import { rowColumns } from './stored-rows.js'

/**
 * Raise it when what the tables of read models hold changes. Nothing else is needed: missing tables are created. As
 * part of their names it lets old and new processes of a rolling upgrade keep their own tables side by side.
 */
const SHAPE_VERSION = 5

/** Name of the read model and beginning of the names of its tables. */
export const READ_MODEL = `read_${SHAPE_VERSION}`

/** Holds the checkpoint. */
export const CHECKPOINT: Table = {
  name: `${READ_MODEL}_checkpoint`,
  columns: [{ name: 'position', holds: 'integer' }],
  key: [],
  indexes: [],
}

/** Holds a number for every name that rows and indexes repeat: they hold the number. */
export const NAMES: Table = {
  name: `${READ_MODEL}_name`,
  columns: [
    { name: 'name', holds: 'text' },
    { name: 'number', holds: 'integer' },
  ],
  key: ['number'],
  indexes: [{ name: 'name', columns: ['name'], isUnique: true }],
}

/** Holds one row for every event. */
export const HISTORY: Table = {
  name: `${READ_MODEL}_history`,
  columns: ENTRY_COLUMNS,
  key: ['org', 'position'],
  rowId: 'position',
  indexes: [{ name: 'object', columns: ['scope', 'key', 'position'] }],
}

/** Each holds one row for every object of its type that exists. */
export const OBJECTS = byType(
  ({ type }): Table => ({
    name: `${READ_MODEL}_${type}`,
    columns: rowColumns(type),
    key: ['scope', 'key'],
    indexes: indexedFields(type).map((field) => ({
      name: field,
      columns: ['scope', foldedColumn(field)],
    })),
  }),
)

/** All that a reset empties, besides the checkpoint. */
export const FILLED: readonly Table[] = [NAMES, HISTORY, ...Object.values(OBJECTS)]

/** The checkpoint. A backup that is restored into new tables leaves a second row beside theirs. */
export const checkpointIn = ({ table }: Dialect): string =>
  `(SELECT max(position) FROM ${table(CHECKPOINT)})`

/** Positions of the last event and of the checkpoint; null where there is none. */
export const positionColumns = (dialect: Dialect): string =>
  `(SELECT max(position) FROM ${dialect.table({ name: EVENTS })}) AS head, ${checkpointIn(dialect)} AS reached`
