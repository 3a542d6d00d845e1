import type { EventCount, EventRestore, EventStore } from '../../ports/event-store.js'
import type { ReadModel } from '../../ports/read-model.js'
import { connectionsOf } from './connection/connections.js'
import { requireServer } from './connection/require-server.js'
import { loadPgFor, openDriver } from './drivers/open-driver.js'
import { clientOf } from './drivers/pg.js'
import { postgresEventStore } from './log/event-store.js'
import { notificationsOn } from './log/notifications.js'
import { checkPostgresOptions, type PostgresOptions } from './options.js'
import { postgresReadModel } from './read-model/read-model.js'
import { replicatedReadModel, standbyReads } from './replica.js'
import { channelOf, migrate, quotedSchema, requireMigrated } from './schema.js'

export { StoreFault } from '../../ports/event-store.js'
export { InvalidAppend, InvalidRestore } from '../store/check-append.js'
export { UnusableDatabase } from './connection/require-server.js'
export type {
  PostgresConnection,
  PostgresDriver,
  PostgresPool,
  PostgresPoolClient,
  PostgresRow,
  PostgresSession,
  PostgresStatement,
} from './driver.js'
export { type PgLite, type PgLiteQueries, type PgLiteTypes, pgLite } from './drivers/pglite.js'
export {
  type PostgresJs,
  type PostgresJsQueries,
  type PostgresJsRows,
  type PostgresJsState,
  postgresJs,
  postgresJsNotice,
} from './drivers/postgres-js.js'
export type { OwnAddress, PostgresAddress, PostgresOptions } from './options.js'
export {
  type PoolClientOf,
  type PostgresProjectionOptions,
  postgresProjection,
} from './projection.js'
export {
  type PostgresCursors,
  type PostgresCursorsOptions,
  postgresCursors,
} from './webhook-cursors.js'

/** A schema of a PostgreSQL database in use. */
export interface Postgres {
  /** For `createIam`, `copyEvents` and `verify`. */
  readonly store: EventStore & EventRestore & EventCount
  /** In tables beside the events; one for all processes. */
  readonly readModel: ReadModel
  /**
   * Brings the tables up to date, like opening without `migrate: false`. Many processes may do so at
   * once. Rejects with {@link UnusableDatabase} when a newer version of this library made them.
   */
  readonly migrate: (options?: {
    /** Ends the wait, which rejects with its reason; a migration that was begun goes on. */
    readonly signal?: AbortSignal | undefined
  }) => Promise<void>
  /** What it runs on: such as `PostgreSQL 18.4` when it was opened, and `pg`. */
  readonly engine: {
    /** Name and version of the server. */
    readonly server: string
    /** Name of the driver. */
    readonly driver: string
  }
  /** Ends our own connections; a pool of the host stays open. Every later call rejects. */
  readonly close: () => Promise<void>
  /** `close`, for `await using`. */
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/**
 * Opens a schema of a PostgreSQL database, version 14 or later, and creates its tables unless `migrate` is
 * `false`. Any number of processes may have it open.
 *
 * Appends that were answered are on the server's disk, and on its synchronous standbys.
 *
 * Rejects with {@link UnusableDatabase}; with {@link StoreFault} when the server cannot be reached or a pool has no
 * free connection; with a `TypeError` when there is no address, pool or driver, or another option is unknown
 * or of a wrong type; with a `RangeError` when `schema` is not a valid name; with an `Error` when an address needs `pg`,
 * which is not installed; with the reason of `signal` once that aborts.
 */
export const openPostgres = async (options: PostgresOptions): Promise<Postgres> => {
  const pg = await loadPgFor(options ?? {}, options?.replica)
  checkPostgresOptions(options, pg?.Client ?? (options.pool && clientOf(options.pool)))
  const { schema = 'claviger', replica, signal, listenConnectionString } = options
  const quoted = quotedSchema(schema)
  const driver = openDriver(options, pg, { listenConnectionString })
  const connections = connectionsOf(driver)
  const standby = replica && connectionsOf(openDriver(replica, pg, { isReplica: true }), true)
  const notifications = notificationsOn({ connections, driver, channel: channelOf(schema) })
  const close = async () => {
    await Promise.all([notifications.close(), connections.close(), standby?.close()])
  }
  let server = ''
  const prepare = async () => {
    server = await requireServer(connections.read)
    if (options.migrate === false) await requireMigrated(connections, schema)
    else await migrate(connections, schema)
  }
  try {
    await untilAbort(prepare, signal)
  } catch (error) {
    // Not awaited: after an abort, closing may take long.
    void close()
    throw error
  }
  const store = postgresEventStore(connections, quoted, notifications)
  const primary = postgresReadModel(connections, quoted, store)
  return {
    store,
    readModel: standby
      ? replicatedReadModel({ store, primary, standby: standbyReads(standby, quoted) })
      : primary,
    engine: { server, driver: driver.name ?? 'unknown' },
    migrate: ({ signal } = {}) => untilAbort(() => migrate(connections, schema), signal),
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** Runs `work`; rejects with the reason of `signal` when that aborts first. */
const untilAbort = (work: () => Promise<void>, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const onAbort = () => reject(signal?.reason)
    if (signal?.aborted) return onAbort()
    signal?.addEventListener('abort', onAbort, { once: true })
    // A signal may live as long as the program, and keep its listeners.
    work()
      .then(resolve, reject)
      .finally(() => signal?.removeEventListener('abort', onAbort))
  })
