import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll } from 'vitest'
import { openPostgres, type Postgres } from '../../../src/adapters/postgres/index.js'
import type { PostgresOptions } from '../../../src/adapters/postgres/options.js'
import { type PostgresServer, startPostgres } from '../../postgres-server.js'

type Store = Postgres['store']

let count = 0

/** A name that no schema of this file has yet. */
export const newSchema = (): string => `test_${++count}`

/** A server for the tests of one file, which compares text as English does; it would not survive a power cut. */
export const serverForFile = (): { readonly connectionString: string } => {
  let server: PostgresServer | undefined
  beforeAll(async () => {
    server = await startPostgres({ settings: ['fsync=off'], language: 'en-US' })
  })
  afterAll(async () => {
    if (server) await untilAlone(server.connectionString)
    await server?.[Symbol.asyncDispose]()
  })
  return {
    get connectionString() {
      return server?.connectionString ?? ''
    },
  }
}

/** Waits for connections that are being closed: nobody listens any more to what the server says when it ends them. */
const untilAlone = async (connectionString: string): Promise<void> => {
  const client = new pg.Client({ connectionString })
  client.on('error', () => undefined)
  await client.connect()
  const others = `SELECT 1 FROM pg_stat_activity
    WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() LIMIT 1`
  for (let looks = 0; looks < 50; looks++) {
    const { rowCount } = await client.query(others)
    if (!rowCount) break
    await setTimeout(20)
  }
  await client.end()
}

/** Opens stores of one law in schemas of their own, and closes them all. */
export const schemas = (optionsFor: (schema: string) => PostgresOptions) => {
  const opened = new Map<Store, { readonly schema: string; readonly postgres: Postgres }>()
  const openAs = async (schema: string): Promise<Store> => {
    const postgres = await openPostgres(optionsFor(schema))
    opened.set(postgres.store, { schema, postgres })
    return postgres.store
  }
  return {
    open: () => openAs(newSchema()),
    reopen: (store: Store) => openAs(opened.get(store)?.schema ?? ''),
    [Symbol.asyncDispose]: async () => {
      for (const { postgres } of opened.values()) await postgres.close()
    },
  }
}
