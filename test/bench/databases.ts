import pg from 'pg'
import { type PostgresServer, startPostgres } from '../postgres-server.ts'

let starting: Promise<PostgresServer> | undefined
let count = 0

/** A new, empty database of a real server that waits for its disk (`fsync = on`); it goes with the server. */
export const newDatabase = async () => {
  starting ??= startPostgres({ settings: ['fsync=on', 'max_wal_size=4GB'] })
  const server = await starting
  const name = `bench_${++count}`
  await administer(server, `CREATE DATABASE ${name}`)
  const url = new URL(server.connectionString)
  url.pathname = `/${name}`
  const { href } = url
  return {
    connectionString: href,
    /** Does away with what removed rows leave behind and counts what is there, as the server does by itself in time. */
    vacuum: () => administer({ connectionString: href }, 'VACUUM ANALYZE'),
    /** Rows of a table, counted through a connection of its own. */
    countRows: async (table: string) => {
      const client = new pg.Client(href)
      await client.connect()
      const { rows } = await client.query(`SELECT count(*) AS rows FROM ${table}`)
      await client.end()
      return Number(rows[0].rows)
    },
  }
}

/** Ends the server, if there is one. */
export const endServer = async (): Promise<void> => {
  const server = await starting
  await server?.[Symbol.asyncDispose]()
  starting = undefined
}

const administer = async (
  { connectionString }: Pick<PostgresServer, 'connectionString'>,
  sql: string,
): Promise<void> => {
  const client = new pg.Client(connectionString)
  await client.connect()
  await client.query(sql)
  await client.end()
}
