import type { HistoryEntry, HistoryQuery } from '../../../ports/read-model.js'
import { type Change, historyEntry } from '../../../projections/history-view.js'
import type { KnownEvent } from '../../../projections/known-event.js'
import { organizationIn } from '../../../projections/stream-name.js'
import { historyStatement } from '../../history-statement.js'
import { decodeEntry, encodeEntry } from '../../kept-rows.js'
import { HISTORY } from '../../read-tables.js'
import type { Database } from '../database.js'
import { sqliteDialect } from './dialect.js'

/** Records what `event` did. */
export const insertHistory = (database: Database, event: KnownEvent, change: Change): void => {
  const entry = historyEntry(event, change)
  database.run(
    `INSERT INTO ${HISTORY} (position, org_id, stream, actor, type, entry) VALUES (?, ?, ?, ?, ?, ?)`,
    entry.sequence,
    organizationIn(event.stream),
    event.stream,
    entry.actor.userId,
    entry.type,
    encodeEntry(entry),
  )
}

/** The page of history that `query` asks for. */
export const readHistory = (database: Database, query: HistoryQuery): readonly HistoryEntry[] => {
  const { sql, parameters } = historyStatement(sqliteDialect, query)
  return database
    .rows<readonly [number, string]>(sql, ...parameters)
    .map(([position, json]) => decodeEntry(BigInt(position), json))
}
