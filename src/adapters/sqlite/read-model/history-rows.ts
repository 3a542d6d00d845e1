import type { SQLInputValue } from 'node:sqlite'
import type { KnownEvent } from '../../../ports/known-event.js'
import type { HistoryEntry, HistoryQuery } from '../../../ports/read-model.js'
import type { Change } from '../../../projections/history-view.js'
import { historyStatement } from '../../history-statement.js'
import {
  decodeEntry,
  ENTRY_COLUMNS,
  encodeEntry,
  type FoundEntry,
  type Shared,
} from '../../kept-rows.js'
import { HISTORY } from '../../read-tables.js'
import type { Database } from '../database.js'
import { sqliteDialect } from './dialect.js'
import { insertion } from './insertion.js'

const insert = insertion(HISTORY, ENTRY_COLUMNS)

/** Records what each event did. */
export const insertHistory = (
  database: Database,
  shared: Shared,
  changes: readonly (readonly [KnownEvent, Change])[],
): void => {
  const values: SQLInputValue[] = []
  for (const [event, change] of changes) {
    values.push(...encodeEntry(event, change, shared))
  }
  insert(database, values)
}

/** The page of history that `query` asks for. */
export const readHistory = (database: Database, query: HistoryQuery): readonly HistoryEntry[] => {
  const { sql, parameters } = historyStatement(sqliteDialect, query)
  return database.rows<FoundEntry<number>>(sql, ...parameters).map(decodeEntry)
}
