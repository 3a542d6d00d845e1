import type { SQLInputValue } from 'node:sqlite'
import type { HistoryEntry, HistoryQuery } from '../../../ports/read-model.js'
import type { Change } from '../../../projections/history-view.js'
import type { KnownEvent } from '../../../projections/known-event.js'
import { organizationIn } from '../../../projections/stream-name.js'
import { historyStatement } from '../../history-statement.js'
import { decodeEntry, encodeEntry } from '../../kept-rows.js'
import { HISTORY } from '../../read-tables.js'
import type { Database } from '../database.js'
import { sqliteDialect } from './dialect.js'
import { insertion } from './insertion.js'

const insert = insertion(HISTORY, ['position', 'org_id', 'stream', 'actor', 'type', 'entry'])

/** Records what each event did. */
export const insertHistory = (
  database: Database,
  changes: readonly (readonly [KnownEvent, Change])[],
): void => {
  const values: SQLInputValue[] = []
  for (const [event, change] of changes) {
    const { position, stream, metadata, type } = event
    const entry = encodeEntry(event, change)
    values.push(position, organizationIn(stream), stream, metadata.actor.userId, type, entry)
  }
  insert(database, values)
}

/** The page of history that `query` asks for. */
export const readHistory = (database: Database, query: HistoryQuery): readonly HistoryEntry[] => {
  const { sql, parameters } = historyStatement(sqliteDialect, query)
  return database
    .rows<readonly [number, string]>(sql, ...parameters)
    .map(([position, json]) => decodeEntry(BigInt(position), json))
}
