import type { SQLInputValue } from 'node:sqlite'
import { timeOf } from '../../../ports/event-store.js'
import type { FieldChange, HistoryEntry, HistoryQuery } from '../../../ports/read-model.js'
import { type Change, historyEntry } from '../../../projections/history-view.js'
import type { KnownEvent } from '../../../projections/known-event.js'
import { organizationIn, streamOf } from '../../../projections/stream-name.js'
import type { Database } from '../database.js'
import type { Statement } from './list-statements.js'
import { HISTORY } from './tables.js'

/** An entry as it is kept: its position says the rest. */
type KeptEntry = Omit<HistoryEntry, 'sequence' | 'time'>

/** Records what `event` did. */
export const insertHistory = (database: Database, event: KnownEvent, change: Change): void => {
  const { sequence, time: _, ...entry } = historyEntry(event, change)
  database.run(
    `INSERT INTO ${HISTORY} (position, org_id, stream, actor, type, entry) VALUES (?, ?, ?, ?, ?, ?)`,
    sequence,
    organizationIn(event.stream),
    event.stream,
    entry.actor.userId,
    entry.type,
    JSON.stringify(entry),
  )
}

/** How the page of history that `query` asks for is found. */
export const historyStatement = (query: HistoryQuery): Statement => {
  const { orgId, object, actor, types, after, limit } = query
  const conditions: (readonly [string, SQLInputValue])[] = [
    // The name of a stream holds its organization.
    object === undefined ? ['org_id = ?', orgId] : ['stream = ?', streamOf(orgId, object)],
    ['position > ?', after],
  ]
  if (actor !== undefined) conditions.push(['actor = ?', actor])
  if (types !== undefined) {
    conditions.push(['type IN (SELECT value FROM json_each(?))', JSON.stringify(types)])
  }
  const where = conditions.map(([condition]) => condition).join(' AND ')
  return {
    sql: `SELECT position, entry FROM ${HISTORY} WHERE ${where} ORDER BY position LIMIT ?`,
    parameters: [...conditions.map(([, parameter]) => parameter), limit],
  }
}

/** The page of history that `query` asks for. */
export const readHistory = (database: Database, query: HistoryQuery): readonly HistoryEntry[] => {
  const { sql, parameters } = historyStatement(query)
  return database.rows<readonly [number, string]>(sql, ...parameters).map(decodeEntry)
}

const decodeEntry = ([position, json]: readonly [number, string]): HistoryEntry => {
  const sequence = BigInt(position)
  const entry: KeptEntry = JSON.parse(json)
  return { sequence, time: timeOf(sequence), ...entry, changes: entry.changes.map(decodeChange) }
}

/** JSON leaves out what is undefined. */
const decodeChange = (change: FieldChange): FieldChange =>
  'changed' in change ? change : { field: change.field, from: change.from, to: change.to }
