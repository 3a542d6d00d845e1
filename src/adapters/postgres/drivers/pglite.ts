import type { PostgresDriver, PostgresRow, PostgresSession } from '../driver.js'
import { connectionByCallbacks } from './callbacks.js'

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
          const found = values.length
            ? await within.query(text, [...values], AS_TEXT)
            : (await within.exec(text, AS_TEXT)).at(-1)
          return (found?.rows ?? []) as PostgresRow[]
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
