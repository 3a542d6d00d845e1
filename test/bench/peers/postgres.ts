import { EventStore, EventType } from '@castore/core'
import { PostgresEventStorageAdapter } from '@castore/event-storage-adapter-postgres'
import { getPostgreSQLEventStore } from '@event-driven-io/emmett-postgresql'
import { newDatabase } from '../databases.ts'
import { roleOf, type System } from '../system.ts'
import { emmettSubject } from './emmett.ts'

/** Emmett on PostgreSQL, with its pool of connections. */
export const emmettPostgres: System = {
  name: 'Emmett, bare',
  open: async (task) => {
    const { connectionString, countRows } = await newDatabase()
    const store = getPostgreSQLEventStore(connectionString)
    const { call } = await emmettSubject(store, task)
    // Its tables come to be with the first append.
    await store.appendToStream('first', [{ type: 'changed', data: {} }])
    return {
      call,
      countEvents: () => countRows('emt_messages'),
      close: () => store.close(),
    }
  },
}

const added = new EventType<'ADDED', Record<string, unknown>>({ type: 'ADDED' })

/** castore on PostgreSQL, adding roles. */
export const castorePostgres: System = {
  name: 'castore, bare',
  open: async () => {
    const { connectionString, countRows } = await newDatabase()
    const aggregateId = { type: 'VARCHAR', length: 64 } as const
    await PostgresEventStorageAdapter.createEventTable({ connectionString, aggregateId })
    const store = new EventStore({
      eventStoreId: 'BENCH',
      eventTypes: [added],
      reducer: (_, { aggregateId, version }) => ({ aggregateId, version }),
      eventStorageAdapter: new PostgresEventStorageAdapter({ connectionString }),
    })
    const call = (index: number) =>
      store.pushEvent({
        aggregateId: `role-${index}`,
        version: 1,
        type: 'ADDED',
        payload: roleOf(index),
      })
    return { call, countEvents: () => countRows('event'), close: async () => {} }
  },
}
