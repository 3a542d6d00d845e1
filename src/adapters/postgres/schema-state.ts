import { CHECKPOINT } from '../sql/read-model/tables.js'
import type { Connection } from './connection/connection.js'
import type { Connections } from './connection/connections.js'
import { UnusableDatabase } from './connection/unusable-database.js'
import { quotedSchema } from './schema-name.js'

/** The newest version of a schema. */
export const NEWEST = 7

/** The tables that mark a schema as ours, each with a column that only our table has. */
const OWN_TABLES = 'events,append_id,migrations,done_at'

/** How far a schema has come. */
export interface SchemaState {
  /** 0 for a new schema; less than {@link NEWEST} for a renamed one, whose functions are to be created again. */
  readonly version: number
  /** Whether it has the tables of the present shape of the read model; they are created together. */
  readonly hasReadTables: boolean
}

/** As {@link stateOf}, in a transaction of its own. */
export const readState = (connections: Connections, schema: string): Promise<SchemaState> =>
  connections.transaction(
    (connection) => stateOf(connection, schema),
    'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
  )

/** @throws UnusableDatabase */
export const stateOf = async (connection: Connection, schema: string): Promise<SchemaState> => {
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
  if (tables.length === 0) return { version: 0, hasReadTables: false }
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
  // The functions of a renamed schema would write to the schema that has its old name.
  const isRenamed = row?.[1] === '0'
  return {
    version: isRenamed ? Math.min(version, NEWEST - 1) : version,
    hasReadTables: row?.[2] === 't',
  }
}
