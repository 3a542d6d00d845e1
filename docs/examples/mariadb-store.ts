// An event store on MariaDB 10.6 or later, by the client mysql2. It passes the laws of claviger/laws and races of
// sixteen writers. Reads are answered from memory; see the guide on writing a store.
import { type Append, checkAppend, type EventStore, type RecordedEvent, StoreFault } from 'claviger'
import type { Pool, PoolConnection, RowDataPacket } from 'mysql2/promise'
import { err, ok } from 'neverthrow'

/** Names are bytes, so that comparison is exact. Only the first event of an append has its key. */
const TABLES = [
  `CREATE TABLE IF NOT EXISTS events (
    position BIGINT PRIMARY KEY,
    stream VARBINARY(2048) NOT NULL,
    version BIGINT NOT NULL,
    type VARBINARY(2048) NOT NULL,
    schema_version BIGINT NOT NULL,
    data LONGTEXT NOT NULL,
    metadata LONGTEXT NOT NULL,
    append_id VARBINARY(2048) NOT NULL,
    idempotency_key VARBINARY(2048) UNIQUE,
    UNIQUE (stream, version),
    INDEX (append_id)
  ) ENGINE = InnoDB CHARACTER SET utf8mb4 ROW_FORMAT = DYNAMIC`,
  'CREATE TABLE IF NOT EXISTS log_end (id INT PRIMARY KEY, position BIGINT NOT NULL) ENGINE = InnoDB',
  'INSERT IGNORE INTO log_end VALUES (1, 0)',
]

const COLUMNS = `CAST(position AS CHAR) AS position, stream, version, type, schema_version, data,
  metadata, append_id`

/** One writer at a time holds this row, until its commit. So positions rise in the order of commits. */
const LOCK = `SELECT CAST(GREATEST(position + 1, CAST(UNIX_TIMESTAMP(NOW(6)) * 1000000 AS SIGNED)) AS CHAR)
  AS next FROM log_end WHERE id = 1 FOR UPDATE`

const eventOf = (row: RowDataPacket): RecordedEvent => ({
  type: String(row['type']),
  schemaVersion: Number(row['schema_version']),
  data: JSON.parse(row['data']),
  appendId: String(row['append_id']),
  stream: String(row['stream']) as RecordedEvent['stream'],
  version: Number(row['version']),
  position: BigInt(row['position']),
  metadata: JSON.parse(row['metadata']),
})

/** The fault of a call. */
const faultOf = (error: unknown, outcome: StoreFault['outcome']): StoreFault => {
  const fault = new StoreFault(`MariaDB: ${error}`, outcome, error)
  fault.retryAfter = 1_000
  return fault
}

