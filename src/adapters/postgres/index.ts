import type { EventCount, EventRestore, EventStore } from '../../ports/event-store.js'
import type { ReadModel } from '../../ports/read-model.js'
import { bringToHead } from '../store/bring-to-head.js'
import { connectionsOf } from './connection/connections.js'
import { requireServer } from './connection/require-server.js'
import { appendWithRows } from './log/append-with-rows.js'
import { postgresEventStore } from './log/event-store.js'
import { notificationsOn } from './log/notifications.js'
import { checkPostgresOptions, type PostgresOptions } from './options.js'
import { ownEvents } from './own-events.js'
import { openDriver } from './pg.js'
import { postgresReadModel, replicatedReadModel, standbyReads } from './read-model.js'
import { channelOf, migrate, quotedSchema, requireMigrated } from './schema.js'

export { type InTransaction, InTransactionFailed, StoreFault } from '../../ports/event-store.js'
export { InvalidAppend, InvalidRestore } from '../store/record-events.js'
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
export {
  type PgLite,
  type PgLiteQueries,
  type PgLiteTypes,
  type PostgresJs,
  type PostgresJsQueries,
  type PostgresJsRows,
  type PostgresJsState,
  pgLite,
  postgresJs,
  postgresJsNotice,
} from './driver.js'
export { inTransaction, type PostgresClient } from './log/in-transaction.js'
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

/** An open schema of a PostgreSQL database. */
export interface Postgres {
  /** The event store, for `createIam`, `copyEvents` and `verify`. */
  readonly store: EventStore & EventRestore & EventCount
  /** The read model, in tables next to the events; shared by all processes. */
  readonly readModel: ReadModel
  /**
   * Brings the tables up to date, like opening without `migrate: false`. Many processes may call it at once. Rejects
   * with {@link UnusableDatabase} if a newer version of this library made them.
   */
  readonly migrate: (options?: {
    /** Ends the wait, which rejects with the signal's reason; a migration that has begun continues. */
    readonly signal?: AbortSignal | undefined
  }) => Promise<void>
  /** The server and the driver, such as `PostgreSQL 18.4` and `pg`. */
  readonly engine: {
    /** Name and version of the server when it was opened. */
    readonly server: string
    /** Name of the driver. */
    readonly driver: string
  }
  /** Closes the library's own connections; a pool of the host stays open. Later calls reject. */
  readonly close: () => Promise<void>
  /** `close`, for `await using`. */
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/**
 * Opens a schema of a PostgreSQL database, version 14 or later, and creates its tables unless `migrate` is `false`. Any
 * number of processes may open it.
 *
 * Completed writes are on the server's disk and on its synchronous standbys.
 *
 * Rejects with {@link UnusableDatabase}; with {@link StoreFault} if the server cannot be reached or a pool has no free
 * connection; with a `TypeError` unless exactly one of address, pool and driver is given, or if an option is unknown, of
 * a wrong type, or only for another of the three; with a `RangeError` if `schema` is not a valid name; with an `Error` if
 * an address needs `pg`, which is not installed; with the reason of `signal` when it aborts.
 */
export const openPostgres = async (options: PostgresOptions): Promise<Postgres> => {
  checkPostgresOptions(options)
  const { schema = 'claviger', views = false, replica, signal, listenConnectionString } = options
  const quoted = quotedSchema(schema)
  const driver = await openDriver(options, { listenConnectionString })
  const connections = connectionsOf(driver)
  const standby = replica && connectionsOf(await openDriver(replica, { isReplica: true }), true)
  const notifications = notificationsOn({ connections, driver, channel: channelOf(schema) })
  const close = async () => {
    await Promise.all([notifications.close(), connections.close(), standby?.close()])
  }
  let server = ''
  const prepare = async () => {
    server = await requireServer(connections.read)
    if (options.migrate === false) await requireMigrated(connections, schema, { views })
    else await migrate(connections, schema, { views })
  }
  try {
    await untilAbort(prepare, signal)
  } catch (error) {
    // Not awaited: after an abort, closing may take long.
    close().catch(() => undefined)
    throw error
  }
  const withRows = views
    ? appendWithRows(connections, quoted, () => bringToHead(store, primary))
    : undefined
  const own = ownEvents()
  const store = postgresEventStore(connections, quoted, notifications, { withRows, own })
  const primary: ReadModel = postgresReadModel(connections, quoted, store, own)
  return {
    store,
    readModel: standby
      ? replicatedReadModel({ store, primary, standby: standbyReads(standby, quoted) })
      : primary,
    engine: { server, driver: driver.name ?? 'unknown' },
    migrate: ({ signal } = {}) => untilAbort(() => migrate(connections, schema, { views }), signal),
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
    // A signal may exist as long as the program, and keep its listeners.
    work()
      .then(resolve, reject)
      .finally(() => signal?.removeEventListener('abort', onAbort))
  })
