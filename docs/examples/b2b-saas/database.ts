// Settings, and the database: PostgreSQL at DATABASE_URL, or without it two SQLite files.
import { DatabaseSync } from 'node:sqlite'
import { inTransaction, openPostgres, postgresCursors } from 'claviger/postgres'
import { openSqlite, sqliteCursors, inTransaction as sqliteTransaction } from 'claviger/sqlite'
import pg from 'pg'
import * as z from 'zod'

export const setting = (name: string) =>
  z.string(`${name} is not set`).min(1).parse(process.env[name])
/** 32 bytes, as `openssl rand -base64 32` prints them; the same in all instances. */
export const key = (name: string) => new Uint8Array(Buffer.from(setting(name), 'base64'))
/** Where browsers see the product: https, or http on a developer's machine. */
export const origin = setting('ORIGIN')

type Value = string | number
const numbered = (text: string) => text.replaceAll('$', '?') // ?1, as SQLite has them

const openServer = async (connectionString: string) => {
  const pool = new pg.Pool({ connectionString, max: 20 })
  pool.on('error', console.error) // otherwise the loss of an idle connection ends the process
  const { store, readModel, close } = await openPostgres({ pool, views: true })
  return {
    iam: { store, readModel },
    cursors: postgresCursors({ pool }),
    users: pool,
    holders: 'claviger.permission_holder', // who has which permission, see invoices.ts
    rows: async (text: string, values: Value[] = []) => (await pool.query(text, values)).rows,
    insert: (text: string, values: Value[]) =>
      inTransaction((client: pg.PoolClient) => client.query(text, values)),
    /** Runs `work` in one instance at a time. */
    exclusively: async (work: () => Promise<void>) => {
      const client = await pool.connect()
      await client.query('SELECT pg_advisory_lock(20260101)')
      await work()
      client.release(true) // closes the connection, which releases the lock
    },
    close: () => close().then(() => pool.end()),
  }
}

const openFiles = () => {
  const iam = new DatabaseSync('iam.db')
  const { store, readModel, close } = openSqlite(iam, { views: true })
  const cursors = sqliteCursors('iam.db')
  const users = new DatabaseSync('users.db', { timeout: 10_000 })
  users.exec('PRAGMA journal_mode = WAL')
  return {
    iam: { store, readModel },
    cursors,
    users,
    holders: 'claviger_permission_holder',
    rows: async (text: string, values: Value[] = []) => iam.prepare(numbered(text)).all(...values),
    insert: (text: string, values: Value[]) =>
      sqliteTransaction((db: DatabaseSync) => void db.prepare(numbered(text)).run(...values)),
    exclusively: async (work: () => Promise<void>) => {
      users.exec('BEGIN IMMEDIATE')
      await work()
      users.exec('COMMIT')
    },
    close: () => Promise.all([close(), cursors.close()]).then(() => [users.close(), iam.close()]),
  }
}

const { DATABASE_URL } = process.env
export const database = DATABASE_URL ? await openServer(DATABASE_URL) : openFiles()
