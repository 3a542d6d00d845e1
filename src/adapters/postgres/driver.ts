import { fieldOf } from '../../domain/values.js'
import { isAnswer } from './connection/faults.js'

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
  /**
   * Returns the driver's own client for statements of the host in the transaction that has begun. Without this method,
   * the store has no `inTransaction`.
   */
  client?(): unknown
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

/** The part of a database, inside or outside a transaction, that `pgLite` uses. */
export interface PgLiteQueries {
  query(text: string, values: unknown[], options: PgLiteTypes): Promise<{ rows: unknown[] }>
  exec(text: string, options: PgLiteTypes): Promise<{ rows: unknown[] }[]>
}

/** Rows as lists, and parsers by the number of a type. */
export interface PgLiteTypes {
  readonly rowMode: 'array'
  readonly parsers: Readonly<Record<number, (text: string) => string>>
}

/** The part of a database of `@electric-sql/pglite` that `pgLite` uses. */
export interface PgLite extends PgLiteQueries {
  transaction(work: (tx: PgLiteQueries) => Promise<void>): Promise<unknown>
  listen(channel: string, onNotify: () => void): Promise<() => Promise<void>>
}

const asIs = (text: string): string => text

/** `bigint` is the one type besides text that our statements select. */
const AS_TEXT: PgLiteTypes = { rowMode: 'array', parsers: { 20: asIs } }

const isQuery = (text: string): boolean => /^\s*SELECT\b/i.test(text)

/**
 * Each row as one JSON list of texts: PGlite drops U+FEFF from the beginning of a value. In JSON the names of columns may
 * repeat, and their order is kept.
 */
const inLists = (text: string): string =>
  `SELECT (SELECT pg_catalog.json_agg(value ORDER BY place) FROM pg_catalog.json_each_text(pg_catalog.row_to_json(found))
    WITH ORDINALITY AS each (key, value, place))::text FROM (${text}) AS found`

const listIn = (row: unknown): PostgresRow => JSON.parse((row as [string])[0])

/**
 * Creates a driver for PGlite, PostgreSQL inside the process; the host closes it. It has one session, so calls wait for
 * transactions of the host and vice versa.
 *
 * @example
 * ```ts
 * const opened = await openPostgres({ driver: pgLite(new PGlite()) })
 * ```
 */
export const pgLite = (db: PgLite): PostgresDriver => {
  const session: PostgresSession = {}
  return {
    name: 'PGlite',
    connect: async () => ({
      ...connectionByCallbacks<PgLiteQueries>({
        begin: (work) => db.transaction(work),
        rows: async ({ text, values }, within = db) => {
          if (values.length === 0 && !isQuery(text)) {
            const found = (await within.exec(text, AS_TEXT)).at(-1)
            return (found?.rows ?? []) as PostgresRow[]
          }
          const statement = isQuery(text) ? inLists(text) : text
          const { rows } = await within.query(statement, [...values], AS_TEXT)
          return isQuery(text) ? rows.map((row) => listIn(row)) : (rows as PostgresRow[])
        },
      }),
      session: () => session,
    }),
    listen: async (channel, wake) => {
      const unlisten = await db.listen(channel, wake)
      wake()
      return unlisten
    },
  }
}

/** The part of a postgres.js client that `postgresJs` uses. */
export interface PostgresJsQueries {
  unsafe(
    text: string,
    values?: (string | null)[],
    options?: { prepare?: boolean },
  ): { raw(): Promise<PostgresJsRows> }
}

/** Rows of bytes, and the session that found them. */
export type PostgresJsRows = Iterable<unknown> & { readonly state?: PostgresJsState }

/** The session, as the server named it. */
export type PostgresJsState = { readonly pid: number; readonly secret: number } | null | undefined

/** The part of `postgres(…)`, of the package `postgres`, that `postgresJs` uses. */
export interface PostgresJs extends PostgresJsQueries {
  begin(work: (sql: PostgresJsQueries) => Promise<void>): Promise<unknown>
  listen(
    channel: string,
    onNotify: () => void,
    onListen: () => void,
  ): Promise<{ unlisten(): Promise<unknown> }>
}

const END_SESSION = 'SELECT pg_terminate_backend(pg_backend_pid())'

