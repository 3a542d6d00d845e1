import { CHECKPOINT, createTables, HISTORY } from '../../sql/read-model/tables.js'
import type { Database } from '../database.js'
import { sqliteDialect } from './dialect.js'

/** Creates the tables that are not there yet. */
export const createReadTables = (database: Database): void =>
  database.script(createTables(sqliteDialect, HISTORY_TABLE))

// The indexes end with the position, as every index does with the key of its table.
const HISTORY_TABLE = `CREATE TABLE IF NOT EXISTS ${HISTORY} (
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
  CREATE INDEX IF NOT EXISTS ${HISTORY}_object ON ${HISTORY} (scope, key);`

/** Whether {@link createReadTables} was done; the checkpoint's table is created with all others. */
export const haveTables = (database: Database): boolean =>
  database.value('SELECT 1 FROM sqlite_schema WHERE name = ?', CHECKPOINT) === 1
