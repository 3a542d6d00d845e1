import { isAnswer } from '../connection/faults.js'
import type { PostgresDriver, PostgresRow, PostgresSession } from '../driver.js'
import { connectionByCallbacks } from './callbacks.js'

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
      const { rows, release } = connectionByCallbacks<PostgresJsQueries>({
        begin: (work) => sql.begin(work),
        rows: async ({ text, values, name }, within = sql) => {
          const found = await within
            .unsafe(text, [...values], { prepare: name !== undefined })
            .raw()
          session = sessionOf(found.state)
          return Array.from(found, textsOf)
        },
        isLost: (error) => !isAnswer(error),
        endSession: (within) => within.unsafe(END_SESSION).raw(),
      })
      noticed.add(onNotice)
      return {
        rows,
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
 * For the option `onnotice` of postgres.js if the server has synchronous standbys: a commit that may be missing on them
 * then has an unknown outcome. That applies to all running calls, because a notice does not name its call.
 */
export const postgresJsNotice = (notice: unknown): void => {
  for (const onNotice of noticed) onNotice(notice)
}

/** A row of bytes as text. */
const textsOf = (row: unknown): PostgresRow =>
  Array.from(row as Iterable<unknown>, (bytes) => (bytes === null ? null : String(bytes)))
