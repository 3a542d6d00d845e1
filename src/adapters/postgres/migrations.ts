import type { Connection } from './connection/connection.js'
import type { Connections } from './connection/connections.js'
import { UnusableDatabase } from './connection/unusable-database.js'
import { appendFunctions } from './log/append-functions.js'
import { createEvents } from './log/tables.js'
import { createReadTables } from './read-model/tables.js'
import { quotedSchema } from './schema-name.js'
import { NEWEST, readState, type SchemaState, stateOf } from './schema-state.js'

/**
 * What makes each version of a schema of the one before; the table `migrations` lists those done. Add new ones, but
 * never change one: databases that went through it exist. Of the functions that write only the newest are created:
 * new ones take the place of the old, last and under a new number. 2 to 6 created older functions and tables of read
 * models. These tables have no number any more: those of the present shape are created where they are missing.
 */
const MIGRATIONS: readonly (readonly [version: number, sql: (schema: string) => string])[] = [
  [1, createEvents],
  [NEWEST, appendFunctions],
]

/**
 * Brings the tables of `schema` up to date; many processes may do so at once. Needs the right to create them
 * only when there is something to do.
 *
 * @throws UnusableDatabase, with nothing changed
 */
export const migrate = async (connections: Connections, schema: string): Promise<void> => {
  if (isUpToDate(await readState(connections, schema))) return
  await connections.transaction(async (connection) => {
    await lockTables(connection, schema)
    // Read again: another process may have been faster.
    await migrateFrom(connection, schema, await stateOf(connection, schema))
  })
}

const isUpToDate = ({ version, hasReadTables }: SchemaState): boolean =>
  version === NEWEST && hasReadTables

/** Keeps other processes from making tables in `schema` until the transaction ends. */
export const lockTables = async (connection: Connection, schema: string): Promise<void> => {
  await connection.rows({
    text: `SELECT pg_advisory_xact_lock(hashtextextended('claviger migrate ' || $1, 0::bigint))`,
    values: [schema],
  })
}

/** @throws UnusableDatabase unless the tables of `schema` are those of this version */
export const demandMigrated = async (connections: Connections, schema: string): Promise<void> => {
  const state = await readState(connections, schema)
  if (isUpToDate(state)) return
  const { version } = state
  const found =
    version === NEWEST ? 'no tables of the read model' : `version ${version}, not ${NEWEST}`
  throw new UnusableDatabase(
    'not_migrated',
    `The schema ${schema} has ${found}: open it once as its owner, without migrate: false`,
  )
}

const migrateFrom = async (
  connection: Connection,
  schema: string,
  { version, hasReadTables }: SchemaState,
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
  if (!hasReadTables) await connection.rows({ text: createReadTables(quoted) })
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
