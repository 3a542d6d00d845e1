import type { HistoryEntry, HistoryQuery } from '../../../ports/read-model.js'
import type { Change } from '../../../projections/history-view.js'
import type { KnownEvent } from '../../../projections/known-event.js'
import { organizationIn } from '../../../projections/stream-name.js'
import { historyStatement } from '../../history-statement.js'
import { decodeEntry, encodeEntry } from '../../kept-rows.js'
import { HISTORY } from '../../read-tables.js'
import type { Connections } from '../connections.js'
import type { Statement } from '../session.js'
import { bigintArray, textArray } from './arrays.js'
import { jsonLines, toJsonLines } from './json-lines.js'
import { numbered } from './numbered.js'
import { postgresDialect } from './tables.js'

/** How it is recorded what each event did. */
export const historyInsert = (
  schema: string,
  changes: readonly (readonly [KnownEvent, Change])[],
): Statement => ({
  name: `${schema} hist`,
  text: `INSERT INTO ${schema}.${HISTORY} (position, org_id, stream, actor, type, entry)
    SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[],
      ${jsonLines('$6')})`,
  values: [
    bigintArray(changes.map(([{ position }]) => position)),
    textArray(changes.map(([{ stream }]) => organizationIn(stream))),
    textArray(changes.map(([{ stream }]) => stream)),
    textArray(changes.map(([{ metadata }]) => metadata.actor.userId)),
    textArray(changes.map(([{ type }]) => type)),
    toJsonLines(changes.map(([event, change]) => encodeEntry(event, change))),
  ],
})

/** The page of history that `query` asks for. */
export const readHistory = async (
  connections: Connections,
  schema: string,
  query: HistoryQuery,
): Promise<readonly HistoryEntry[]> => {
  const statement = numbered(historyStatement(postgresDialect(schema), query))
  const found = await connections.read<[string, string]>(statement)
  return found.map(([position, json]) => decodeEntry(BigInt(position), json))
}
