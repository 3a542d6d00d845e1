import { firstCall, projectOf, roleOf, type System } from '../system.ts'

interface Stored {
  readonly type: string
  readonly data: object
  readonly version: number
  readonly time: number
}

/** A floor: streams in a Map behind two awaits, one to load and one to append; checks nothing. */
export const objectStore: System = {
  name: 'floor: Map and two awaits',
  open: async (task) => {
    const streams = new Map<string, Stored[]>()
    const load = async (stream: string) => streams.get(stream)
    const append = async (stream: string, type: string, data: object) => {
      const events = streams.get(stream)
      const event = { type, data, version: (events?.length ?? 0) + 1, time: Date.now() }
      if (events) events.push(event)
      else streams.set(stream, [event])
      return event
    }
    const first = firstCall(task)
    const call = async (index: number) => {
      const [type, stream, data] = change(index)
      await load(stream)
      return await append(stream, type, data)
    }
    const change = (index: number): [string, string, object] => {
      if (task.kind === 'add role') return ['project_role.added', `role-${index}`, roleOf(index)]
      const data = projectOf(first + index, task.streams)
      return ['project.updated', data.id, data]
    }
    const held = task.kind === 'add role' ? task.held : 0
    for (let index = -held - first; index < 0; index++) await call(index)
    return {
      call,
      countEvents: async () => [...streams.values()].reduce((sum, { length }) => sum + length, 0),
      close: async () => {},
    }
  },
}
