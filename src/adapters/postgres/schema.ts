import { CHECKPOINT } from '../sql/read-model/tables.js'
import type { Connection } from './connection/connection.js'
import type { Connections } from './connection/connections.js'
import { UnusableDatabase } from './connection/require-server.js'
import { appendFunctions } from './log/writes.js'
import { createReadTables } from './read-model.js'
import { createViews, hasViews } from './views.js'

/** Short enough for {@link channelOf}, and never PostgreSQL's own. */
const NAME = /^(?!pg_)[A-Za-z_][A-Za-z0-9_-]{0,53}$/

/** `schema` as part of a statement. @throws RangeError when it is not a valid name for a schema */
export const quotedSchema = (schema: string): string => {
  if (NAME.test(schema)) return `"${schema}"`
  throw new RangeError(
    'A schema is named with 1 to 54 letters, digits, _ or -, begins with a letter or _, not with pg_',
  )
}

/** The channel of notifications of new events in `schema`. */
export const channelOf = (schema: string): string => `claviger_${schema}`

/**
 * Creates the table of the events and its indexes. Never change it: existing databases were made by it. `data` and
 * `metadata` are JSON as text: jsonb keeps neither lone surrogates nor the order of fields. Only the first event
 * of an append has its idempotency key.
 *
 * @param schema - quoted
 */
const createEvents = (schema: string): string =>
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

/**
 * The newest version of a schema; the table `migrations` lists the versions whose migrations are done. Add new ones, but
 * never change one: existing databases went through it. 1 creates the events, this one the newest functions that write,
 * which replace the old: change them last and under a new number. 2 to 8 created older functions and tables of read
 * models. Tables of read models no longer have a number: missing tables of the current shape are created.
 */
const NEWEST = 9

/**
 * Brings the tables of `schema` up to date; many processes may do so at once. Needs the right to create them
 * only when there is something to do.
 *
 * @throws UnusableDatabase, with nothing changed
 */
export const migrate = async (
  connections: Connections,
  schema: string,
  wanted: Wanted = {},
): Promise<void> => {
  if (isUpToDate(await readState(connections, schema, wanted))) return
  await connections.transaction(async (connection) => {
    await lockTables(connection, schema)
    // Read again: another process may have been faster.
    await migrateFrom(connection, schema, await stateOf(connection, schema, wanted))
  })
}

/** What a schema is to have besides its tables. */
interface Wanted {
  /** The views of the roles that count. */
  readonly views?: boolean | undefined
}

/** @throws UnusableDatabase unless the tables of `schema` have the newest version */
export const requireMigrated = async (
  connections: Connections,
  schema: string,
  wanted: Wanted = {},
): Promise<void> => {
  const state = await readState(connections, schema, wanted)
  if (isUpToDate(state)) return
  throw new UnusableDatabase(
    'not_migrated',
    `The schema ${schema} has ${missingIn(state)}: open it once as its owner, without migrate: false`,
  )
}

const missingIn = ({ version, hasReadTables }: SchemaState): string => {
  if (version === 0) return 'no tables of claviger'
  if (version !== NEWEST) return `version ${version}, not ${NEWEST}`
  return hasReadTables ? 'no views, or those of another version' : 'no tables of the read model'
}

/** How far a schema has been migrated. */
interface SchemaState {
  /** 0 for a new schema; less than {@link NEWEST} for a renamed one, whose functions must be created again. */
  readonly version: number
  /** Whether it has the tables of the present shape of the read model; they are created together. */
  readonly hasReadTables: boolean
  /** Whether it has the views on these tables, or none are wanted. */
  readonly hasViews: boolean
}

const isUpToDate = ({ version, hasReadTables, hasViews }: SchemaState): boolean =>
  version === NEWEST && hasReadTables && hasViews

const readState = (
  connections: Connections,
  schema: string,
  wanted: Wanted,
): Promise<SchemaState> =>
  connections.transaction(
    (connection) => stateOf(connection, schema, wanted),
    'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
  )

/** The tables that mark a schema as ours, each with a column that only our table has. */
const OWN_TABLES = 'events,append_id,migrations,done_at'

