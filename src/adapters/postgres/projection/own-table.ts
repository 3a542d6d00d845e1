import type { Connections } from '../connection/connections.js'
import { createSchema, lockTables } from '../migrations.js'
import { quotedSchema } from '../schema-name.js'

/** A table that is made when it is missing, beside those of the log. */
export interface OwnTable {
  readonly schema: string
  readonly name: string
  /** What stands between the parentheses of `CREATE TABLE`. */
  readonly columns: string
}

/**
 * The table with its schema, quoted, and what makes it: to be awaited before all else. Needs the right to create it
 * only when it is missing; many processes may do so at once.
 */
export const ownTable = (connections: Connections, { schema, name, columns }: OwnTable) => {
  const table = `${quotedSchema(schema)}.${name}`
  const create = async (): Promise<void> => {
    const [found] = await connections.read({
      text: `SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
        WHERE nspname = $1 AND relname = $2`,
      values: [schema, name],
    })
    if (found !== undefined) return
    await connections.transaction(async (connection) => {
      await lockTables(connection, schema)
      await createSchema(connection, schema)
      await connection.rows({ text: `CREATE TABLE IF NOT EXISTS ${table} (${columns})` })
    })
  }
  let prepared: Promise<void> | undefined
  const prepare = (): Promise<void> => {
    prepared ??= create().catch((error) => {
      prepared = undefined
      throw error
    })
    return prepared
  }
  return { table, prepare }
}
