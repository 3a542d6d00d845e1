import { ANY, checkOptions, FUNCTION, withMethods } from '../../check-options.js'
import { isRequiredText } from '../../domain/values.js'
import type { Position } from '../../ports/event-store.js'
import type { KnownEvent } from '../../ports/known-event.js'
import type { Projection } from '../../ports/projection.js'
import { readEvents } from '../../projections/read-events.js'
import type { Connection } from './connection/connection.js'
import { BEGIN_FOR_HOST, connectionsOf, requireCommittable } from './connection/connections.js'
import type { PostgresPool } from './driver.js'
import { poolDriver } from './pg.js'
import { ownTable } from './schema.js'

/** The clients of a pool. */
export type PoolClientOf<Pool> = Pool extends {
  connect: { (): Promise<infer Client>; (...callback: never): unknown }
}
  ? Client
  : never

/** Options of a projection into your own tables. */
export interface PostgresProjectionOptions<Pool extends PostgresPool = PostgresPool> {
  /** A pool for the database of your tables. The host closes it and handles its `error` events. */
  readonly pool: Pool
  /**
   * Name of the projection and its checkpoint: 1 to 200 characters (code points). A new name begins at the first event.
   */
  readonly name: string
  /**
   * Applies `events` to your tables: at least one, in their newest versions, lowest position first. Use only `client`,
   * which is in a transaction: READ COMMITTED, ended by the server after 20 idle seconds. Do not begin, commit or roll
   * back.
   */
  readonly apply: (client: PoolClientOf<Pool>, events: readonly KnownEvent[]) => Promise<unknown>
  /** Deletes your rows when the projection is reset, in the same transaction. Default: keeps them. */
  readonly reset?: ((client: PoolClientOf<Pool>) => Promise<unknown>) | undefined
  /** Schema of the table `projection_checkpoint`. Default: `claviger`. See `openPostgres`. */
  readonly schema?: string | undefined
}

/**
 * Creates a projection into your own tables. Rows and checkpoint change in one transaction, so every event is applied
 * exactly once, even after a crash and with any number of processes.
 *
 * Creates the table of checkpoints if it is missing. An error of `apply` ends `iam.run`, unless the connection was lost
 * or the server was at fault: then it tries again.
 *
 * @throws TypeError when an option is missing, unknown or of a wrong type
 * @throws RangeError when `schema` is not a valid name for a schema
 */
export function postgresProjection<Pool extends PostgresPool>(
  options: PostgresProjectionOptions<Pool>,
): Projection
export function postgresProjection(options: PostgresProjectionOptions): Projection {
  checkOptions('postgresProjection', options, {
    required: {
      pool: withMethods(['connect'], 'must be a pg.Pool'),
      name: [isRequiredText, 'must be 1 to 200 characters of text'],
      apply: FUNCTION,
    },
    optional: { reset: FUNCTION, schema: ANY },
  })
  const { pool, name, schema = 'claviger' } = options
  const connections = connectionsOf(poolDriver(pool))
  const { table, prepare } = ownTable(
    connections,
    schema,
    'projection_checkpoint',
    'name text COLLATE "C" PRIMARY KEY, position bigint NOT NULL',
  )

  /** Moves the checkpoint and locks it until the transaction ends; false when it is not at `from`. */
  const move = async (connection: Connection, from: Position, to: Position): Promise<boolean> => {
    // Before the first event there may be no row.
    const text =
      from === 0n
        ? `INSERT INTO ${table} AS c (name, position) VALUES ($1, $2) ON CONFLICT (name)
           DO UPDATE SET position = excluded.position WHERE c.position = $3 RETURNING 1`
        : `UPDATE ${table} SET position = $2 WHERE name = $1 AND position = $3 RETURNING 1`
    const [moved] = await connection.rows({ text, values: [name, to, from] })
    return moved !== undefined
  }

  return {
    name,
    checkpoint: async () => {
      await prepare()
      const text = `SELECT position::text FROM ${table} WHERE name = $1`
      const [row] = await connections.read({ text, values: [name] })
      return BigInt(row?.[0] ?? 0)
    },
    apply: async (from, events) => {
      const known = readEvents(events)
      const to = known.at(-1)?.position ?? from
      await prepare()
      return connections.transaction(async (connection, lent) => {
        if (!(await move(connection, from, to))) return false
        if (known.length > 0) await options.apply(lent.client(), known)
        await requireCommittable(lent)
        return true
      }, BEGIN_FOR_HOST)
    },
    reset: async () => {
      await prepare()
      await connections.transaction(async (connection, lent) => {
        // Locks the checkpoint until the transaction ends.
        const text = `INSERT INTO ${table} (name, position) VALUES ($1, 0) ON CONFLICT (name)
          DO UPDATE SET position = 0`
        await connection.rows({ text, values: [name] })
        await options.reset?.(lent.client())
        await requireCommittable(lent)
      }, BEGIN_FOR_HOST)
    },
  }
}