/** Most sessions that are remembered. */
const MAX_SESSIONS = 1_000

const noticed = new Set<(notice: unknown) => void>()

/**
 * Creates a driver for a postgres.js client, which the host closes. The client's own settings limit how long a call
 * waits. With `prepare: false`, for a pooler, nothing is prepared.
 *
 * @example
 * ```ts
 * const sql = postgres(connectionString, { onnotice: postgresJsNotice })
 * const opened = await openPostgres({ driver: postgresJs(sql) })
 * ```
 */
export const postgresJs = (sql: PostgresJs): PostgresDriver => {
  const sessions = new Map<string, PostgresSession>()
  const sessionOf = (state: PostgresJsState): PostgresSession | undefined => {
    if (!state) return undefined
    const key = `${state.pid} ${state.secret}`
    const session = sessions.get(key) ?? { process: state.pid }
    if (sessions.size === MAX_SESSIONS) sessions.clear()
    sessions.set(key, session)
    return session
  }

  return {
    name: 'postgres.js',
    connect: async (onNotice) => {
      let session: PostgresSession | undefined
      const { rows, client, release } = connectionByCallbacks<PostgresJsQueries>({
        begin: (work) => sql.begin(work),
        rows: async ({ text, values, name }, within = sql) => {
          // It prepares each text once, whatever its name.
          const named = name === undefined ? text : `${text}\n-- ${name}`
          const found = await within
            .unsafe(named, [...values], { prepare: name !== undefined })
            .raw()
          session = sessionOf(found.state)
          return Array.from(found, textsOf)
        },
        isLost: (error) => !isAnswer(error),
        endSession: (within) => within.unsafe(END_SESSION).raw(),
        lend: unlessLost,
      })
      noticed.add(onNotice)
      return {
        rows,
        client,
        session: () => session,
        release: (isBroken) => {
          noticed.delete(onNotice)
          return release(isBroken)
        },
      }
    },
    listen: async (channel, wake) => {
      const { unlisten } = await sql.listen(channel, wake, wake)
      return unlisten
    },
  }
}

/**
 * A transaction for the host. Once its session is lost it throws: postgres.js would run its statements alone, in the
 * session that replaces it, or crash.
 */
const unlessLost = <Within extends object>(within: Within, session: Watched): Within => {
  const requireSession = (): void => {
    const lost = session.lost()
    if (lost) throw lost.reason
  }
  const savepoint = (begin: Callable, values: readonly unknown[]) =>
    new Promise((resolve, reject) => {
      const lent = (work: Callable) => async (inner: object) => {
        try {
          return await work(unlessLost(inner, session))
        } finally {
          const lost = session.lost()
          if (lost) {
            reject(lost.reason)
            // It would be rolled back, too, once this ends.
            await new Promise(() => undefined)
          }
        }
      }
      const given = values.map((value) => (isCallable(value) ? lent(value) : value))
      Promise.resolve(begin(...given)).then(resolve, reject)
    })
  return new Proxy(within, {
    apply: (called, self, values) => {
      requireSession()
      return noting(Reflect.apply(called as Callable, self, values), session)
    },
    get: (_, name) => {
      requireSession()
      const value: unknown = Reflect.get(within, name)
      if (!isCallable(value)) return value
      if (name === 'savepoint') return (...values: unknown[]) => savepoint(value, values)
      if (name === 'unsafe') return (...values: unknown[]) => noting(value(...values), session)
      return value
    },
  })
}

type Callable = (...values: unknown[]) => unknown

const isCallable = (value: unknown): value is Callable => typeof value === 'function'

/** A statement that notes a lost session before the host knows: the transaction fails later. It is not sent by this. */
const noting = (statement: unknown, { note }: Watched): unknown => {
  const then = fieldOf(statement, 'then')
  if (!isCallable(then)) return statement
  return Object.assign(Object(statement), {
    // biome-ignore lint/suspicious/noThenProperty: it replaces the one that it calls
    then: (done: unknown, failed: unknown) =>
      then.call(statement, done, (error: unknown) => {
        note(error)
        if (isCallable(failed)) return failed(error)
        throw error
      }),
  })
}

/**
 * For the option `onnotice` of postgres.js if the server has synchronous standbys: a commit that may be missing on them
 * then has an unknown outcome. That applies to all running calls, because a notice does not name its call.
 */
