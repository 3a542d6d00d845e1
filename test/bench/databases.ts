import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { type PostgresServer, startPostgres } from '../postgres-server.ts'

let starting: Promise<PostgresServer> | undefined

/** A real server that waits for its disk (`fsync = on`); started by the first who asks. */
export const postgresUrl = async (): Promise<string> => {
  const given = process.env['BENCH_POSTGRES']
  if (given !== undefined) return given
  starting ??= startPostgres({ settings: ['fsync=on', 'autovacuum=on', 'max_wal_size=4GB'] })
  return (await starting).connectionString
}

/** Ends the server, if this process started one. */
export const endServer = async (): Promise<void> => {
  const server = await starting
  await server?.[Symbol.asyncDispose]()
  starting = undefined
}

/** The databases that this process has made. */
const made: string[] = []

/** A new, empty database; it goes with the server. @returns how to connect to it */
export const newDatabase = async (): Promise<string> => {
  const url = new URL(await postgresUrl())
  const name = `bench_${process.pid}_${performance.now().toString(36).replace('.', '_')}`
  await runSql(url.href, `CREATE DATABASE "${name}"`)
  url.pathname = `/${name}`
  made.push(url.href)
  return url.href
}

/** Collects the statistics by which the server plans queries, as it does by itself within a minute. */
export const analyzeDatabases = async (): Promise<void> => {
  for (const each of made) await runSql(each, 'ANALYZE')
}

/** Runs one statement through a connection of its own. */
export const runSql = async (connectionString: string, sql: string): Promise<void> => {
  const client = new pg.Client(connectionString)
  await client.connect()
  await client.query(sql)
  await client.end()
}

/** A path for a database of its own. */
export const temporaryFile = () => {
  const folder = mkdtempSync(join(tmpdir(), 'claviger-bench-'))
  return {
    path: join(folder, 'bench.db'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** As durable as claviger's store: a write is on the disk before it is acknowledged. */
export const DURABLE = `PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
  PRAGMA wal_autocheckpoint = 4000; PRAGMA foreign_keys = ON;`
