import { openPostgres } from 'claviger/postgres'
import pg from 'pg'
import { startPostgres } from '../../postgres-server.ts'
import { chance } from './chance.ts'
import type { Kind } from './place.ts'

const CONNECTIONS = `
  FROM pg_stat_activity WHERE application_name = 'claviger' AND pid <> pg_backend_pid()`

/** How many connections are cut at once. */
const CUT = `SELECT pg_terminate_backend(pid) ${CONNECTIONS} AND random() < 0.5`

/** Connections are cut, and the server is killed and started again. */
export const postgres: Kind = {
  name: 'postgres',
  isOnHeap: false,
  make: async () => {
    // What a process has written outlives it; only a power cut would lose it.
    const server = await startPostgres({ settings: ['fsync=off', 'autovacuum=on'] })
    const { connectionString } = server

    const query = async (text: string): Promise<readonly (readonly string[])[]> => {
      const client = new pg.Client({ connectionString })
      await client.connect()
      try {
        return (await client.query<string[]>({ text, rowMode: 'array' })).rows
      } finally {
        await client.end()
      }
    }

    return {
      open: () => openPostgres({ connectionString, connectTimeout: 2_000 }),
      disturb: async () => {
        if (chance(0.7)) await query(CUT)
        else if (chance(0.1)) {
          await server.kill()
          await server.start()
        }
      },
      // Only what `disturb` does goes wrong.
      calm: async () => undefined,
      connections: async () => Number((await query(`SELECT count(*) ${CONNECTIONS}`))[0]?.[0]),
      [Symbol.asyncDispose]: server[Symbol.asyncDispose],
    }
  },
}
