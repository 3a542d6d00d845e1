import { TYPES } from '../../../domain/kinds.js'
import type { ViewType } from '../../../ports/read-model.js'
import {
  CHECKPOINT,
  FILLED,
  foldedColumn,
  foldedFields,
  HISTORY,
  indexedFields,
  isKey,
  NAMES,
  tableOf,
} from '../../read-tables.js'
import type { Database } from '../database.js'

/** Creates the tables that are not there yet. */
export const createTables = (database: Database): void => {
  // The indexes of the history end with the position, as every index does with the key of its table.
  // The actor's columns tell who acted, and the organization they belong to; changes are JSON.
  database.script(
    `CREATE TABLE IF NOT EXISTS ${CHECKPOINT} (position INTEGER NOT NULL) STRICT;
     CREATE TABLE IF NOT EXISTS ${NAMES} (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
     CREATE TABLE IF NOT EXISTS ${HISTORY} (
       position INTEGER PRIMARY KEY,
       org INTEGER NOT NULL,
       scope INTEGER NOT NULL,
       key TEXT NOT NULL,
       type INTEGER NOT NULL,
       actor TEXT NOT NULL,
       actor_org_id TEXT NOT NULL,
       correlation_id TEXT,
       changes TEXT NOT NULL
     ) STRICT;
     CREATE INDEX IF NOT EXISTS ${HISTORY}_org ON ${HISTORY} (org);
     CREATE INDEX IF NOT EXISTS ${HISTORY}_object ON ${HISTORY} (scope, key);
     ${TYPES.map(objectTable).join('\n')}`,
  )
}

/** Whether {@link createTables} was done; the checkpoint's table is created with all others. */
export const haveTables = (database: Database): boolean =>
  database.value('SELECT 1 FROM sqlite_schema WHERE name = ?', CHECKPOINT) === 1

/** Its columns are those of a `KeptRow`, after the place. */
const objectTable = (type: ViewType): string => {
  const folded = foldedFields(type)
  const columns = folded.map(
    (field) => `${foldedColumn(field)} TEXT ${isKey(type, field) ? 'NULL' : 'NOT NULL'},`,
  )
  return `CREATE TABLE IF NOT EXISTS ${tableOf(type)} (
       scope INTEGER NOT NULL,
       key TEXT NOT NULL,
       shown TEXT NOT NULL,
       sequence INTEGER NOT NULL,
       creation_date INTEGER NOT NULL,
       ${columns.join('\n       ')}
       PRIMARY KEY (scope, key)
     ) STRICT;
     ${indexedFields(type).map(indexOn(type)).join('\n     ')}`
}

const indexOn =
  (type: ViewType) =>
  (field: string): string => {
    const column = foldedColumn(field)
    return `CREATE INDEX IF NOT EXISTS ${tableOf(type)}_${field} ON ${tableOf(type)} (scope, ${column})
       ${isKey(type, field) ? `WHERE ${column} IS NOT NULL` : ''};`
  }

/** Empties the tables. */
export const emptyTables = (database: Database): void => {
  for (const table of [CHECKPOINT, ...FILLED]) database.run(`DELETE FROM ${table}`)
}
