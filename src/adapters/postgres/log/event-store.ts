import { err, ok } from 'neverthrow'
import type { StreamId } from '../../../domain/values.js'
import { type Environment, systemEnvironment } from '../../../ports/environment.js'
import {
  type Append,
  type EventCount,
  type EventRestore,
  type EventStore,
  type InTransaction,
  type RecordedEvent,
  StoreFault,
  type StreamWrite,
} from '../../../ports/event-store.js'
import { boundedPosition, LARGEST_INTEGER } from '../../sql/dialect.js'
import { EVENT_COLUMNS, type EventRow, eventsOf } from '../../sql/stored-events.js'
import { beginsAppend, checkRestore } from '../../store/check-append.js'
import { groupCommit, type Verdict } from '../../store/group-commit.js'
import {
  dataAt,
  type PreparedAppend,
  prepareAppend,
  recordEvents,
} from '../../store/record-events.js'
import { type Connection, onlyRow, type Statement } from '../connection/connection.js'
import type { Connections } from '../connection/connections.js'
import { isConnectionFault } from '../connection/faults.js'
import { bigintArray, textArray, unnestColumns } from '../unnest-columns.js'
import { appendInTransaction, TRANSACTIONS } from './in-transaction.js'
import type { Notifications } from './notifications.js'

/**
 * A store in the table `events` of a schema.
 *
 * @param schema - quoted
 */
export const postgresEventStore = (
  connections: Connections,
  schema: string,
  notifications: Notifications,
  environment: Environment = systemEnvironment,
): EventStore & EventRestore & EventCount => {
  const select = selectEvents(schema)
  const appendById = selectAppend(schema, 'append_id = $1 AND begins_append')
  const appendByKey = selectAppend(schema, 'idempotency_key = $1')

  const read = async (statement: Statement): Promise<readonly RecordedEvent[]> =>
    eventsOf(await connections.read<EventRow<string>>(statement))

  const write = async (group: readonly PreparedAppend[]): Promise<readonly Verdict[]> => {
    const verdicts = await writeGroup(connections, schema, group)
    if (verdicts.some((verdict) => verdict.isOk() && verdict.value.length > 0)) notifications.send()
    return verdicts
  }

  const grouped = groupCommit({ write, isConnectionFault }, environment)

  const writeWithRows = async (append: Append, inTransaction: InTransaction): Promise<Verdict> => {
    const { call, values } = appendGroup(schema, [prepareAppend(append)])
    const events = { text: appendById, values: [append.id] }
    const recorded = await appendInTransaction(connections, { inTransaction, call, values, events })
    if (recorded.isErr()) return refusal(append.writes, recorded.error)
    if (recorded.value.length > 0) notifications.send()
    return ok(eventsOf(recorded.value))
  }

  return {
    append: (append) =>
      append.inTransaction ? writeWithRows(append, append.inTransaction) : grouped(append),
    transactions: TRANSACTIONS,
    readStream: (stream, afterVersion = 0) =>
      read({
        name: `${schema} stream`,
        text: `${select} WHERE stream = $1 AND version > $2 ORDER BY e.version`,
        values: [stream, afterVersion],
      }),
    readStreams: async (reads) => {
      const events = await read({
        text: `${select} JOIN unnest($1::text[], $2::bigint[]) r (stream, after)
          ON e.stream = r.stream AND e.version > r.after ORDER BY e.version`,
        values: [
          textArray(reads.map(({ stream }) => stream)),
          bigintArray(reads.map(({ afterVersion }) => afterVersion)),
        ],
      })
      const byStream = Map.groupBy(events, ({ stream }) => stream)
      return reads.map(({ stream }) => byStream.get(stream) ?? [])
    },
    readAll: (after, limit) =>
      read({
        name: `${schema} page`,
        text: `${select} WHERE position > $1 ORDER BY e.position LIMIT $2`,
        values: [boundedPosition(after), Math.max(0, limit)],
      }),
    lastPosition: async () => {
      const text = `SELECT max(position)::text FROM ${schema}.events`
      const rows = await connections.read<[string | null]>({ name: `${schema} last`, text })
      return BigInt(onlyRow(rows)[0] ?? 0)
    },
    countAfter: async (after) => {
      const text = `SELECT count(*)::text FROM ${schema}.events WHERE position > $1`
      const rows = await connections.read<[string]>({ text, values: [boundedPosition(after)] })
      return Number(onlyRow(rows)[0])
    },
    findAppend: async (by) => {
      const found = await read(
        'id' in by
          ? { name: `${schema} id`, text: appendById, values: [by.id] }
          : { name: `${schema} key`, text: appendByKey, values: [by.idempotencyKey] },
      )
      // A commit of another writer, or our own interrupted one, may be missing on the standbys.
      if (found.length > 0) await connections.write(CONFIRM)
      return found
    },
    onAppend: notifications.onAppend,
    restore: async (events) => {
      if (events.length === 0) return
      await connections.transaction((connection) => restoreEvents(connection, schema, events))
      notifications.send()
    },
  }
}

