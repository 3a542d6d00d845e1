import type { Pool, PoolClient } from 'pg'
import { isRequiredText } from '../../../domain/values.js'
import type { KnownEvent } from '../../../ports/known-event.js'
import type { Projection } from '../../../ports/projection.js'
import { readEvents } from '../../../projections/events/read-events.js'
import { checkNames } from '../../store/check-options.js'
import { POOL_OF_HOST, poolConnections } from '../connection/connections.js'
import { projectionCheckpoints } from './projection-checkpoints.js'

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
