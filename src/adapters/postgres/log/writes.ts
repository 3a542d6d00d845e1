import type { RecordedEvent } from '../../../ports/event-store.js'
import type { Statement } from '../connection/connection.js'
import { bigintArray, textArray, unnestColumns } from '../unnest-columns.js'

/*
 * Of functions and operators with the same name, PostgreSQL prefers the one that needs no cast, anywhere on the search
 * path, and other users may create one. So statements name `pg_catalog` wherever it has no function or operator
 * for exactly these types, here and in all other files.
 */

/**
 * The functions that write. A runtime role needs the right to execute them, to select and to insert;
 * nothing is ever updated or deleted.
 */
export const appendFunctions = (schema: string): string => `${createAppendOne(schema)}
${createAppendGroup(schema)}
${createAppendAt(schema)}
REVOKE ALL ON FUNCTION
  ${schema}.append_event(text, text, text, text, bigint, text, bigint, text, text, bigint),
  ${schema}.append_one(text, text, text, text, bigint, text, bigint, text, text[], bigint[]),
  ${schema}.append_group(text[], text[], text[], int[], text[], bigint[], int[], text[], bigint[],
    text[], bigint[], text[]),
  ${schema}.append_at(bigint, bigint[], text[], bigint[], text[], bigint[], text[], text[], text[],
    boolean[], text[])
FROM PUBLIC;`

/**
 * Every function that appends locks first, in a statement of its own, so that later statements see what was committed before.
 * With one writer at a time, positions rise in the order of commits.
 */
export const lockLog = (schema: string): string => `
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE 'claviger writes in READ COMMITTED transactions' USING ERRCODE = 'active_sql_transaction';
  END IF;
  PERFORM ${DURABLE};
  PERFORM pg_advisory_xact_lock(${lockKey(schema)});`

/** Key of the advisory lock of a log: `clav` in ASCII, and the oid of its table. */
export const lockKey = (schema: string): string =>
  `(1668047222::bigint << 32) | '${schema}.events'::regclass::oid::bigint`

/** The position of the next event. */
const nextPosition = (schema: string): string => `greatest(
      (extract(epoch FROM clock_timestamp()) * 1e6)::bigint,
      1 + coalesce((SELECT max(e.position) FROM ${schema}.events e), 0))`

const COLUMNS = `position, stream, version, type, schema_version, data, metadata, append_id,
    begins_append, idempotency_key`

/**
 * Checks and writes an append of one event, and of any number of guards after it.
 *
 * Returns the position; 0 when the key was used; otherwise minus the number of the first write that conflicts: 1 for
 * that of the event, then the guards. Programs of the version before call `append_event`, which takes one guard, until a
 * rolling upgrade is over.
 */
const createAppendOne = (schema: string): string => `
CREATE OR REPLACE FUNCTION ${schema}.append_one(
  new_append_id text, new_key text, new_metadata text, new_stream text, expected_version bigint,
  new_type text, new_schema_version bigint, new_data text,
  guarded_streams text[], guarded_versions bigint[]
) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  recorded bigint;
BEGIN${lockLog(schema)}
  IF new_key IS NOT NULL
    AND EXISTS (SELECT FROM ${schema}.events e WHERE e.idempotency_key = new_key) THEN
    RETURN 0;
  END IF;
  -- A version above the expected one violates the unique index below.
  IF expected_version > 0 AND NOT EXISTS (SELECT FROM ${schema}.events e
    WHERE e.stream = new_stream AND e.version = expected_version) THEN
    RETURN -1;
  END IF;
  FOR guard IN 1 .. pg_catalog.cardinality(guarded_streams) LOOP
    IF guarded_versions[guard] <> coalesce(
      (SELECT max(e.version) FROM ${schema}.events e WHERE e.stream = guarded_streams[guard]), 0) THEN
      RETURN CASE WHEN EXISTS (SELECT FROM ${schema}.events e
        WHERE e.stream = new_stream AND e.version > expected_version) THEN -1 ELSE -1 - guard END;
    END IF;
  END LOOP;
  INSERT INTO ${schema}.events (${COLUMNS})
  VALUES (${nextPosition(schema)}, new_stream, expected_version + 1, new_type,
    new_schema_version, new_data, new_metadata, new_append_id, true, new_key)
  ON CONFLICT (stream, version) DO NOTHING
  RETURNING position INTO recorded;
  RETURN coalesce(recorded, -1);
END $$;
CREATE OR REPLACE FUNCTION ${schema}.append_event(
  new_append_id text, new_key text, new_metadata text, new_stream text, expected_version bigint,
  new_type text, new_schema_version bigint, new_data text, guarded_stream text, guarded_version bigint
) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
  RETURN ${schema}.append_one(new_append_id, new_key, new_metadata, new_stream, expected_version,
    new_type, new_schema_version, new_data,
    CASE WHEN guarded_stream IS NULL THEN '{}'::text[] ELSE ARRAY[guarded_stream] END,
    ARRAY[guarded_version]);
END $$;`

/**
 * Checks each append of a group and writes the valid ones. No append may write what another one writes or
 * guards. Writes and events name their append by its number, from 1.
 *
 * Returns the position of the first event recorded, then a verdict for each append: 1 when it was recorded; 0 when
 * its key was used; otherwise minus the number of its first write that conflicts.
 */
