import type { Position } from '../../../ports/event-store.js'
import type { Connection, Statement } from '../connection/connection.js'
import type { Connections } from '../connection/connections.js'
import { createSchema, lockTables } from '../migrations.js'
import { quotedSchema } from '../schema-name.js'

/** Table of the checkpoints of the host's projections. */
const TABLE = 'projection_checkpoint'

/** The checkpoints of projections, a row for each, in a table that is made when it is missing. */
export const projectionCheckpoints = (connections: Connections, schema: string) => {
  const table = `${quotedSchema(schema)}.${TABLE}`
  let prepared: Promise<void> | undefined
  return {
    /** Makes the table; to be awaited before all else. */
    prepare: (): Promise<void> => {
      prepared ??= createTable(connections, schema, table).catch((error) => {
        prepared = undefined
        throw error
      })
      return prepared
    },
    read: (name: string): Statement => ({
      text: `SELECT position FROM ${table} WHERE name = $1`,
      values: [name],
    }),
    /** Locks the checkpoint until the transaction ends. @returns false when it is not at `from` */
    move: async (
      connection: Connection,
      name: string,
      { from, to }: { readonly from: Position; readonly to: Position },
    ): Promise<boolean> => {
      // A missing row is at the beginning.
      const text =
        from === 0n
          ? `INSERT INTO ${table} AS c (name, position) VALUES ($1, $2) ON CONFLICT (name)
             DO UPDATE SET position = excluded.position WHERE c.position = $3 RETURNING 1`
          : `UPDATE ${table} SET position = $2 WHERE name = $1 AND position = $3 RETURNING 1`
      const [moved] = await connection.rows({ text, values: [name, to, from] })
      return moved !== undefined
    },
    /** Moves the checkpoint to the beginning, and locks it until the transaction ends. */
    reset: async (connection: Connection, name: string): Promise<void> => {
      const text = `INSERT INTO ${table} (name, position) VALUES ($1, 0) ON CONFLICT (name)
        DO UPDATE SET position = 0`
      await connection.rows({ text, values: [name] })
    },
  }
}

/** Needs the right to create it only when it is missing; many processes may do so at once. */
const createTable = async (
  connections: Connections,
  schema: string,
  table: string,
): Promise<void> => {
  const [found] = await connections.read({
    text: `SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
      WHERE nspname = $1 AND relname = $2`,
    values: [schema, TABLE],
  })
  if (found !== undefined) return
  await connections.transaction(async (connection) => {
    await lockTables(connection, schema)
    await createSchema(connection, schema)
    await connection.rows({
      text: `CREATE TABLE IF NOT EXISTS ${table} (
        name text COLLATE "C" PRIMARY KEY,
        position bigint NOT NULL
      )`,
    })
  })
}
