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
import type { Connections } from '../connections.js'
import { rowsOf, toJsonLines } from '../rows-of.js'
import type { Statement } from '../session.js'
import { bigintArray, textArray } from './arrays.js'
import { postgresDialect } from './dialect.js'
import { numbered } from './numbered.js'

/** How it is recorded what each event did. */
export const historyInsert = (
  schema: string,
  shared: Shared,
  changes: readonly (readonly [KnownEvent, Change])[],
): Statement => {
  const rows = changes.map(([event, change]) => encodeEntry(event, change, shared))
  return {
    name: `${schema} hist`,
    text: `INSERT INTO ${schema}.${HISTORY} (${ENTRY_COLUMNS.join(', ')})
      ${rowsOf(['bigint', 'bigint', 'bigint', 'text', 'bigint', 'text', 'text', 'text', 'lines'])}`,
    values: [
      bigintArray(rows.map(([org]) => org)),
      bigintArray(rows.map(([, scope]) => scope)),
      bigintArray(rows.map(([, , type]) => type)),
      textArray(rows.map(([, , , key]) => key)),
      bigintArray(rows.map(([, , , , position]) => position)),
      textArray(rows.map(([, , , , , actor]) => actor)),
      textArray(rows.map(([, , , , , , actorOrgId]) => actorOrgId)),
      textArray(rows.map(([, , , , , , , correlationId]) => correlationId)),
      toJsonLines(rows.map(([, , , , , , , , json]) => json)),
    ],
  }
}

/** The page of history that `query` asks for. */
export const readHistory = async (
  connections: Connections,
  schema: string,
  query: HistoryQuery,
): Promise<readonly HistoryEntry[]> => {
  const statement = numbered(historyStatement(postgresDialect(schema), query))
  const found = await connections.read<FoundEntry<string>>(statement)
  return found.map(decodeEntry)
}
