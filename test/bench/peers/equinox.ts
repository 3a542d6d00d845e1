import { type Codec, Decider, LoadOption, StreamId } from '@equinox-js/core'
import { MemoryStoreCategory, VolatileStore } from '@equinox-js/memory-store'
import { firstCall, PROJECT_ID, projectIdOf, projectOf, roleOf, type System } from '../system.ts'
import { permit, projectSchema, roleSchema } from '../systems/guard.ts'

interface Event {
  type: string
  data: Record<string, unknown>
}

type State = Record<string, unknown> | undefined

const fold = (state: State, events: Event[]): State => events.reduce(evolve, state)

const evolve = (state: State, { data }: Event): State => ({ ...state, ...data })

/** Keeps events as they are: faster than the JSON codec of its documentation. */
const codec: Codec.ICodec<Event, Record<string, unknown>, null> = {
  encode: ({ type, data }) => ({ type, data }),
  decode: ({ type, data }) => (data === undefined ? undefined : { type, data }),
}

/** equinox-js on its memory store: a handler that checks nothing but what the store does. */
export const equinox: System = {
  name: 'equinox-js, bare',
  open: async (task) => {
    const { roles, projects, countEvents } = open()
    const first = firstCall(task)
    const update = (index: number, streams: number) => {
      const data = projectOf(index, streams)
      return projects(data.id).transact(() => [{ type: 'project.updated', data }])
    }
    const call = (index: number): Promise<unknown> => {
      if (task.kind === 'update project') return update(first + index, task.streams)
      const data = roleOf(index)
      const add = () => [{ type: 'project_role.added', data }]
      return roles(data.roleKey).transact(add, LoadOption.AssumeEmpty)
    }
    const held = task.kind === 'add role' ? task.held : 0
    for (let index = -held - first; index < 0; index++) await call(index)
    return { call, countEvents, close: async () => {} }
  },
}

/** The same, given our schema, permission check and the look at the project. */
export const guardedEquinox: System = {
  name: 'equinox-js, schema + permission + project',
  open: async (task) => {
    const { roles, projects, countEvents } = open()
    const streams = task.kind === 'update project' ? task.streams : 1
    for (let stream = 0; stream < streams; stream++) {
      const data = { ...projectOf(0, 1), id: projectIdOf(stream) }
      await projects(data.id).transact(() => [{ type: 'project.added', data }])
    }
    const call = (index: number): Promise<unknown> =>
      task.kind === 'add role' ? addRole(roleOf(index)) : update(projectOf(index, streams))

    const addRole = async (input: unknown) => {
      permit('project.role.write', PROJECT_ID)
      const data = roleSchema.parse(input)
      const project = await projects(data.projectId).query((state) => state)
      if (!project) throw new Error('not found')
      return roles(data.roleKey).transact(
        (state) => (state ? [] : [{ type: 'project_role.added', data }]),
        LoadOption.AssumeEmpty,
      )
    }
    const update = async (input: unknown) => {
      const data = projectSchema.parse(input)
      permit('project.write', data.id)
      return projects(data.id).transact((state) =>
        state ? [{ type: 'project.updated', data }] : [],
      )
    }
    return { call, countEvents, close: async () => {} }
  },
}

const open = () => {
  const store = new VolatileStore<Record<string, unknown>>()
  const roles = MemoryStoreCategory.create(store, 'ProjectRole', codec, fold, undefined)
  const projects = MemoryStoreCategory.create(store, 'Project', codec, fold, undefined)
  return {
    roles: (key: string) => Decider.forStream(roles, StreamId.create(key), null),
    projects: (id: string) => Decider.forStream(projects, StreamId.create(id), null),
    // Each batch that it tells of is one append of one event.
    countEvents: async () => Number(await store.handleFrom(0n, async () => {})),
  }
}
