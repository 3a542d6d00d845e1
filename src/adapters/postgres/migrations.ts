import { CHECKPOINT } from '../sql/read-model/tables.js'
import type { Connection } from './connection/connection.js'
import type { Connections } from './connection/connections.js'
import { UnusableDatabase } from './connection/unusable-database.js'
import { appendFunctions } from './log/append-functions.js'
import { createReadTables } from './read-model/tables.js'
import { quotedSchema } from './schema-name.js'

/** The tables of the read model, filled from the log, so only their newest shape is made. */
const READ_TABLES = 5

/** The functions that write, of which only the newest are made. */
const FUNCTIONS = 7

/** The newest version of a schema. */
const NEWEST = FUNCTIONS

/**
 * What makes each version of a schema of the one before; the table `migrations` lists those done. Add new ones, but
 * never change one: databases that went through it exist. A new {@link READ_TABLES} or {@link FUNCTIONS} replaces the
 * old one under a new number, the functions last. 2 to 4 were replaced before 0.1.
 */
const MIGRATIONS: readonly (readonly [version: number, sql: (schema: string) => string])[] = [
  [
    1,
    // `data` and `metadata` are JSON, as text: jsonb keeps neither lone surrogates nor the order of fields.
    // Only the event that begins an append has its key.
    (schema) =>
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
       WHERE idempotency_key IS NOT NULL`,
  ],
  [READ_TABLES, createReadTables],
  // Otherwise a table without a key cannot be updated while a publication includes all tables.
  [6, (schema) => `ALTER TABLE ${schema}.${CHECKPOINT.name} REPLICA IDENTITY FULL`],
  [FUNCTIONS, appendFunctions],
]

/**
 * Brings the tables of `schema` up to date; many processes may do so at once. Needs the right to create them
 * only when there is something to do.
 *
 * @throws UnusableDatabase, with nothing changed
 */
export const migrate = async (connections: Connections, schema: string): Promise<void> => {
  if ((await versionOf(connections, schema)) === NEWEST) return
  await connections.transaction(async (connection) => {
    await lockTables(connection, schema)
    // Read again: another process may have been faster.
    await migrateFrom(connection, schema, await readVersion(connection, schema))
  })
}

/** Keeps other processes from making tables in `schema` until the transaction ends. */
export const lockTables = async (connection: Connection, schema: string): Promise<void> => {
  await connection.rows({
    text: `SELECT pg_advisory_xact_lock(hashtextextended('claviger migrate ' || $1, 0::bigint))`,
    values: [schema],
  })
}

/** @throws UnusableDatabase unless the tables of `schema` are those of this version */
export const demandMigrated = async (connections: Connections, schema: string): Promise<void> => {
  const version = await versionOf(connections, schema)
  if (version === NEWEST) return
  throw new UnusableDatabase(
    'not_migrated',
    `The schema ${schema} has version ${version}, not ${NEWEST}: open it once as its owner, without migrate: false`,
  )
}

const migrateFrom = async (
  connection: Connection,
  schema: string,
  version: number,
): Promise<void> => {
  const quoted = quotedSchema(schema)
  if (version === 0) {
    await createSchema(connection, schema)
    await connection.rows({
      text: `CREATE TABLE ${quoted}.migrations (
        version integer PRIMARY KEY,
        done_at timestamptz NOT NULL DEFAULT now()
      )`,
    })
  }
  for (const [number, sql] of MIGRATIONS) {
    if (number > version) await connection.rows({ text: sql(quoted) })
  }
  await connection.rows({
    text: `INSERT INTO ${quoted}.migrations SELECT generate_series(1, ${NEWEST}) ON CONFLICT DO NOTHING`,
  })
}

/** Makes `schema` when it is missing. Not by `IF NOT EXISTS`, which needs the right to create it anyway. */
export const createSchema = async (connection: Connection, schema: string): Promise<void> => {
  const text = 'SELECT 1 FROM pg_namespace WHERE nspname = $1'
  const [found] = await connection.rows({ text, values: [schema] })
  if (found === undefined) await connection.rows({ text: `CREATE SCHEMA ${quotedSchema(schema)}` })
}

/** The tables that mark a schema as ours, each with a column that only our table has. */
const OWN_TABLES = 'events,append_id,migrations,done_at'

const versionOf = (connections: Connections, schema: string): Promise<number> =>
  connections.transaction(
    (connection) => readVersion(connection, schema),
    'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
  )

/**
 * The version of `schema`; 0 for a new one. A renamed schema counts as one without {@link FUNCTIONS}, and one
 * whose read model was dropped as one without {@link READ_TABLES}. @throws UnusableDatabase
 */
const readVersion = async (connection: Connection, schema: string): Promise<number> => {
  const quoted = quotedSchema(schema)
  // Not to_regclass: it uses a cache without the tables that others have just created.
  const tables = await connection.rows({
    text: `SELECT relname, attname FROM pg_class c
      JOIN pg_namespace n ON n.oid = relnamespace
      LEFT JOIN pg_attribute ON attrelid = c.oid AND attname IN ('done_at', 'append_id')
        AND relkind = 'r'
      WHERE nspname = $1 AND relname IN ('migrations', 'events') ORDER BY 1`,
    values: [schema],
  })
  if (tables.length === 0) return 0
  if (String(tables) !== OWN_TABLES) {
    throw new UnusableDatabase(
      'foreign',
      `The schema ${schema} holds tables of another program with the names of ours`,
    )
  }
  const [row] = await connection.rows({
    // As an oid: comparing regnamespace could call an operator that another user has made.
    text: `SELECT max(version), (SELECT max(strpos(prosrc, '${quoted}.events')) FROM pg_proc
      WHERE pronamespace = '${quoted}'::regnamespace::oid AND proname = 'append_event'
    ), EXISTS (SELECT FROM pg_class WHERE relnamespace = '${quoted}'::regnamespace::oid
      AND relname = '${CHECKPOINT.name}') FROM ${quoted}.migrations`,
  })
  const version = Number(row?.[0])
  if (version === 0) {
    throw new UnusableDatabase(
      'empty',
      `The schema ${schema} has tables without their data: restore the data first`,
    )
  }
  if (version > NEWEST) {
    throw new UnusableDatabase(
      'newer',
      `The schema ${schema} has version ${version}; this version of claviger knows ${NEWEST}`,
    )
  }
  if (row?.[2] === 'f') return Math.min(version, READ_TABLES - 1)
  // The functions of a renamed schema would write to the schema that has its old name.
  return row?.[1] === '0' ? Math.min(version, FUNCTIONS - 1) : version
}
