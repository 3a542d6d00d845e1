import type { Pool, PoolClient } from 'pg'
import { isRequiredText } from '../../../domain/values.js'
import type { KnownEvent } from '../../../ports/known-event.js'
import type { Projection } from '../../../ports/projection.js'
import { readEvents } from '../../../projections/events/read-events.js'
import { POOL_OF_HOST, poolConnections } from '../connection/connections.js'
import { projectionCheckpoints } from './projection-checkpoints.js'

/** What a projection into tables of the host is made of. */
export interface PostgresProjectionOptions {
  /** Leads to the database of the rows. It stays the host's, and its `error` events with it. */
  readonly pool: Pool
  /** Names the projection and its checkpoint: 1 to 200 characters (code points). Another name begins at the first event. */
  readonly name: string
  /**
   * Changes the rows as `events` say: at least one, in their newest versions, lowest position first. Uses `client`
   * alone, which is in a transaction: READ COMMITTED, ended by the server when it is idle for 20 seconds.
   * Leaves begin, commit and rollback to the projection.
   */
  readonly apply: (client: PoolClient, events: readonly KnownEvent[]) => Promise<unknown>
  /** Empties the rows, when the projection is reset; in the same transaction. They stay when it is absent. */
  readonly reset?: ((client: PoolClient) => Promise<unknown>) | undefined
  /** Holds the checkpoints, in the table `projection_checkpoint`; `claviger` when absent. As of `openPostgres`. */
  readonly schema?: string | undefined
}

/**
 * A projection into tables of the host: its rows and its checkpoint change in one transaction, so every event
 * counts once, whatever is lost in between and however many processes run it. The table of the checkpoints
 * is made when it is missing.
 *
 * What `apply` throws is its refusal of an event, unless the connection was lost or the server was at fault;
 * then `iam.run` tries again.
 *
 * @throws TypeError naming an option that is missing, unknown or not what it is to be
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
        await demandKept(client)
        return true
      })
    },
    reset: async () => {
      await checkpoints.prepare()
      await connections.transaction(async (connection, client) => {
        await checkpoints.reset(connection, name)
        await options.reset?.(client)
        await demandKept(client)
      })
    },
  }
}

/**
 * Holds that all can be committed: what the database would refuse only then, it refuses here, as what the host
 * did. A commit after a failed statement would undo everything without a word.
 */
const demandKept = async (client: PoolClient): Promise<void> => {
  await client.query('SET CONSTRAINTS ALL IMMEDIATE')
}

const OPTIONS = ['pool', 'name', 'apply', 'reset', 'schema']

const checkOptions = (options: PostgresProjectionOptions): void => {
  const unknown = Object.keys(options ?? {}).find((option) => !OPTIONS.includes(option))
  if (unknown !== undefined) throw new TypeError(`${unknown} is not a known option`)
  if (typeof options?.pool?.connect !== 'function') throw new TypeError('pool must be a pg.Pool')
  if (!isRequiredText(options.name)) throw new TypeError('name must be 1 to 200 characters of text')
  if (typeof options.apply !== 'function') throw new TypeError('apply must be a function')
  if (options.reset !== undefined && typeof options.reset !== 'function')
    throw new TypeError('reset must be a function')
}
