import type { Pool, PoolClient } from 'pg'
import { isRequiredText } from '../../../domain/values.js'
import type { Position } from '../../../ports/event-store.js'
import type { KnownEvent } from '../../../ports/known-event.js'
import type { Projection } from '../../../ports/projection.js'
import { readEvents } from '../../../projections/read-events.js'
import { checkNames } from '../../store/check-options.js'
import type { Connection, Statement } from '../connection/connection.js'
import { type Connections, POOL_OF_HOST, poolConnections } from '../connection/connections.js'
import { createSchema, lockTables, quotedSchema } from '../schema.js'

/** Options of a projection into tables of the host. */
export interface PostgresProjectionOptions {
  /** A pool for the database of the rows. The host closes it and handles its `error` events. */
  readonly pool: Pool
  /** Names the projection and its checkpoint: 1 to 200 characters (code points). Another name begins at the first event. */
  readonly name: string
  /**
   * Applies `events` to the rows: at least one, in their newest versions, lowest position first. It must use
   * `client` alone, in whose transaction it runs: READ COMMITTED, ended by the server after 20 idle seconds. It must
   * not begin, commit or roll back.
   */
  readonly apply: (client: PoolClient, events: readonly KnownEvent[]) => Promise<unknown>
  /** Deletes the rows when the projection is reset, in the same transaction. When absent, they stay. */
  readonly reset?: ((client: PoolClient) => Promise<unknown>) | undefined
  /** Schema of the table `projection_checkpoint`; `claviger` when absent. As of `openPostgres`. */
  readonly schema?: string | undefined
}

/**
 * A projection into tables of the host: its rows and its checkpoint change in one transaction, so every event
 * counts once, also after a crash and with any number of processes. The table of the checkpoints is made when
 * it is missing.
 *
 * When `apply` throws, it refuses an event, unless the connection was lost or the server was at fault; then
 * `iam.run` tries again.
 *
 * @throws TypeError naming an option that is missing, unknown or of a wrong type
 * @throws RangeError when `schema` is no name for a schema
 */
export const postgresProjection = (options: PostgresProjectionOptions): Projection => {
  checkOptions(options)
  const { pool, name, schema = 'claviger' } = options
  const connections = poolConnections(pool, POOL_OF_HOST)
  const checkpoints = projectionCheckpoints(connections, schema)
  return {
    name,
    checkpoint: async () => {
      await checkpoints.prepare()
      const [row] = await connections.read(checkpoints.read(name))
      return BigInt(row?.[0] ?? 0)
    },
    apply: async (from, events) => {
      const known = readEvents(events)
      const to = known.at(-1)?.position ?? from
      await checkpoints.prepare()
      return connections.transaction(async (connection, client) => {
        if (!(await checkpoints.move(connection, name, { from, to }))) return false
        if (known.length > 0) await options.apply(client, known)
        await demandCommittable(client)
        return true
      })
    },
    reset: async () => {
      await checkpoints.prepare()
      await connections.transaction(async (connection, client) => {
        await checkpoints.reset(connection, name)
        await options.reset?.(client)
        await demandCommittable(client)
      })
    },
  }
}

/**
 * Checks deferred constraints now, so that a violation counts as an error of the host and not of the commit. It also
 * fails after a failed statement, where a commit would roll back silently.
 */
const demandCommittable = async (client: PoolClient): Promise<void> => {
  await client.query('SET CONSTRAINTS ALL IMMEDIATE')
}

const OPTIONS = ['pool', 'name', 'apply', 'reset', 'schema']

const checkOptions = (options: PostgresProjectionOptions): void => {
  checkNames('postgresProjection', options ?? {}, OPTIONS)
  if (typeof options?.pool?.connect !== 'function') throw new TypeError('pool must be a pg.Pool')
  if (!isRequiredText(options.name)) throw new TypeError('name must be 1 to 200 characters of text')
  if (typeof options.apply !== 'function') throw new TypeError('apply must be a function')
  if (options.reset !== undefined && typeof options.reset !== 'function')
    throw new TypeError('reset must be a function')
}

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
