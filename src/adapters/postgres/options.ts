import type { ConnectionOptions } from 'node:tls'
import type { Pool } from 'pg'

/** Where the database is: our own connections, or those of a pool of the host. */
export type PostgresAddress =
  | {
      /**
       * `postgres://user:password@host:5432/database`, or the path of a socket; may point to a pooler.
       * There is no default: an empty or other text is refused.
       */
      readonly connectionString: string
      /** Not with an address. */
      readonly pool?: undefined
      /** TLS, as the driver takes it; overrides the parameters of the addresses. */
      readonly ssl?: boolean | ConnectionOptions | undefined
      /** Most connections for calls; 10 when absent. Listening takes one more. */
      readonly maxConnections?: number | undefined
      /** Longest wait for a connection, in milliseconds; 10,000 when absent. */
      readonly connectTimeout?: number | undefined
      /**
       * Longest time that the server works on a statement, in milliseconds; 30,000 when absent, 0 for no
       * limit. A server that is silent for 5,000 ms longer, or twice as long if that is less, counts as lost.
       */
      readonly statementTimeout?: number | undefined
    }
  | {
      /**
       * A pool of the host, which sets its timeouts, handles its `error` events and closes it. Listening takes
       * another connection, made with its options.
       */
      readonly pool: Pool
      /** Not with a pool. */
      readonly connectionString?: undefined
    }

/** Where a standby of the database is. */
export type ReplicaOptions = PostgresAddress & {
  /**
   * Longest time that a read waits for the standby to have what it must show, in milliseconds; 500 when absent. Then
   * the primary answers.
   */
  readonly maxWait?: number | undefined
}

/** How a database is used. */
export type PostgresOptions = PostgresAddress & {
  /**
   * Schema of all tables; `claviger` when absent. Tenants may have a schema each. 1 to 54 letters of
   * ASCII, digits, `_` or `-`, beginning with a letter or `_`, not with `pg_`; case counts.
   */
  readonly schema?: string | undefined
  /** `false` leaves the tables as they are, for a role that may not create any; otherwise they are brought up to date. */
  readonly migrate?: boolean | undefined
  /**
   * Address of the server itself, where the other address is of a pooler that shares connections by
   * transaction: such a pooler cannot listen. The other address when absent.
   */
  readonly listenConnectionString?: string | undefined
  /**
   * A standby of the same database, by streaming replication, that reads go to; an address of its own, or a pool. It need
   * not be there: while it is away, behind for longer than `maxWait`, or no standby any more, the primary answers.
   */
  readonly replica?: ReplicaOptions | undefined
  /** Ends the opening, which rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined
}
