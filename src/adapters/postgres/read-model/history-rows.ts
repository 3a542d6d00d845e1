import type { HistoryEntry, HistoryQuery } from '../../../ports/read-model.js'
import { streamOf } from '../../../projections/stream-name.js'
import { historyStatement } from '../../history-statement.js'
import { decodeEntry, encodeEntry } from '../../kept-rows.js'
import { HISTORY } from '../../read-tables.js'
import type { Connections } from '../connections.js'
import type { Session } from '../session.js'
import { numbered } from './numbered.js'
import { postgresDialect } from './tables.js'

/** An entry, and the organization whose history it is part of. */
export interface NewEntry {
  readonly orgId: string
  readonly entry: HistoryEntry
}

/** Records `entries`. */
export const insertHistory = async (
  session: Session,
  schema: string,
  entries: readonly NewEntry[],
): Promise<void> => {
  await session.rows({
    text: `INSERT INTO ${schema}.${HISTORY} (position, org_id, stream, actor, type, entry)
      SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[])`,
    values: [
      entries.map(({ entry }) => entry.sequence),
      entries.map(({ orgId }) => orgId),
      entries.map(({ orgId, entry }) => streamOf(orgId, entry.object)),
      entries.map(({ entry }) => entry.actor.userId),
      entries.map(({ entry }) => entry.type),
      entries.map(({ entry }) => encodeEntry(entry)),
    ],
  })
}

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
