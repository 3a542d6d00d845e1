import { err, ok } from 'neverthrow'
import type { StreamId } from '../../../domain/values.js'
import { type Environment, systemEnvironment } from '../../../ports/environment.js'
import {
  type Append,
  type EventCount,
  type EventRestore,
  type EventStore,
  type InTransaction,
  type Position,
  type RecordedEvent,
  StoreFault,
  type StreamWrite,
} from '../../../ports/event-store.js'
import { boundedPosition, LARGEST_INTEGER } from '../../sql/dialect.js'
import { type EventRow, eventsOf } from '../../sql/stored-events.js'
import { groupCommit, type Verdict } from '../../store/group-commit.js'
import {
  beginsAppend,
  checkRestore,
  dataAt,
  type PreparedAppend,
  prepareAppend,
  recordEvents,
} from '../../store/record-events.js'
import { type Connection, onlyRow, type Statement } from '../connection/connection.js'
import type { Connections } from '../connection/connections.js'
import { isConnectionFault } from '../connection/faults.js'
import type { OwnEvents } from '../own-events.js'
import { bigintArray, textArray } from '../unnest-columns.js'
import type { AppendWithRows } from './append-with-rows.js'
import { appendInTransaction, TRANSACTIONS } from './in-transaction.js'
import type { Notifications } from './notifications.js'
import { CONFIRM, DURABLE, insertEvents, lockKey } from './writes.js'

/**
 * A store in the table `events` of a schema.
 *
 * @param schema - quoted
 */
export const postgresEventStore = (
  connections: Connections,
  schema: string,
  notifications: Notifications,
  {
    environment = systemEnvironment,
    withRows,
    own,
  }: {
    readonly environment?: Environment
    /** Keeps the read model at the head. */
    readonly withRows?: AppendWithRows | undefined
    /** Sees what is appended without rows. */
    readonly own?: OwnEvents | undefined
  } = {},
): EventStore & EventRestore & EventCount => {
  const select = selectEvents(schema)
  const appendById = selectAppend(schema, 'append_id = $1 AND begins_append')
  const appendByKey = selectAppend(schema, 'idempotency_key = $1')

  const read = async (statement: Statement): Promise<readonly RecordedEvent[]> =>
    eventsOf(await connections.read<EventRow<string>>(statement))

  const writeAlone = async (group: readonly PreparedAppend[]): Promise<readonly Verdict[]> => {
    const { before, verdicts } = await writeGroup(connections, schema, group)
    own?.recorded(
      before,
      verdicts.flatMap((verdict) => (verdict.isOk() ? verdict.value : [])),
    )
    return verdicts
  }

  const write = async (group: readonly PreparedAppend[]): Promise<readonly Verdict[]> => {
    const verdicts = (await withRows?.(group)) ?? (await writeAlone(group))
    if (verdicts.some((verdict) => verdict.isOk() && verdict.value.length > 0)) notifications.send()
    return verdicts
  }

  const grouped = groupCommit({ write, isConnectionFault }, environment)

  const writeWithRows = async (append: Append, inTransaction: InTransaction): Promise<Verdict> => {
    const prepared = prepareAppend(append)
    const [verdict] = (await withRows?.([prepared], inTransaction)) ?? []
    if (verdict) {
      if (verdict.isOk() && verdict.value.length > 0) notifications.send()
      return verdict
    }
    const { call, values } = appendGroup(schema, [prepared])
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
      const text = `SELECT ${lastOf(schema)}`
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
  const rows = events.map((event, index) => ({
    event,
    data: JSON.stringify(event.data),
    metadata: JSON.stringify(event.metadata),
    beginsAppend: beginsAppend(event, events[index - 1] ?? previous),
  }))
  await connection.rows(insertEvents(schema, rows))
}

/**
 * Checks and writes each append of a group in one round trip. `before` is the last event before the statement.
 *
 * @param schema - quoted
 */
const writeGroup = async (
  connections: Connections,
  schema: string,
  group: readonly PreparedAppend[],
): Promise<{ readonly before: Position; readonly verdicts: readonly Verdict[] }> => {
  const [first, ...others] = group
  const single = first && others.length === 0 && appendOne(schema, first)
  const [row] = await connections.write<AppendRow>(single || appendGroup(schema, group))
  const before = BigInt(row?.[1] ?? 0)
  if (single) {
    const answer = numberFrom(row?.[0])
    const { append } = first
    const verdict = answer > 0 ? ok(recordEvents(append, answer)) : refusal(append.writes, answer)
    return { before, verdicts: [verdict] }
  }
  // An array as PostgreSQL writes it: {1,2}. It begins with the position of the first event recorded.
  const [position, ...answers] = row?.[0].slice(1, -1).split(',') ?? []
  const writes = group.flatMap(({ append }) => append.writes)
  let next = numberFrom(position)
  const verdicts = group.map(({ append, data }, index) => {
    const answer = numberFrom(answers[index])
    if (answer <= 0) return refusal(writes, answer)
    const recorded = recordEvents(append, next)
    next += data.length
    return ok(recorded)
  })
  return { before, verdicts }
}

/** The answer of the append function, and the last event before the statement. */
type AppendRow = [answer: string, before: string | null]

const lastOf = (schema: string): string => `(SELECT max(position)::text FROM ${schema}.events)`

/** The statement for an append of one event, in its first write; undefined for other appends. Its function is faster. */
const appendOne = (schema: string, prepared: PreparedAppend): Statement | undefined => {
  const { append, metadata, data } = prepared
  const [write, ...guards] = append.writes
  const [event] = write?.events ?? []
  if (!write || !event || data.length > 1) return undefined
  return {
    name: `${schema} one`,
    text: `SELECT ${schema}.append_one($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)::text, ${lastOf(schema)}`,
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
    text: `SELECT ${call}::text, ${lastOf(schema)}`,
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
