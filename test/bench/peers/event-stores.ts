import { EventStore, EventType } from '@castore/core'
import { PostgresEventStorageAdapter } from '@castore/event-storage-adapter-postgres'
import { CommandHandler, type Event } from '@event-driven-io/emmett'
import { getPostgreSQLEventStore } from '@event-driven-io/emmett-postgresql'
import { newDatabase } from '../databases.ts'
import { newRoleOf, type Open } from '../world.ts'

type Data = Record<string, unknown>

const handle = CommandHandler<Data, Event<'added', Data>>({
  initialState: () => ({}),
  evolve: (state, { data }) => ({ ...state, ...data }),
})

/** Emmett on PostgreSQL, with its pool of connections: a handler that checks nothing but what the store does. */
export const emmett: Open = async () => {
  const store = getPostgreSQLEventStore(await newDatabase())
  return {
    jobs: {
      'add role': {
        call: async (index) => {
          const data = newRoleOf(index)
          await handle(store, data.roleKey, () => ({ type: 'added', data }), {
            expectedStreamVersion: 'STREAM_DOES_NOT_EXIST',
          })
          return true
        },
      },
    },
    close: () => store.close(),
  }
}

const added = new EventType<'ADDED', Data>({ type: 'ADDED' })

/** castore on PostgreSQL: a push that checks nothing but what the store does. */
export const castore: Open = async () => {
  const connectionString = await newDatabase()
  const aggregateId = { type: 'VARCHAR', length: 64 } as const
  await PostgresEventStorageAdapter.createEventTable({ connectionString, aggregateId })
  const store = new EventStore({
    eventStoreId: 'BENCH',
    eventTypes: [added],
    reducer: (_, { aggregateId: id, version }) => ({ aggregateId: id, version }),
    eventStorageAdapter: new PostgresEventStorageAdapter({ connectionString }),
  })
  return {
    jobs: {
      'add role': {
        call: async (index) => {
          const payload = newRoleOf(index)
          await store.pushEvent({
            aggregateId: payload.roleKey,
            version: 1,
            type: 'ADDED',
            payload,
          })
          return true
        },
      },
    },
    close: async () => {},
  }
}
