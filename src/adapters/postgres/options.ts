import type { ConnectionOptions } from 'node:tls'
import type { Pool } from 'pg'

/** Where the database is: connections of our own, or those of a pool of the host. */
export type PostgresAddress =
  | {
      /**
       * `postgres://user:password@host:5432/database`, or the path of a socket; may point to a pooler.
       * It is never made up: what is empty or neither is refused.
       */
      readonly connectionString: string
      /** Only without an address. */
      readonly pool?: undefined
      /** TLS, as the driver takes it; beats all that the addresses say of it. */
      readonly ssl?: boolean | ConnectionOptions | undefined
      /** Most connections for calls; 10 when absent. Listening takes one more. */
      readonly maxConnections?: number | undefined
      /** Longest wait for a connection, in milliseconds; 10,000 when absent. */
      readonly connectTimeout?: number | undefined
      /**
       * Longest that the server works on a statement, in milliseconds; 30,000 when absent, 0 for no
       * limit. A server that is silent for as long again, or for 5,000 ms more, counts as lost.
       */
      readonly statementTimeout?: number | undefined
    }
  | {
      /**
       * A pool of the host; it stays open, and its timeouts and its `error` events stay the host's.
       * Listening takes a connection beside it, made with its options.
       */
      readonly pool: Pool
      /** Only without a pool. */
      readonly connectionString?: undefined
    }

/** How a database is used. */
export type PostgresOptions = PostgresAddress & {
  /**
   * Holds all tables; `claviger` when absent. Tenants may have a schema each. 1 to 54 letters of
   * ASCII, digits, `_` or `-`, beginning with a letter or `_`, not with `pg_`; case counts.
   */
  readonly schema?: string | undefined
  /** `false` leaves the tables as they are, for a role that may not create any; otherwise they are made. */
  readonly migrate?: boolean | undefined
  /**
   * Leads to the server itself where the other address leads to a pooler that lends a connection for
   * one transaction: such a pooler cannot listen. The other address when absent.
   */
  readonly listenConnectionString?: string | undefined
  /** Ends the opening, which then rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined
}
