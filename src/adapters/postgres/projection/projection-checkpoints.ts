import type { Position } from '../../../ports/event-store.js'
import type { Connection, Statement } from '../connection/connection.js'
import type { Connections } from '../connection/connections.js'
import { ownTable } from './own-table.js'

/** The checkpoints of projections, a row for each, in a table that is made when it is missing. */
export const projectionCheckpoints = (connections: Connections, schema: string) => {
  const { table, prepare } = ownTable(connections, {
    schema,
    name: 'projection_checkpoint',
    columns: 'name text COLLATE "C" PRIMARY KEY, position bigint NOT NULL',
  })
  return {
    /** Makes the table; to be awaited before all else. */
    prepare,
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
