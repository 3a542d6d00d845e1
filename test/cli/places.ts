// Databases for the command line: files of SQLite, and schemas of a server.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { postgresCursors } from '../../src/adapters/postgres/index.js'
import { openSqlite, sqliteCursors } from '../../src/adapters/sqlite/index.js'
import { createIam, orThrow } from '../../src/index.js'
import type { WebhookCursors } from '../../src/ports/webhook-cursors.js'
import { type PostgresServer, startPostgres } from '../postgres-server.js'
import { ownFolder } from './command-line.js'

/** Texts that no output may hold. */
export const CANARIES = {
  password: 'canary-of-the-password',
  clientSecret: 'canary-of-the-client-secret',
  k1: Buffer.alloc(32, 'canary-1').toString('base64'),
  k2: Buffer.alloc(32, 'canary-2').toString('base64'),
}

/** A database that the command line is pointed to. */
export interface Place {
  readonly database: readonly string[]
  /** The same for `copy`. */
  readonly from: readonly string[]
  readonly to: readonly string[]
  /** The cursors of webhooks there. */
  readonly cursors: () => WebhookCursors & AsyncDisposable
  /** Runs statements as somebody who can write to the database; `events` is the table of the events. */
  readonly tamper: (sql: string) => Promise<void>
}

const folder = ownFolder()
let count = 0
let server: Promise<PostgresServer> | undefined

/** A path where nothing is yet. */
export const newFile = (name = 'iam.db'): string => join(folder, `${++count}-${name}`)

/** A file of a text. */
export const written = (text: string, name = 'file'): string => {
  const path = newFile(name)
  writeFileSync(path, text)
  return path
}

/** The server of the test file, started when first asked for. */
export const ownServer = (): Promise<PostgresServer> => {
  server ??= startPostgres({ settings: ['fsync=off'] })
  return server
}

/** To be called after the last test of a file. */
export const stopServer = async (): Promise<void> => {
  const started = await server
  server = undefined
  await started?.[Symbol.asyncDispose]()
}

/** The address of a server, with a password that it does not ask for. */
export const addressOf = ({ port }: PostgresServer): string =>
  `postgres://postgres:${CANARIES.password}@127.0.0.1:${port}/postgres`

/** Runs statements on the server. */
export const query = async (sql: string): Promise<readonly Record<string, unknown>[]> => {
  const client = new pg.Client({ connectionString: (await ownServer()).connectionString })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

/** A new place of each kind. */
export const PLACES = {
  SQLite: async () => {
    const path = newFile()
    return {
      database: ['--db', path],
      from: ['--from', path],
      to: ['--to', path],
      cursors: () => sqliteCursors(path),
      tamper: async (sql) => {
        const database = new DatabaseSync(path)
        database.exec(sql)
        database.close()
      },
    }
  },
  PostgreSQL: async () => {
    const schema = `place_${++count}`
    const address = addressOf(await ownServer())
    return {
      database: ['--db', address, '--schema', schema],
      from: ['--from', address, '--from-schema', schema],
      to: ['--to', address, '--to-schema', schema],
      cursors: () => postgresCursors({ connectionString: address, schema }),
      tamper: async (sql) => void (await query(`SET search_path TO ${schema}; ${sql}`)),
    }
  },
} satisfies Record<string, () => Promise<Place>>

/** A SQLite file with a project and so many roles, of 1,000 an append. */
export const fileWithRoles = async (roles: number): Promise<string> => {
  const path = newFile('roles.db')
  await using opened = openSqlite(path)
  const none = () => Promise.reject(new Error('There are no secrets'))
  const secrets = { seal: none, open: none, isCurrent: () => true }
  const iam = createIam({ ...opened, secrets, authorize: () => true })
  const context = { caller: { userId: 'u1', orgId: 'acme' } }
  await orThrow(iam.projects.add({ id: 'portal', name: 'Portal' }, context))
  const rows = Array.from({ length: roles }, (_, n) => ({ roleKey: `r${n}`, displayName: `R${n}` }))
  await orThrow(iam.projectRoles.import({ projectId: 'portal', roles: rows }, context))
  return path
}
