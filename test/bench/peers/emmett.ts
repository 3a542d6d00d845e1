import {
  CommandHandler,
  type Event,
  type EventStore,
  getInMemoryEventStore,
} from '@event-driven-io/emmett'
import { firstCall, projectOf, roleOf, type System, type Task } from '../system.ts'

type Changed = Event<'changed', Record<string, unknown>>

const handle = CommandHandler<Record<string, unknown>, Changed>({
  initialState: () => ({}),
  evolve: (state, { data }) => ({ ...state, ...data }),
})

/** Emmett on its memory store: a handler that checks nothing but what the store does. */
export const emmett: System = {
  name: 'Emmett, bare',
  open: async (task) => {
    const store = getInMemoryEventStore()
    return { ...(await emmettSubject(store, task)), close: async () => {} }
  },
}

/** A task on any of its stores. */
export const emmettSubject = async (store: EventStore, task: Task) => {
  const first = firstCall(task)
  const streams = new Set<string>()
  const call = (index: number): Promise<unknown> => {
    if (task.kind === 'add role') {
      const data = roleOf(index)
      streams.add(data.roleKey)
      return handle(store, data.roleKey, () => ({ type: 'changed', data }), {
        expectedStreamVersion: 'STREAM_DOES_NOT_EXIST',
      })
    }
    const data = projectOf(first + index, task.streams)
    return handle(store, data.id, () => ({ type: 'changed', data }))
  }
  await fill(store, task, streams)
  const countEvents = async () => {
    let count = 0
    for (const stream of streams) count += (await store.readStream(stream)).events.length
    return count
  }
  return { call, countEvents }
}

const fill = async (store: EventStore, task: Task, streams: Set<string>): Promise<void> => {
  if (task.kind === 'add role') {
    for (let index = -task.held; index < 0; index++) {
      await store.appendToStream<Changed>(`held${index}`, [
        { type: 'changed', data: roleOf(index) },
      ])
    }
    return
  }
  const events = task.events - 1
  for (let stream = 0; stream < task.streams; stream++) {
    const { id } = projectOf(stream, task.streams)
    streams.add(id)
    await store.appendToStream<Changed>(
      id,
      Array.from({ length: events }, (_, version) => ({
        type: 'changed',
        data: projectOf(version * task.streams + stream, task.streams),
      })),
    )
  }
}