/** @throws UnusableDatabase */
const stateOf = async (
  connection: Connection,
  schema: string,
  { views = false }: Wanted,
): Promise<SchemaState> => {
  const quoted = quotedSchema(schema)
  // Not to_regclass: it uses a cache without the tables that others have just created.
  const tables = await connection.rows({
    text: `SELECT relname::text, attname::text FROM pg_class c
      JOIN pg_namespace n ON n.oid = relnamespace
      LEFT JOIN pg_attribute ON attrelid = c.oid AND attname IN ('done_at', 'append_id')
        AND relkind = 'r'
      WHERE nspname = $1 AND relname IN ('migrations', 'events') ORDER BY relname`,
    values: [schema],
  })
  if (tables.length === 0) return { version: 0, hasReadTables: false, hasViews: !views }
  if (String(tables) !== OWN_TABLES)
    throw new UnusableDatabase(
      'foreign',
      `The schema ${schema} holds tables of another program with the names of ours`,
    )
  const [row] = await connection.rows({
    // As an oid: comparing regnamespace could call an operator that another user has made.
    text: `SELECT max(version)::text, (SELECT max(strpos(prosrc, '${quoted}.events'))::text FROM pg_proc
      WHERE pronamespace = '${quoted}'::regnamespace::oid AND proname = 'append_one'
    ), EXISTS (SELECT FROM pg_class WHERE relnamespace = '${quoted}'::regnamespace::oid
      AND relname = '${CHECKPOINT.name}')::text FROM ${quoted}.migrations`,
  })
  const version = Number(row?.[0])
  if (version === 0)
    throw new UnusableDatabase(
      'empty',
      `The schema ${schema} has tables without their data: restore the data first`,
    )
  if (version > NEWEST)
    throw new UnusableDatabase(
      'newer',
      `The schema ${schema} has version ${version}; this version of claviger knows ${NEWEST}`,
    )
  // The functions of a renamed schema would write to the schema that has its old name.
  const isRenamed = row?.[1] === '0'
  return {
    version: isRenamed ? Math.min(version, NEWEST - 1) : version,
    hasReadTables: row?.[2] === 'true',
    hasViews: !views || (await hasViews(connection, quoted)),
  }
}

const migrateFrom = async (
  connection: Connection,
  schema: string,
  { version, hasReadTables, hasViews }: SchemaState,
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
    await connection.rows({ text: createEvents(quoted) })
  }
  if (version < NEWEST) await connection.rows({ text: appendFunctions(quoted) })
  if (!hasReadTables) await connection.rows({ text: createReadTables(quoted) })
  if (!hasViews) await connection.rows({ text: createViews(quoted) })
  await connection.rows({
    text: `INSERT INTO ${quoted}.migrations SELECT generate_series(1, ${NEWEST}) ON CONFLICT DO NOTHING`,
  })
}

/**
 * A table next to the log's, created if it is missing. Await `prepare` before each write to `table`. It needs the right
 * to create the table only when that is missing; many processes may do so at once.
 *
 * @param columns - the columns in `CREATE TABLE`
 * @returns `table`: its name with the schema, quoted
 */
export const ownTable = (
  connections: Connections,
  schema: string,
  name: string,
  columns: string,
): {
  readonly table: string
  readonly prepare: () => Promise<void>
  readonly isThere: () => Promise<boolean>
} => {
  const table = `${quotedSchema(schema)}.${name}`
  let wasFound = false
  const isThere = async (): Promise<boolean> => {
    if (wasFound) return true
    const [found] = await connections.read({
      text: `SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
        WHERE nspname = $1 AND relname = $2`,
      values: [schema, name],
    })
    wasFound = found !== undefined
    return wasFound
  }
  const create = async (): Promise<void> => {
    if (await isThere()) return
    await connections.transaction(async (connection) => {
      await lockTables(connection, schema)
      await createSchema(connection, schema)
      await connection.rows({ text: `CREATE TABLE IF NOT EXISTS ${table} (${columns})` })
    })
  }
  let created: Promise<void> | undefined
  const prepare = (): Promise<void> => {
    created ??= create().catch((error) => {
      created = undefined
      throw error
    })
    return created
  }
  return { table, prepare, isThere }
}

/** Keeps other processes from creating tables in `schema` until the transaction ends. */
const lockTables = async (connection: Connection, schema: string): Promise<void> => {
  await connection.rows({
    text: `SELECT pg_advisory_xact_lock(hashtextextended('claviger migrate ' || $1, 0::bigint))`,
    values: [schema],
  })
}

/** Creates `schema` when it is missing. Not with `IF NOT EXISTS`, which needs the right to create it even then. */
const createSchema = async (connection: Connection, schema: string): Promise<void> => {
  const text = 'SELECT 1 FROM pg_namespace WHERE nspname = $1'
  const [found] = await connection.rows({ text, values: [schema] })
  if (found === undefined) await connection.rows({ text: `CREATE SCHEMA ${quotedSchema(schema)}` })
}
