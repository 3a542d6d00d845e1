import { createTables } from '../../sql/read-model/create-tables.js'
import { CHECKPOINT } from '../../sql/read-model/tables.js'
import type { Database } from '../database.js'
import { sqliteDialect } from './dialect.js'

/** Creates the tables that are missing. */
export const createReadTables = (database: Database): void =>
  database.script(createTables(sqliteDialect))

/** Whether there are tables; they are created together. */
export const haveTables = (database: Database): boolean =>
  database.value('SELECT 1 FROM sqlite_schema WHERE name = ?', CHECKPOINT.name) === 1