/** A store in the database of `pool`, which the host closes. Creates the tables when they are missing. */
export const mariadbStore = async (pool: Pool): Promise<EventStore> => {
  for (const table of TABLES) await pool.query(table)

  const rows = async (sql: string, values: unknown[]): Promise<readonly RecordedEvent[]> => {
    try {
      const [found] = await pool.query<RowDataPacket[]>(sql, values)
      return found.map(eventOf)
    } catch (error) {
      throw faultOf(error, 'not_recorded')
    }
  }

  const record: EventStore['append'] = async (append) => {
    const invalid = checkAppend(append)
    if (invalid) throw invalid
    const connection = await pool.getConnection().catch((error: unknown) => {
      throw faultOf(error, 'not_recorded')
    })
    let outcome: StoreFault['outcome'] = 'not_recorded'
    try {
      // Each statement sees what was committed before it: what is read after the lock stays true until the commit.
      await connection.query('SET TRANSACTION ISOLATION LEVEL READ COMMITTED')
      await connection.beginTransaction()
      const verdict = await write(connection, append)
      outcome = 'unknown'
      await connection.commit()
      connection.release()
      return verdict
    } catch (error) {
      // Its end rolls back what it has begun, unless the commit was made.
      connection.destroy()
      throw faultOf(error, outcome)
    }
  }

  // One after the other: appends of one handle are recorded in the order in which they were sent.
  let turn: Promise<unknown> = Promise.resolve()
  const append: EventStore['append'] = (append) => {
    const verdict = turn.then(() => record(append))
    turn = verdict.catch(() => undefined)
    return verdict
  }

  return {
    append,
    readStream: (stream, afterVersion = 0) =>
      rows(`SELECT ${COLUMNS} FROM events WHERE stream = ? AND version > ? ORDER BY version`, [
        stream,
        afterVersion,
      ]),
    readAll: (after, limit) =>
      rows(
        `SELECT ${COLUMNS} FROM events e WHERE e.position > CAST(? AS SIGNED) ORDER BY e.position LIMIT ?`,
        [String(bounded(after)), Math.max(0, limit)],
      ),
    lastPosition: async () => {
      const [last] = await rows(
        `SELECT ${COLUMNS} FROM events e ORDER BY e.position DESC LIMIT 1`,
        [],
      )
      return last?.position ?? 0n
    },
    findAppend: (by) =>
      'id' in by
        ? rows(`SELECT ${COLUMNS} FROM events e WHERE append_id = ? ORDER BY e.position`, [by.id])
        : rows(
            `SELECT ${COLUMNS} FROM events e WHERE append_id =
              (SELECT f.append_id FROM events f WHERE f.idempotency_key = ?) ORDER BY e.position`,
            [by.idempotencyKey],
          ),
  }
}

/** Callers may ask after any integer; a column of MariaDB has 64 bits. */
const bounded = (after: bigint): bigint => {
  const most = 2n ** 63n - 1n
  return after < 0n ? 0n : after > most ? most : after
}

/** Checks an append and writes its events, in a transaction that has begun. */
const write = async (
  connection: PoolConnection,
  { id, writes, metadata }: Append,
): ReturnType<EventStore['append']> => {
  const [[lock]] = await connection.query<RowDataPacket[]>(LOCK)
  const { idempotencyKey } = metadata
  const [used] = await connection.query<RowDataPacket[]>(
    'SELECT 1 FROM events WHERE idempotency_key = ?',
    [idempotencyKey ?? null],
  )
  if (used.length > 0) return err({ kind: 'IdempotencyKeyUsed' })
  const [found] = await connection.query<RowDataPacket[]>(
    'SELECT stream, MAX(version) AS version FROM events WHERE stream IN (?) GROUP BY stream',
    [writes.map(({ stream }) => stream)],
  )
  const versions = new Map(found.map((row) => [String(row['stream']), Number(row['version'])]))
  const outdated = writes.find(
    ({ stream, expectedVersion }) => (versions.get(stream) ?? 0) !== expectedVersion,
  )
  if (outdated) return err({ kind: 'VersionConflict', stream: outdated.stream })

  const first = BigInt(lock?.['next'])
  const recorded = writes
    .flatMap(({ stream, expectedVersion, events }) =>
      events.map((event, index) => ({ ...event, stream, version: expectedVersion + index + 1 })),
    )
    .map((event, index) => ({ ...event, appendId: id, metadata, position: first + BigInt(index) }))
  const last = recorded.at(-1)
  if (last === undefined) return ok([])
  const values = recorded.map((event, index) => [
    String(event.position),
    event.stream,
    event.version,
    event.type,
    event.schemaVersion,
    JSON.stringify(event.data),
    JSON.stringify(metadata),
    id,
    index === 0 ? (idempotencyKey ?? null) : null,
  ])
  await connection.query('INSERT INTO events VALUES ?', [values])
  await connection.query('UPDATE log_end SET position = CAST(? AS SIGNED)', [String(last.position)])
  return ok(recorded.map((event) => ({ ...event, data: JSON.parse(JSON.stringify(event.data)) })))
}
