import type { PgLite, Postgres } from '../adapters/postgres/index.js'

let count = 0

/**
 * PostgreSQL without a server, for the tests of a host: each call opens a new schema in `db`, so one PGlite serves all
 * tests of a file. The host closes `db`.
 *
 * @example
 * ```ts
 * await using opened = await testPostgres(db) // const db = new PGlite(), once
 * const iam = createIam({ ...opened, secrets, authorize: () => true })
 * ```
 */
export const testPostgres = async (db: PgLite): Promise<Postgres> => {
  const { openPostgres, pgLite } = await import('../adapters/postgres/index.js')
  return openPostgres({ driver: pgLite(db), schema: `test_${++count}` })
}
