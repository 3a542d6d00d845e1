import type { StreamId } from '../../../domain/values.js'
import type { Position, RecordedEvent, Version } from '../../../ports/event-store.js'
import { boundedPosition, LARGEST_INTEGER } from '../../sql/dialect.js'
import { EVENT_COLUMNS } from '../../sql/stored-events.js'
import { beginsAppend } from '../../store/check-append.js'
import type { Connection, Statement } from '../connection/connection.js'
import { unnestColumns } from '../unnest-columns.js'

/** The queries of one schema. @param schema - quoted */
export const eventQueries = (schema: string) => {
  const select = `SELECT ${EVENT_COLUMNS} FROM ${schema}.events`
  // An append is recorded in one piece: it ends where the next one begins.
  const appendOf = (condition: string): string =>
    `WITH begin AS (SELECT position AS at FROM ${schema}.events WHERE ${condition})
    ${select}, begin WHERE position >= at AND position < coalesce((
      SELECT e.position FROM ${schema}.events e
      WHERE e.position > at AND e.begins_append ORDER BY e.position LIMIT 1
    ), ${LARGEST_INTEGER}) ORDER BY position`
  const byId = appendOf('append_id = $1 AND begins_append')
  const byKey = appendOf('idempotency_key = $1')
  return {
    /** The events of `stream` above `afterVersion`, oldest first. */
    stream: (stream: StreamId, afterVersion: Version): Statement => ({
      name: `${schema} stream`,
      text: `${select} WHERE stream = $1 AND version > $2 ORDER BY version`,
      values: [stream, afterVersion],
    }),
    /** At most `limit` events above `after`, lowest position first. */
    page: (after: Position, limit: number): Statement => ({
      name: `${schema} page`,
      text: `${select} WHERE position > $1 ORDER BY position LIMIT $2`,
      values: [boundedPosition(after), Math.max(0, limit)],
    }),
    /** Position of the last event; null when there is none. */
    lastPosition: {
      name: `${schema} last`,
      text: `SELECT max(position) FROM ${schema}.events`,
    },
    /** How many events lie above `after`. */
    count: (after: Position): Statement => ({
      text: `SELECT count(*) FROM ${schema}.events WHERE position > $1`,
      values: [boundedPosition(after)],
    }),
    last: { text: `${select} ORDER BY position DESC LIMIT 1` },
    append: (by: { readonly id: string } | { readonly idempotencyKey: string }): Statement =>
      'id' in by
        ? { name: `${schema} id`, text: byId, values: [by.id] }
        : { name: `${schema} key`, text: byKey, values: [by.idempotencyKey] },
    /** How many events each of `streams` holds, of those that exist. */
    versions: (streams: readonly StreamId[]): Statement => ({
      text: `SELECT stream, max(version) FROM ${schema}.events WHERE stream = ANY ($1)
        GROUP BY stream`,
      values: [streams],
    }),
    usedKeys: (keys: readonly string[]): Statement => ({
      text: `SELECT idempotency_key FROM ${schema}.events WHERE idempotency_key = ANY ($1)`,
      values: [keys],
    }),
  }
}

/**
 * Adds `events` as they are to a log that ends with `previous`.
 *
 * @param schema - quoted
 */
export const insertEvents = async (
  connection: Connection,
  schema: string,
  { events, previous }: { events: readonly RecordedEvent[]; previous: RecordedEvent | undefined },
): Promise<void> => {
  const begins = events.map((event, index) => beginsAppend(event, events[index - 1] ?? previous))
  const values = [
    events.map(({ position }) => position),
    events.map(({ stream }) => stream),
    events.map(({ version }) => version),
    events.map(({ type }) => type),
    events.map(({ schemaVersion }) => schemaVersion),
    events.map(({ data }) => JSON.stringify(data)),
    events.map(({ metadata }) => JSON.stringify(metadata)),
    events.map(({ appendId }) => appendId),
    begins,
    events.map(({ metadata }, index) => (begins[index] ? metadata.idempotencyKey : undefined)),
  ]
  await connection.rows({
    text: `INSERT INTO ${schema}.events (${EVENT_COLUMNS}, begins_append, idempotency_key)
      ${unnestColumns(['bigint', 'text', 'bigint', 'text', 'bigint', 'text', 'text', 'text', 'boolean', 'text'])}`,
    values,
  })
}

/**
 * Creates the table of the events, and its indexes. Never changed: databases have been made by it. `data` and
 * `metadata` are JSON, as text: jsonb keeps neither lone surrogates nor the order of fields. Only the event that
 * begins an append has its key.
 *
 * @param schema - quoted
 */
export const createEvents = (schema: string): string =>
  `CREATE TABLE ${schema}.events (
     position bigint PRIMARY KEY,
     stream text COLLATE "C" NOT NULL,
     version bigint NOT NULL,
     type text COLLATE "C" NOT NULL,
     schema_version bigint NOT NULL,
     data text NOT NULL,
     metadata text NOT NULL,
     append_id text COLLATE "C" NOT NULL,
     begins_append boolean NOT NULL,
     idempotency_key text COLLATE "C",
     UNIQUE (stream, version)
   );
   CREATE INDEX events_append_id ON ${schema}.events (append_id) WHERE begins_append;
   CREATE UNIQUE INDEX events_idempotency_key ON ${schema}.events (idempotency_key)
     WHERE idempotency_key IS NOT NULL`