const createAppendGroup = (schema: string): string => `
CREATE OR REPLACE FUNCTION ${schema}.append_group(
  append_ids text[], keys text[], all_metadata text[],
  write_appends int[], write_streams text[], write_versions bigint[],
  event_appends int[], event_streams text[], event_versions bigint[], event_types text[],
  event_schema_versions bigint[], event_data text[]
) RETURNS bigint[] LANGUAGE plpgsql AS $$
DECLARE
  verdicts bigint[];
  first_position bigint;
BEGIN${lockLog(schema)}
  SELECT pg_catalog.array_agg(
    CASE WHEN a.key IS NOT NULL
      AND EXISTS (SELECT FROM ${schema}.events e WHERE e.idempotency_key = a.key) THEN 0
    ELSE coalesce(-c.first_write, 1) END ORDER BY a.number)
  INTO verdicts
  FROM pg_catalog.unnest(keys) WITH ORDINALITY a (key, number)
  LEFT JOIN (
    SELECT w.append, min(w.number) AS first_write
    FROM unnest(write_appends, write_streams, write_versions)
      WITH ORDINALITY w (append, stream, version, number)
    WHERE w.version <> coalesce(
      (SELECT max(e.version) FROM ${schema}.events e WHERE e.stream = w.stream), 0)
    GROUP BY w.append
  ) c ON c.append = a.number;
  first_position := ${nextPosition(schema)};
  INSERT INTO ${schema}.events (${COLUMNS})
  SELECT first_position - 1 + row_number() OVER log, n.stream, n.version, n.type, n.schema_version,
    n.data, a.metadata, a.id, n.append IS DISTINCT FROM pg_catalog.lag(n.append) OVER log,
    CASE WHEN n.append IS DISTINCT FROM pg_catalog.lag(n.append) OVER log THEN a.key END
  FROM unnest(event_appends, event_streams, event_versions, event_types, event_schema_versions,
    event_data) WITH ORDINALITY n (append, stream, version, type, schema_version, data, number)
  JOIN unnest(append_ids, keys, all_metadata) WITH ORDINALITY a (id, key, metadata, number)
    ON a.number = n.append
  WHERE verdicts[n.append] > 0
  WINDOW log AS (ORDER BY n.number);
  RETURN first_position OPERATOR(pg_catalog.||) verdicts;
END $$;`

/**
 * Settings of this transaction, as part of a select list: its commit waits for the disk and for the synchronous
 * standbys, and the server reports when that wait is cut short. A stricter setting, such as `remote_apply`, stays.
 */
export const DURABLE = `pg_catalog.set_config('synchronous_commit',
    CASE WHEN current_setting('synchronous_commit') IN ('off', 'local') THEN 'on'
      ELSE current_setting('synchronous_commit') END, true),
  pg_catalog.set_config('client_min_messages',
    CASE WHEN current_setting('client_min_messages') = 'error' THEN 'warning'
      ELSE current_setting('client_min_messages') END, true)`

/**
 * Succeeds once everything that this connection has seen is on the synchronous standbys. A commit waits for all earlier
 * entries of the server's log, but only if its transaction wrote to that log: hence the message, which nobody reads.
 */
export const CONFIRM: Statement = {
  text: `SELECT ${DURABLE}, pg_catalog.pg_logical_emit_message(true, 'claviger', '')`,
}

/** A row of the log. */
export interface LogRow {
  readonly event: RecordedEvent
  /** The data and the metadata of the event as JSON. */
  readonly data: string
  readonly metadata: string
  readonly beginsAppend: boolean
}

/** Names of the parameters of `append_at` after the first, and their types: the columns of a row of the log. */
const ROW = {
  positions: 'bigint',
  streams: 'text',
  versions: 'bigint',
  types: 'text',
  schema_versions: 'bigint',
  event_data: 'text',
  all_metadata: 'text',
  append_ids: 'text',
  begins: 'boolean',
  keys: 'text',
} as const

/** SQLSTATE of `append_at` when something was recorded meanwhile. */
export const MOVED = 'X9999'

/** Adds events whose positions follow `head`, if that is still the last one; otherwise raises {@link MOVED}. */
const createAppendAt = (schema: string): string => `
CREATE OR REPLACE FUNCTION ${schema}.append_at(
  head bigint, ${Object.entries(ROW)
    .map(([name, type]) => `${name} ${type}[]`)
    .join(', ')}
) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN${lockLog(schema)}
  IF head <> coalesce((SELECT max(e.position) FROM ${schema}.events e), 0) THEN
    RAISE 'claviger: an event was recorded meanwhile' USING ERRCODE = '${MOVED}';
  END IF;
  INSERT INTO ${schema}.events (${COLUMNS})
    ${unnestColumns(Object.values(ROW), (index) => Object.keys(ROW)[index] ?? '')};
  RETURN true;
END $$;`

/** The rows as arrays, one for each column. */
export const columnsOf = (rows: readonly LogRow[]): readonly string[] => [
  bigintArray(rows.map(({ event }) => event.position)),
  textArray(rows.map(({ event }) => event.stream)),
  bigintArray(rows.map(({ event }) => event.version)),
  textArray(rows.map(({ event }) => event.type)),
  bigintArray(rows.map(({ event }) => event.schemaVersion)),
  textArray(rows.map(({ data }) => data)),
  textArray(rows.map(({ metadata }) => metadata)),
  textArray(rows.map(({ event }) => event.appendId)),
  textArray(rows.map(({ beginsAppend }) => String(beginsAppend))),
  textArray(
    rows.map(({ event, beginsAppend }) => (beginsAppend && event.metadata.idempotencyKey) || null),
  ),
]

/**
 * Adds events at the positions that they have, in a transaction that holds the lock of the log.
 *
 * @param schema - quoted
 */
export const insertEvents = (schema: string, rows: readonly LogRow[]): Statement => ({
  text: `INSERT INTO ${schema}.events (${COLUMNS}) ${unnestColumns(Object.values(ROW))}`,
  values: columnsOf(rows),
})