/** Orders are by columns of the table `e`: selected as text, integers would be in the order of text. */
const selectEvents = (
  schema: string,
): string => `SELECT e.position::text, e.stream, e.version::text, e.type,
  e.schema_version::text, e.data, e.metadata, e.append_id FROM ${schema}.events e`

/** The events of the append whose first event fits `condition`. They are adjacent: it ends where the next one begins. */
const selectAppend = (schema: string, condition: string): string =>
  `WITH begin AS (SELECT position AS at FROM ${schema}.events WHERE ${condition})
    ${selectEvents(schema)}, begin WHERE e.position >= at AND e.position < coalesce((
      SELECT n.position FROM ${schema}.events n
      WHERE n.position > at AND n.begins_append ORDER BY n.position LIMIT 1
    ), ${LARGEST_INTEGER}) ORDER BY e.position`

const restoreEvents = async (
  connection: Connection,
  schema: string,
  events: readonly RecordedEvent[],
): Promise<void> => {
  await connection.rows({ text: `SELECT ${DURABLE}, pg_advisory_xact_lock(${lockKey(schema)})` })
  const last = `${selectEvents(schema)} ORDER BY e.position DESC LIMIT 1`
  const [previous] = eventsOf(await connection.rows<EventRow<string>>({ text: last }))
  const streams = await connection.rows<[StreamId, string]>({
    text: `SELECT stream, max(version)::text FROM ${schema}.events WHERE stream = ANY ($1::text[])
      GROUP BY stream`,
    values: [textArray([...new Set(events.map(({ stream }) => stream))])],
  })
  const versions = new Map(streams)
  const keys = await connection.rows<[string]>({
    text: `SELECT idempotency_key FROM ${schema}.events WHERE idempotency_key = ANY ($1::text[])`,
    values: [textArray(events.flatMap(({ metadata: { idempotencyKey } }) => idempotencyKey ?? []))],
  })
  const used = new Set(keys.map(([key]) => key))
  const invalid = checkRestore(events, {
    last: previous,
    versionOf: (stream) => Number(versions.get(stream) ?? 0),
    isKeyUsed: (key) => used.has(key),
  })
  if (invalid) throw invalid
  const begins = events.map((event, index) => beginsAppend(event, events[index - 1] ?? previous))
  await connection.rows({
    text: `INSERT INTO ${schema}.events (${EVENT_COLUMNS}, begins_append, idempotency_key)
      ${unnestColumns(['bigint', 'text', 'bigint', 'text', 'bigint', 'text', 'text', 'text', 'boolean', 'text'])}`,
    values: [
      bigintArray(events.map(({ position }) => position)),
      textArray(events.map(({ stream }) => stream)),
      bigintArray(events.map(({ version }) => version)),
      textArray(events.map(({ type }) => type)),
      bigintArray(events.map(({ schemaVersion }) => schemaVersion)),
      textArray(events.map(({ data }) => JSON.stringify(data))),
      textArray(events.map(({ metadata }) => JSON.stringify(metadata))),
      textArray(events.map(({ appendId }) => appendId)),
      textArray(begins.map(String)),
      textArray(
        events.map(({ metadata }, index) => (begins[index] && metadata.idempotencyKey) || null),
      ),
    ],
  })
}

/**
 * Checks and writes each append of a group in one round trip.
 *
 * @param schema - quoted
 */
const writeGroup = async (
  connections: Connections,
  schema: string,
  group: readonly PreparedAppend[],
): Promise<readonly Verdict[]> => {
  const [first, ...others] = group
  const single = first && others.length === 0 && appendOne(schema, first)
  if (single) {
    const [row] = await connections.write(single)
    const answer = numberFrom(row?.[0])
    return [
      answer > 0 ? ok(recordEvents(first.append, answer)) : refusal(first.append.writes, answer),
    ]
  }
  const [row] = await connections.write<[string]>(appendGroup(schema, group))
  // An array as PostgreSQL writes it: {1,2}. It begins with the position of the first event recorded.
  const [position, ...answers] = row?.[0].slice(1, -1).split(',') ?? []
  const writes = group.flatMap(({ append }) => append.writes)
  let next = numberFrom(position)
  return group.map(({ append, data }, index) => {
    const answer = numberFrom(answers[index])
    if (answer <= 0) return refusal(writes, answer)
    const recorded = recordEvents(append, next)
    next += data.length
    return ok(recorded)
  })
}

