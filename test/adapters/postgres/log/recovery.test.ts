import { afterAll, beforeAll, describe, test } from 'vitest'
import { openPostgres, type Postgres } from '../../../../src/adapters/postgres/index.js'
import { eventRecoveryLaws } from '../../../../src/laws/index.js'
import type { EventStore } from '../../../../src/ports/event-store.js'
import { type PostgresServer, startPostgres } from '../../../postgres-server.js'
import { newSchema } from '../test-schemas.js'

let server: PostgresServer

beforeAll(async () => {
  server = await startPostgres()
})

afterAll(() => server[Symbol.asyncDispose]())

const crashes = () => {
  const opened = new Map<EventStore, { readonly schema: string; readonly postgres: Postgres }>()
  const openAs = async (schema: string): Promise<EventStore> => {
    const { connectionString } = server
    const postgres = await openPostgres({ connectionString, schema })
    opened.set(postgres.store, { schema, postgres })
    return postgres.store
  }
  return {
    open: () => openAs(newSchema()),
    crash: async (store: EventStore) => {
      await server.kill()
      await server.start()
      return openAs(opened.get(store)?.schema ?? '')
    },
    [Symbol.asyncDispose]: async () => {
      for (const { postgres } of opened.values()) await postgres.close()
    },
  }
}

describe('The PostgreSQL event store, when its server is killed', () => {
  for (const { name, check } of eventRecoveryLaws) {
    test(name, async () => {
      await using harness = crashes()
      await check(harness)
    })
  }
})