export const postgresJsNotice = (notice: unknown): void => {
  for (const onNotice of noticed) onNotice(notice)
}

/** A row of bytes as text. */
const textsOf = (row: unknown): PostgresRow =>
  Array.from(row as Iterable<unknown>, (bytes) => (bytes === null ? null : String(bytes)))

/** Why a session is gone. */
interface Lost {
  readonly reason: unknown
}

/** The session of a transaction that is lent. */
interface Watched {
  readonly lost: () => Lost | undefined
  /** Sees the error of a statement of the host. */
  readonly note: (error: unknown) => void
}

/** How a driver runs statements and transactions that are functions. */
interface Callbacks<Within> {
  /** Runs `work` in a transaction, which is committed when it resolves and rolled back when it rejects. */
  readonly begin: (work: (within: Within) => Promise<void>) => Promise<unknown>
  /** Runs a statement, outside of transactions unless within one. */
  readonly rows: (statement: PostgresStatement, within?: Within) => Promise<readonly PostgresRow[]>
  /** Whether an error says that the connection is gone. Nothing of its transaction is used after that. */
  readonly isLost?: (error: unknown) => boolean
  /** Ends the session of a transaction. Without it a broken one is rolled back. */
  readonly endSession?: (within: Within) => Promise<unknown>
  /** Lends a transaction to the host. Absent: as it is. */
  readonly lend?: (within: Within, session: Watched) => Within
}

/** A transaction that was begun. */
interface Begun<Within> {
  readonly within: Within
  readonly commit: () => void
  readonly rollBack: (reason: unknown) => void
}

const ROLLED_BACK = new Error('Rolled back')

/**
 * The connection of a driver whose transactions are functions. Statements outside of transactions are run as the driver
 * does it.
 */
const connectionByCallbacks = <Within>({
  begin,
  rows,
  isLost,
  endSession,
  lend = (within) => within,
}: Callbacks<Within>): Omit<PostgresConnection, 'session'> &
  Required<Pick<PostgresConnection, 'client'>> => {
  let begun: Begun<Within> | undefined
  let ended: Promise<unknown> | undefined
  /** Why the connection is gone: some drivers crash when they are asked to end its transaction. */
  let lost: Lost | undefined

  const start = () =>
    new Promise<Begun<Within>>((resolve, reject) => {
      ended = begin(
        (within) => new Promise<void>((commit, rollBack) => resolve({ within, commit, rollBack })),
      )
      ended.catch((reason: unknown) => {
        lost = { reason }
        reject(reason)
      })
    })

  const finish = async (how: (begun: Begun<Within>) => void): Promise<void> => {
    if (begun === undefined) return
    how(begun)
    begun = undefined
    await ended
  }

  const commit = () => finish(({ commit }) => commit())

  const rollBack = () =>
    finish(({ rollBack }) => rollBack(ROLLED_BACK)).catch((reason: unknown) => {
      if (reason !== ROLLED_BACK) throw reason
    })

  const run = async (statement: PostgresStatement): Promise<readonly PostgresRow[]> => {
    try {
      return await rows(statement, begun?.within)
    } catch (reason) {
      if (isLost?.(reason)) lost = { reason }
      throw reason
    }
  }

  const watched: Watched = {
    lost: () => lost,
    note: (reason) => {
      // Other errors without an SQLSTATE are of statements that were not sent.
      if (fieldOf(reason, 'errno') !== undefined) lost ??= { reason }
    },
  }

  return {
    client: () => begun && lend(begun.within, watched),
    rows: async (statement) => {
      if (lost && begun) throw lost.reason
      const { text } = statement
      if (text === 'COMMIT' || text === 'ROLLBACK') {
        await (text === 'COMMIT' ? commit() : rollBack())
        return []
      }
      if (!text.startsWith('BEGIN')) return run(statement)
      begun = await start()
      return run({ ...statement, text: text.replace('BEGIN', 'SET TRANSACTION') })
    },
    release: (isBroken) => {
      if (lost || begun === undefined) return
      const ending = isBroken && endSession ? endSession(begun.within) : rollBack()
      ending.catch(() => undefined)
    },
  }
}
