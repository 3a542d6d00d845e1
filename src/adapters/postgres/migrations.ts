import { CHECKPOINT } from '../sql/read-model/tables.js'
import type { Session } from './connection/connection.js'
import type { Connections } from './connection/connections.js'
import { UnusableDatabase } from './connection/unusable-database.js'
import { appendFunctions } from './log/append-functions.js'
import { createReadTables } from './read-model/tables.js'
import { quotedSchema } from './schema-name.js'

/**
 * How each version of a schema follows from the one before; the table `migrations` counts those done.
 * Add to them; never change one: databases that went through it exist.
 */
const MIGRATIONS: readonly ((schema: string) => string)[] = [
  // `data` and `metadata` are JSON; as text, for jsonb keeps neither lone surrogates nor the order of fields.
  // Only the event that begins an append has the key of it.
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
  () => '',
  () => '',
  () => '',
  // Tables of the newest shape alone, as they are filled from the log, and the newest functions alone: what
  // is newer than one of them moves it to the end, the functions last, and leaves an empty migration in its place.
  createReadTables,
  // A table without a key takes no update while a publication of all tables tells of it by its key.
  (schema) => `ALTER TABLE ${schema}.${CHECKPOINT.name} REPLICA IDENTITY FULL`,
  appendFunctions,
]

/**
 * Brings the tables of `schema` up to date; many processes may do so at once. Needs the right to
 * create them only when something is to be done.
 *
 * @throws UnusableDatabase, with nothing changed
 */
export const migrate = async (connections: Connections, schema: string): Promise<void> => {
  if ((await versionOf(connections, schema)) === MIGRATIONS.length) return
  await connections.transaction(async (session) => {
    await lockTables(session, schema)
    // Read anew: another process may have been faster.
    await migrateFrom(session, schema, await readVersion(session, schema))
  })
}

/** Keeps others from making tables in `schema`, until the transaction ends. */
export const lockTables = async (session: Session, schema: string): Promise<void> => {
  await session.rows({
    text: `SELECT pg_advisory_xact_lock(hashtextextended('claviger migrate ' || $1, 0::bigint))`,
    values: [schema],
  })
}

/** Holds that the tables of `schema` are those of this version. @throws UnusableDatabase */
export const demandMigrated = async (connections: Connections, schema: string): Promise<void> => {
  const version = await versionOf(connections, schema)
  if (version === MIGRATIONS.length) return
  throw new UnusableDatabase(
    'not_migrated',
    `The schema ${schema} has version ${version}, not ${MIGRATIONS.length}: open it once as its owner, without migrate: false`,
  )
}

const migrateFrom = async (session: Session, schema: string, version: number): Promise<void> => {
  const quoted = quotedSchema(schema)
  if (version === 0) {
    await createSchema(session, schema)
    await session.rows({
      text: `CREATE TABLE ${quoted}.migrations (
        version integer PRIMARY KEY,
        done_at timestamptz NOT NULL DEFAULT now()
      )`,
    })
  }
  for (const [index, migration] of MIGRATIONS.entries()) {
    if (index < version) continue
    await session.rows({ text: migration(quoted) })
    await session.rows({
      text: `INSERT INTO ${quoted}.migrations VALUES (${index + 1}) ON CONFLICT DO NOTHING`,
    })
  }
}

/** Makes `schema` when it is missing. Not by `IF NOT EXISTS`, which asks for the right to do so all the same. */
export const createSchema = async (session: Session, schema: string): Promise<void> => {
  const text = 'SELECT 1 FROM pg_namespace WHERE nspname = $1'
  const [found] = await session.rows({ text, values: [schema] })
  if (found === undefined) await session.rows({ text: `CREATE SCHEMA ${quotedSchema(schema)}` })
}

/** The tables that tell of a schema that it is ours, each with a column that only we give it. */
const OWN_TABLES = 'events,append_id,migrations,done_at'

const versionOf = (connections: Connections, schema: string): Promise<number> =>
  connections.transaction(
    (session) => readVersion(session, schema),
    'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
  )

/**
 * How many migrations `schema` has gone through; 0 for a new one. One that was renamed lacks the last, which
 * makes the functions; one whose read model was dropped lacks that as well. @throws UnusableDatabase
 */
const readVersion = async (session: Session, schema: string): Promise<number> => {
  const quoted = quotedSchema(schema)
  // Not to_regclass: it answers from a cache that knows nothing of what others have just created.
  const tables = await session.rows({
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
      `The schema ${schema} holds tables of another program that are called as those of claviger`,
    )
  }
  const [row] = await session.rows({
    // As an oid: to compare it as a regnamespace would call an operator of whoever may make one.
    text: `SELECT max(version), (SELECT max(strpos(prosrc, '${quoted}.events')) FROM pg_proc
      WHERE pronamespace = '${quoted}'::regnamespace::oid AND proname = 'append_event'
    ), EXISTS (SELECT FROM pg_class WHERE relnamespace = '${quoted}'::regnamespace::oid
      AND relname = '${CHECKPOINT.name}') FROM ${quoted}.migrations`,
  })
  const version = Number(row?.[0])
  if (version === 0) {
    throw new UnusableDatabase(
      'empty',
      `The schema ${schema} has tables without the data that they had: restore those first`,
    )
  }
  if (version > MIGRATIONS.length) {
    throw new UnusableDatabase(
      'newer',
      `The schema ${schema} has version ${version}; this version of claviger knows ${MIGRATIONS.length}`,
    )
  }
  if (row?.[2] === 'f') return Math.min(version, MIGRATIONS.indexOf(createReadTables))
  // The functions of a schema that was renamed would write to the one that has its old name.
  return row?.[1] === '0' ? Math.min(version, MIGRATIONS.length - 1) : version
}
