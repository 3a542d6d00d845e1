import type { ViewType } from '../../../ports/read-model.js'
import { identityField, viewFields } from '../../../projections/view-fields.js'
import type { Database } from '../database.js'

/**
 * Raised when what the tables hold changes. As part of their names it lets old and new processes of a
 * rolling upgrade keep their own tables side by side.
 */
const SHAPE_VERSION = 1

/** Name of the read model and beginning of the names of its tables. */
export const READ_MODEL = `read_${SHAPE_VERSION}`

/** Holds the checkpoint: no row before the first event, then one. */
export const CHECKPOINT = `${READ_MODEL}_checkpoint`

/** Holds one row for every event. */
export const HISTORY = `${READ_MODEL}_history`

const TYPES = ['identity_provider', 'project', 'project_role'] as const

/** Holds one row for every object of the type that exists. */
export const tableOf = (type: ViewType): string => `${READ_MODEL}_${type}`

/** Fields whose text, folded, has a column of its own: what rows can be filtered by. */
export const foldedFields = (type: ViewType): readonly string[] =>
  Object.entries(viewFields[type])
    .filter(([, { filterable }]) => filterable)
    .map(([field]) => field)

/** The column of the folded text of `field`. */
export const foldedColumn = (field: string): string => `folded_${field}`

/** What rows are ordered by, and compared with where case counts. */
export const expressionOf = (type: ViewType, field: string): string => {
  switch (field) {
    case identityField[type]:
      return 'key'
    case 'sequence':
      return 'sequence'
    case 'changeDate':
      return 'sequence / 1000'
    case 'creationDate':
      return 'creation_date'
    default:
      return `shown ->> '$.${field}'`
  }
}

/** Creates the tables that are not there yet. */
export const createTables = (database: Database): void => {
  database.script(
    `CREATE TABLE IF NOT EXISTS ${CHECKPOINT} (position INTEGER NOT NULL) STRICT;
     CREATE TABLE IF NOT EXISTS ${HISTORY} (
       position INTEGER PRIMARY KEY,
       org_id TEXT NOT NULL,
       stream TEXT NOT NULL,
       actor TEXT NOT NULL,
       type TEXT NOT NULL,
       entry TEXT NOT NULL
     ) STRICT;
     -- Each of them ends with the position, as every index does with the key of its table.
     CREATE INDEX IF NOT EXISTS ${HISTORY}_org_id ON ${HISTORY} (org_id);
     CREATE INDEX IF NOT EXISTS ${HISTORY}_stream ON ${HISTORY} (stream);
     ${TYPES.map(objectTable).join('\n')}`,
  )
}

/** Whether {@link createTables} was done; the checkpoint's table is created with all others. */
export const haveTables = (database: Database): boolean =>
  database.value(`SELECT 1 FROM sqlite_schema WHERE name = ?`, CHECKPOINT) === 1

const objectTable = (type: ViewType): string => {
  const folded = foldedFields(type)
  const columns = folded.map((field) => `${foldedColumn(field)} TEXT NOT NULL,`)
  return `CREATE TABLE IF NOT EXISTS ${tableOf(type)} (
       scope TEXT NOT NULL,
       key TEXT NOT NULL,
       -- All fields but the details, as JSON.
       shown TEXT NOT NULL,
       sequence INTEGER NOT NULL,
       -- In milliseconds.
       creation_date INTEGER NOT NULL,
       ${columns.join('\n       ')}
       PRIMARY KEY (scope, key)
     ) STRICT;
     ${folded
       .filter((field) => isTelling(type, field))
       .map(indexOn(type))
       .join('\n     ')}`
}

/** A role is always active: to look for its state finds all of them. */
const isTelling = (type: ViewType, field: string): boolean =>
  type !== 'project_role' || field !== 'state'

const indexOn =
  (type: ViewType) =>
  (field: string): string =>
    `CREATE INDEX IF NOT EXISTS ${tableOf(type)}_${field}
       ON ${tableOf(type)} (scope, ${foldedColumn(field)});`

/** Empties the tables. */
export const emptyTables = (database: Database): void => {
  for (const table of [CHECKPOINT, HISTORY, ...TYPES.map(tableOf)]) {
    database.run(`DELETE FROM ${table}`)
  }
}
