import type { ConnectionOptions } from 'node:tls'
import type { Client } from 'pg'
import {
  ANY,
  BOOLEAN,
  checkOptions,
  NUMBER,
  OBJECT,
  type OptionCheck,
  withMethods,
} from '../../check-options.js'
import type { PostgresDriver, PostgresPool } from './driver.js'

/** The address of a server. */
export interface OwnAddress {
  /**
   * `postgres://user:password@host:5432/database`, or the path of a socket; may point to a pooler.
   * There is no default: an empty or other text is refused.
   */
  readonly connectionString: string
  /** TLS, as `pg` takes it; overrides the parameters of the addresses. */
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

/**
 * Where the database is: our own connections, made by `pg`; those of a pool of the host; or those of another driver. One of
 * the three.
 */
export type PostgresAddress =
  | (OwnAddress & {
      /** Absent beside `connectionString`. */
      readonly pool?: undefined
      /** Absent beside `connectionString`. */
      readonly driver?: undefined
    })
  | {
      /**
       * A pool of `pg`, or of a package that has such pools. The host sets its timeouts, handles its `error` events and
       * closes it. Listening takes another connection, made with its options.
       */
      readonly pool: PostgresPool
      /** Absent beside `pool`. */
      readonly connectionString?: undefined
      /** Absent beside `pool`. */
      readonly driver?: undefined
    }
  | {
      /** Such as `postgresJs(sql)` or `pgLite(db)`. It sets its own timeouts. */
      readonly driver: PostgresDriver
      /** Absent beside `driver`. */
      readonly connectionString?: undefined
      /** Absent beside `driver`. */
      readonly pool?: undefined
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
   * A standby of the same database, by streaming replication, for eventual reads: its own address, or a pool. The
   * primary answers strong reads. It also answers eventual reads while the standby is away, is no longer a standby, or
   * is behind what this process has answered before.
   */
  readonly replica?: PostgresAddress | undefined
  /** Ends the opening, which rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined
}

/**
 * @param client - checks addresses, which are checked less without it
 * @throws TypeError that names an option which is missing, unknown or of a wrong type
 */
export const checkPostgresOptions = (
  options: PostgresOptions,
  client: typeof Client | undefined,
): void => {
  const url = urlCheck(client)
  const { required, optional } = addressChecks(options, url)
  checkOptions('openPostgres', typeof options === 'object' ? options : {}, {
    required,
    optional: {
      ...optional,
      schema: ANY,
      migrate: BOOLEAN,
      listenConnectionString: options?.driver ? [() => false, 'must be absent with a driver'] : url,
      replica: OBJECT,
      signal: ANY,
    },
  })
  const { replica } = options
  if (replica === undefined) return
  checkOptions('replica', replica, { ...addressChecks(replica, url), prefix: 'replica.' })
}

/** Checks of the options of an address. A pool or a driver of the host has its own settings. */
export const addressChecks = (
  address: PostgresAddress,
  url = urlCheck(undefined),
): {
  readonly required: Readonly<Record<string, OptionCheck>>
  readonly optional: Readonly<Record<string, OptionCheck>>
} => {
  const isOfHost = isConnectable(address?.pool) || isConnectable(address?.driver)
  return {
    required: isOfHost ? {} : { connectionString: url },
    optional: {
      ...(isOfHost && { connectionString: ANY }),
      pool: ANY,
      driver: address?.pool ? ANY : withMethods(['connect'], 'must be a PostgresDriver'),
      ssl: ANY,
      maxConnections: isOfHost ? ANY : NUMBER,
      connectTimeout: isOfHost ? ANY : NUMBER,
      statementTimeout: isOfHost ? ANY : NUMBER,
    },
  }
}

const isConnectable = (value: { readonly connect?: unknown } | undefined): boolean =>
  typeof value?.connect === 'function'

/** A URL, or the path of a socket. For any other text the driver would use a default host. */
const ADDRESS = /^([a-z][\w+.-]*:)?\//i

/** The message never shows the address, which may have a password. */
const urlCheck = (client: typeof Client | undefined): OptionCheck => [
  (value) => {
    if (!ADDRESS.test(String(value))) return false
    if (client === undefined) return true
    try {
      // The driver cannot parse an address of several hosts.
      new client({ connectionString: withoutTls(String(value)) })
      return true
    } catch {
      return false
    }
  },
  'must be a URL such as postgres://host/database',
]

/** The parameters of an address that concern TLS. */
const TLS = /(?<=\?(.*&)?)(ssl|uselibpqcompat)[^&]*/g

/** The address without the parameters of TLS, which may name files. */
export const withoutTls = (connectionString: string): string => connectionString.replace(TLS, '')