/** The statement for an append of one event, in its first write; undefined for other appends. Its function is faster. */
const appendOne = (schema: string, prepared: PreparedAppend): Statement | undefined => {
  const { append, metadata, data } = prepared
  const [write, ...guards] = append.writes
  const [event] = write?.events ?? []
  if (!write || !event || data.length > 1) return undefined
  return {
    name: `${schema} one`,
    text: `SELECT ${schema}.append_one($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)::text`,
    values: [
      append.id,
      append.metadata.idempotencyKey,
      metadata,
      write.stream,
      write.expectedVersion,
      event.type,
      event.schemaVersion,
      dataAt(prepared, 0),
      textArray(guards.map(({ stream }) => stream)),
      bigintArray(guards.map(({ expectedVersion }) => expectedVersion)),
    ],
  }
}

const refusal = (writes: readonly StreamWrite[], answer: number): Verdict => {
  if (answer === 0) return err({ kind: 'IdempotencyKeyUsed' })
  const write = writes[-answer - 1]
  if (write) return err({ kind: 'VersionConflict', stream: write.stream })
  throw new Error(`The append function answered ${answer}`)
}

/** The statement for a group, and the call of the function in it. */
const appendGroup = (
  schema: string,
  group: readonly PreparedAppend[],
): Required<Statement> & { readonly call: string } => {
  const appends = group.map(({ append }) => append)
  const writes = appends.flatMap(({ writes }, index) =>
    writes.map((write) => ({ ...write, number: index + 1 })),
  )
  const events = writes.flatMap(({ number, stream, expectedVersion, events }) =>
    events.map((event, index) => ({
      ...event,
      number,
      stream,
      version: expectedVersion + index + 1,
    })),
  )
  const call = `${schema}.append_group($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`
  return {
    name: `${schema} group`,
    call,
    text: `SELECT ${call}::text`,
    values: [
      textArray(appends.map(({ id }) => id)),
      textArray(appends.map(({ metadata }) => metadata.idempotencyKey ?? null)),
      textArray(group.map(({ metadata }) => metadata)),
      bigintArray(writes.map(({ number }) => number)),
      textArray(writes.map(({ stream }) => stream)),
      bigintArray(writes.map(({ expectedVersion }) => expectedVersion)),
      bigintArray(events.map(({ number }) => number)),
      textArray(events.map(({ stream }) => stream)),
      bigintArray(events.map(({ version }) => version)),
      textArray(events.map(({ type }) => type)),
      bigintArray(events.map(({ schemaVersion }) => schemaVersion)),
      textArray(group.flatMap(({ data }) => data)),
    ],
  }
}

const numberFrom = (value: unknown): number => {
  const number = Number(value ?? Number.NaN)
  if (Number.isSafeInteger(number)) return number
  throw new StoreFault('PostgreSQL: the append function gave no answer', 'unknown')
}

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
REVOKE ALL ON FUNCTION
  ${schema}.append_event(text, text, text, text, bigint, text, bigint, text, text, bigint),
  ${schema}.append_one(text, text, text, text, bigint, text, bigint, text, text[], bigint[]),
  ${schema}.append_group(text[], text[], text[], int[], text[], bigint[], int[], text[], bigint[],
    text[], bigint[], text[])
FROM PUBLIC;`

/**
 * Both functions lock first, in a statement of its own, so that later statements see what was committed before.
 * With one writer at a time, positions rise in the order of commits.
 */
const lockLog = (schema: string): string => `
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
const DURABLE = `pg_catalog.set_config('synchronous_commit',
    CASE WHEN current_setting('synchronous_commit') IN ('off', 'local') THEN 'on'
      ELSE current_setting('synchronous_commit') END, true),
  pg_catalog.set_config('client_min_messages',
    CASE WHEN current_setting('client_min_messages') = 'error' THEN 'warning'
      ELSE current_setting('client_min_messages') END, true)`

/**
 * Succeeds once everything that this connection has seen is on the synchronous standbys. A commit waits for all earlier
 * entries of the server's log, but only if its transaction wrote to that log: hence the message, which nobody reads.
 */
const CONFIRM: Statement = {
  text: `SELECT ${DURABLE}, pg_catalog.pg_logical_emit_message(true, 'claviger', '')`,
}
