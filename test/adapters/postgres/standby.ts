import { cpSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { type PostgresServer, startPostgres } from '../../postgres-server.js'

/**
 * Starts a standby of `primary`, which is restarted for that.
 *
 * @param port - over which the standby reaches it
 */
export const standbyOf = async (
  primary: PostgresServer,
  port: number = primary.port,
): Promise<PostgresServer> => {
  // One that waits for a standby would wait with every commit as long as there is none.
  await primary.stop()
  return startPostgres({
    settings: ['fsync=off', `primary_conninfo=host=127.0.0.1 port=${port} user=postgres`],
    fill: (folder) => copyServer(primary.folder, folder),
    before: primary.start,
  })
}

/** What `server` answers to `sql`: the first value. */
export const ask = async ({ connectionString }: PostgresServer, sql: string): Promise<unknown> => {
  const client = new pg.Client({ connectionString })
  await client.connect()
  const { rows } = await client.query({ text: sql, rowMode: 'array' })
  await client.end()
  return rows[0]?.[0]
}

/** Resolves once `standby` shows all that `primary` has recorded. */
export const replayed = async (primary: PostgresServer, standby: PostgresServer): Promise<void> => {
  const end = await ask(primary, 'SELECT pg_current_wal_lsn()')
  const isThere = `SELECT pg_last_wal_replay_lsn() >= '${end}'`
  while ((await ask(standby, isThere)) !== true) await new Promise((next) => setTimeout(next, 10))
}

/** Makes `copy` the folder of a standby; the server must not be running. */
const copyServer = (folder: string, copy: string): void => {
  cpSync(folder, copy, { recursive: true, preserveTimestamps: true })
  rmSync(join(copy, 'postmaster.pid'), { force: true })
  writeFileSync(join(copy, 'standby.signal'), '')
}
