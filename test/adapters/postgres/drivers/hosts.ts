import { PGlite } from '@electric-sql/pglite'
import postgres from 'postgres'
import { afterAll, beforeAll } from 'vitest'
import {
  type PostgresDriver,
  pgLite,
  postgresJs,
  postgresJsNotice,
} from '../../../../src/adapters/postgres/index.js'
import { type PostgresServer, startPostgres } from '../../../postgres-server.js'

/** The drivers that a host may have, each for the tests of one file. */
export const DRIVERS = ['postgres.js', 'PGlite'] as const

/** The driver of that name for all tests of a file, on a server or a database of its own. */
export const driverForFile = (name: (typeof DRIVERS)[number]): (() => PostgresDriver) => {
  let driver: PostgresDriver
  let end: () => Promise<unknown>
  beforeAll(async () => {
    if (name === 'PGlite') {
      const db = new PGlite()
      driver = pgLite(db)
      end = () => db.close()
      return
    }
    const server: PostgresServer = await startPostgres({
      settings: ['fsync=off'],
      language: 'en-US',
    })
    const sql = postgres(server.connectionString, { onnotice: postgresJsNotice })
    driver = postgresJs(sql)
    end = async () => {
      await sql.end()
      await server[Symbol.asyncDispose]()
    }
  })
  afterAll(() => end())
  return () => driver
}
