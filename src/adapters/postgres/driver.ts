/** A row in the order of its columns, each as the text that PostgreSQL writes. */
export type PostgresRow = readonly (string | null)[]

/** A statement for a driver. */
export interface PostgresStatement {
  /** Without values it may be several statements; the rows of those do not matter. */
  readonly text: string
  /** The values of `$1` and so on, as text that PostgreSQL reads; arrays such as `{1,2}`. The server finds their types. */
  readonly values: readonly (string | null)[]
  /** Of a statement that is worth preparing: one name for one text, at most 63 bytes. A driver may ignore it. */
  readonly name?: string
}

/** A session of the server. */
export interface PostgresSession {
  /** Its process, as the server named it when the session began. Behind a pooler it is another one. */
  readonly process?: number
}

/** A connection that a call has for itself until it is released. */
export interface PostgresConnection {
  /**
   * Runs a statement. It rejects with what the driver reports: with an SQLSTATE in `code` when the server refused the
   * statement. Without one the connection counts as lost, and a write as of unknown outcome.
   *
   * Transactions begin with a text that begins with `BEGIN`, and end with the text `COMMIT` or `ROLLBACK`. A `ROLLBACK`
   * without a transaction succeeds.
   */
  rows(statement: PostgresStatement): Promise<readonly PostgresRow[]>
  /** Ends the use. A broken connection must not be used again, and may be in a transaction. */
  release(isBroken: boolean): unknown
  /**
   * The session that answered last: the same object for the same session; undefined before the first answer where each
   * statement outside a transaction may go to another session. Without this method all statements go to one session,
   * and the server is asked at each `connect` whether it is a standby.
   */
  session?(): PostgresSession | undefined
}

/** What is used of a pool of `pg`, or of a package that has such pools. */
export interface PostgresPool {
  connect(): Promise<PostgresPoolClient>
  readonly options: {
    readonly max?: number | undefined
    readonly connectionTimeoutMillis?: number | undefined
  }
  readonly totalCount: number
  readonly idleCount: number
  readonly waitingCount: number
}

/** What is used of a client of such a pool. */
export interface PostgresPoolClient {
  query(statement: {
    text: string
    values: string[]
    rowMode: 'array'
    types: { getTypeParser: () => (value: string) => string }
    name?: string
  }): Promise<{ readonly rows: unknown[] }>
  on(event: 'error', listener: (error: unknown) => void): unknown
  on(event: 'notice', listener: (notice: unknown) => void): unknown
  off(event: 'error' | 'notice', listener: (of: unknown) => void): unknown
  release(isBroken: boolean): void
}

/**
 * A driver of PostgreSQL. `openPostgres` has one for the package `pg`; {@link postgresJs} and {@link pgLite} make one of
 * what a host has.
 */
export interface PostgresDriver {
  /** For people, such as `pg`. */
  readonly name?: string
  /**
   * A connection, as soon as one is free.
   *
   * @param onNotice - is called with notices of the server, which say that it stopped waiting for a synchronous standby
   */
  connect(onNotice: (notice: unknown) => void): Promise<PostgresConnection>
  /**
   * Listens to a channel, on a connection of its own. Without this method subscribers look for new events every second.
   *
   * @param wake - is called at each notification, and when some may have been missed
   * @param lost - is called when it no longer listens; then it is called again
   * @returns a function that ends it
   */
  listen?(channel: string, wake: () => void, lost: () => void): Promise<() => unknown>
  /** Ends its connections; absent where the host does. */
  close?(): Promise<void>
}
