import type { ConnectionOptions } from 'node:tls'
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
   * `postgres://user:password@host:5432/database`, or the path of a socket; may point to a pooler. Required: an empty
   * or other text is refused.
   */
  readonly connectionString: string
  /** TLS options of `pg`; they override the parameters in the address. */
  readonly ssl?: boolean | ConnectionOptions | undefined
  /** Most connections for calls. Default: 10. Listening takes one more. */
  readonly maxConnections?: number | undefined
  /** Longest wait for a connection, in milliseconds. Default: 10,000. */
  readonly connectTimeout?: number | undefined
  /**
   * Longest time for a statement on the server, in milliseconds; 0 for no limit. Default: 30,000. A connection without
   * a response after 5,000 ms more, or after twice the time if that is less, counts as lost.
   */
  readonly statementTimeout?: number | undefined
}

/**
 * The database: an address for connections with `pg`, a pool of the host, or another driver. Exactly one of the three.
 */
export type PostgresAddress =
  | (OwnAddress & {
      /** Absent with `connectionString`. */
      readonly pool?: undefined
      /** Absent with `connectionString`. */
      readonly driver?: undefined
    })
  | {
      /**
       * A pool of `pg` or of a compatible package. The host sets its timeouts, handles its `error` events and closes
       * it. Listening takes another connection with the pool's options.
       */
      readonly pool: PostgresPool
      /** Absent with `pool`. */
      readonly connectionString?: undefined
      /** Absent with `pool`. */
      readonly driver?: undefined
    }
  | {
      /** A driver such as `postgresJs(sql)` or `pgLite(db)`. It sets its own timeouts. */
      readonly driver: PostgresDriver
      /** Absent with `driver`. */
      readonly connectionString?: undefined
      /** Absent with `driver`. */
      readonly pool?: undefined
    }

/** Options of `openPostgres`. */
export type PostgresOptions = PostgresAddress & {
  /**
   * Schema of all tables. Default: `claviger`. 1 to 54 ASCII letters, digits, `_` or `-`, beginning with a letter or
   * `_`, not with `pg_`; case-sensitive. Several schemas in one database are independent.
   */
  readonly schema?: string | undefined
  /** `false` does not change the tables, for a role that may not create any. Default: brings them up to date. */
  readonly migrate?: boolean | undefined
  /**
   * Keeps the views `role_holder` and `permission_holder` in the schema: which users have which roles and permissions
   * now, for joins and row level security. The read model's rows are then written in the transaction that records
   * events. The views are empty while the read model is behind, as after a write of a process without this option.
   * Default: `false`.
   */
  readonly views?: boolean | undefined
  /**
   * Address of the server itself, if the other address is of a pooler in transaction mode, which cannot listen.
   * Default: the other address.
   */
  readonly listenConnectionString?: string | undefined
  /**
   * A streaming-replication standby of the same database for eventual reads: its address or a pool. The primary serves
   * strong reads. It also serves eventual reads while the standby is unavailable, is no longer a standby, or is behind
   * earlier results of this process.
   */
  readonly replica?: PostgresAddress | undefined
  /** Aborts opening, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/** @throws TypeError when an option is missing, unknown or of a wrong type */
export const checkPostgresOptions = (options: PostgresOptions): void => {
  const { required, optional } = addressChecks(options)
  checkOptions('openPostgres', typeof options === 'object' ? options : {}, {
    required,
    optional: {
      ...optional,
      schema: ANY,
      migrate: BOOLEAN,
      views: BOOLEAN,
      listenConnectionString: options?.driver
        ? [() => false, 'must be absent with a driver']
        : ADDRESS,
      replica: OBJECT,
      signal: ANY,
    },
  })
  const { replica } = options
  if (replica === undefined) return
  checkOptions('replica', replica, { ...addressChecks(replica), prefix: 'replica.' })
}

/** Checks of the options of an address. A pool or a driver of the host has its own settings. */
export const addressChecks = (
  address: PostgresAddress,
): {
  readonly required: Readonly<Record<string, OptionCheck>>
  readonly optional: Readonly<Record<string, OptionCheck>>
} => {
  const checks = {
    pool: withMethods(['connect'], 'must be a pg.Pool'),
    driver: withMethods(['connect'], 'must be a PostgresDriver'),
    ssl: ANY,
    maxConnections: NUMBER,
    connectTimeout: NUMBER,
    statementTimeout: NUMBER,
  }
  const host = (['driver', 'pool'] as const).find(
    (name) => typeof address?.[name]?.connect === 'function',
  )
  if (host === undefined) return { required: { connectionString: ADDRESS }, optional: checks }
  const absent: OptionCheck = [() => false, `must be absent with a ${host}`]
  const others = ['connectionString', ...Object.keys(checks)].map((name) => [name, absent] as const)
  return { required: {}, optional: { ...Object.fromEntries(others), [host]: ANY } }
}

/** Whether `pg` can parse `text`. For any other text it would use a default host. */
const isAddress = (text: string): boolean => {
  // The path of a socket.
  if (text.startsWith('/')) return true
  try {
    // As `pg` does: spaces and lone percent signs are encoded; the host may be missing after a password.
    const isRaw = / |%[^\da-f]|%[\da-f][^\da-f]/i.test(text)
    const encoded = isRaw ? encodeURI(text).replace(/%25(\d\d)/g, '%$1') : text
    decodeURIComponent(encoded.replace(/\?.*/s, ''))
    return /^[a-z][\w+.-]*:\//i.test(text) && URL.canParse(encoded.replace('@/', '@host/'))
  } catch {
    return false
  }
}

/** The message never shows the address, which may have a password. */
const ADDRESS: OptionCheck = [
  (value) => isAddress(String(value)),
  'must be a URL such as postgres://host/database',
]

/** The parameters of an address that concern TLS. */
const TLS = /(?<=\?(.*&)?)(ssl|uselibpqcompat)[^&]*/g

/** The address without the parameters of TLS, which may name files. */
export const withoutTls = (connectionString: string): string => connectionString.replace(TLS, '')
