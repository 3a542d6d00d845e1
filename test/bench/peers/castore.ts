import { EventStore, EventType } from '@castore/core'
import { InMemoryEventStorageAdapter } from '@castore/event-storage-adapter-in-memory'
import { firstCall, projectOf, roleOf, type System } from '../system.ts'

type Data = Record<string, unknown>

const changed = new EventType<'CHANGED', Data>({ type: 'CHANGED' })

/** castore on its memory adapter: a handler that checks nothing but what the adapter does. */
export const castore: System = {
  name: 'castore, bare',
  open: async (task) => {
    const adapter = new InMemoryEventStorageAdapter({})
    const store = new EventStore({
      eventStoreId: 'BENCH',
      eventTypes: [changed],
      reducer: (state, { aggregateId, version, payload }) => ({
        ...state,
        ...(payload as Data),
        aggregateId,
        version,
      }),
      eventStorageAdapter: adapter,
    })
    const push = (aggregateId: string, version: number, payload: Data) =>
      store.pushEvent({ aggregateId, version, type: 'CHANGED', payload })

    const first = firstCall(task)
    const call = async (index: number) => {
      if (task.kind === 'add role') return push(`role-${index}`, 1, roleOf(index))
      const data = projectOf(first + index, task.streams)
      const { aggregate } = await store.getAggregate(data.id)
      return push(data.id, (aggregate?.version ?? 0) + 1, data)
    }
    const held = task.kind === 'add role' ? task.held : 0
    for (let index = -held; index < 0; index++) await call(index)
    const streams = task.kind === 'update project' ? task.streams : 1
    for (let index = 0; index < first; index++) {
      const data = projectOf(index, streams)
      await push(data.id, Math.floor(index / streams) + 1, data)
    }
    return {
      call,
      countEvents: async () =>
        Object.values(adapter.eventStore).reduce((sum, { length }) => sum + length, 0),
      close: async () => {},
    }
  },
}
