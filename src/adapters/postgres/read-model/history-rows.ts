import type { KnownEvent } from '../../../ports/known-event.js'
import type { HistoryEntry, HistoryQuery } from '../../../ports/read-model.js'
import type { Change } from '../../../projections/history-view.js'
import { historyStatement } from '../../history-statement.js'
import { decodeEntry, ENTRY_COLUMNS, type EntryRow, encodeEntry } from '../../kept-rows.js'
import { HISTORY } from '../../read-tables.js'
import type { Connections } from '../connections.js'
import type { Statement } from '../session.js'
import { bigintArray, textArray } from './arrays.js'
import { postgresDialect } from './dialect.js'
import { jsonLines, toJsonLines } from './json-lines.js'
import { numbered } from './numbered.js'

/** How it is recorded what each event did. */
export const historyInsert = (
  schema: string,
  changes: readonly (readonly [KnownEvent, Change])[],
): Statement => {
  const rows = changes.map(([event, change]) => encodeEntry(event, change))
  return {
    name: `${schema} hist`,
    text: `INSERT INTO ${schema}.${HISTORY} (org_id, ${ENTRY_COLUMNS})
      SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[],
        $6::text[], $7::text[], ${jsonLines('$8')})`,
    values: [
      textArray(changes.map(([event]) => event.metadata.resourceOwner)),
      bigintArray(rows.map(([position]) => position)),
      textArray(rows.map(([, stream]) => stream)),
      textArray(rows.map(([, , type]) => type)),
      textArray(rows.map(([, , , actor]) => actor)),
      textArray(rows.map(([, , , , actorOrgId]) => actorOrgId)),
      textArray(rows.map(([, , , , , correlationId]) => correlationId)),
      toJsonLines(rows.map(([, , , , , , json]) => json)),
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
  const found = await connections.read<EntryRow<string>>(statement)
  return found.map(decodeEntry)
}
