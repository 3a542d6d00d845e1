/** A row: its columns in order, each as PostgreSQL's text. */
export type PostgresRow = readonly (string | null)[]

/** A statement for a driver. */
export interface PostgresStatement {
  /** Without values it may be several statements, whose rows are ignored. */
  readonly text: string
  /** The values of `$1` and so on, as PostgreSQL's text; arrays such as `{1,2}`. The server infers their types. */
  readonly values: readonly (string | null)[]
  /** Name for preparing the statement: one name for one text, at most 63 bytes. A driver may ignore it. */
  readonly name?: string
}

/** A session of the server. */
export interface PostgresSession {
  /** The process id that the server reported when the session began. Behind a pooler it is a different one. */
  readonly process?: number
}

/** A connection for one call until it is released. */
export interface PostgresConnection {
  /**
   * Runs a statement. It rejects with the driver's error, with an SQLSTATE in `code` if the server refused the
   * statement. Without an SQLSTATE, the connection counts as lost and a write has an unknown outcome.
   *
   * Transactions begin with a text that begins with `BEGIN`, and end with the text `COMMIT` or `ROLLBACK`. A `ROLLBACK`
   * without a transaction succeeds.
   */
  rows(statement: PostgresStatement): Promise<readonly PostgresRow[]>
  /** Ends the use. A broken connection must not be used again, and may be in a transaction. */
  release(isBroken: boolean): unknown
  /**
   * Returns the session that ran the last statement: the same object for the same session; undefined before the first
   * statement if each statement outside a transaction may go to another session. Without this method, all statements go
   * to one session, and the library checks at each `connect` whether the server is a standby.
   */
  session?(): PostgresSession | undefined
}

/** The part of a `pg` pool, or of a compatible one, that the library uses. */
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

/** The part of such a pool's client that the library uses. */
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
 * A driver of PostgreSQL. `openPostgres` has one for the package `pg`; {@link postgresJs} and {@link pgLite} make one
 * from your client.
 */
export interface PostgresDriver {
  /** Name for messages, such as `pg`. */
  readonly name?: string
  /**
   * Returns a connection as soon as one is free.
   *
   * @param onNotice - called with notices of the server, such as the one that it stopped waiting for a synchronous
   *   standby
   */
  connect(onNotice: (notice: unknown) => void): Promise<PostgresConnection>
  /**
   * Listens to a channel on a separate connection. Without this method, subscribers poll for new events every second.
   *
   * @param wake - called at each notification, and when some may have been missed
   * @param lost - called when it no longer listens; the library then calls `listen` again
   * @returns a function that ends it
   */
  listen?(channel: string, wake: () => void, lost: () => void): Promise<() => unknown>
  /** Closes its connections; absent if the host does. */
  close?(): Promise<void>
}
