import { type Codec, Decider, LoadOption, StreamId } from '@equinox-js/core'
import { MemoryStoreCategory, VolatileStore } from '@equinox-js/memory-store'
import { newRoleOf, type Open } from '../world.ts'

interface Event {
  type: string
  data: Record<string, unknown>
}

type State = Record<string, unknown> | undefined

const fold = (state: State, events: Event[]): State =>
  Object.assign({}, state, ...events.map(({ data }) => data))

/** Keeps events as they are: faster than the JSON codec of its documentation. */
const codec: Codec.ICodec<Event, Record<string, unknown>, null> = {
  encode: ({ type, data }) => ({ type, data }),
  decode: ({ type, data }) => (data === undefined ? undefined : { type, data }),
}

/** equinox-js on its memory store: a handler that checks nothing but what the store does. */
export const equinox: Open = async () => {
  const store = new VolatileStore<Record<string, unknown>>()
  const roles = MemoryStoreCategory.create(store, 'ProjectRole', codec, fold, undefined)
  return {
    jobs: {
      'add role': {
        call: async (index) => {
          const data = newRoleOf(index)
          const decider = Decider.forStream(roles, StreamId.create(data.roleKey), null)
          const add = () => [{ type: 'project_role.added', data }]
          await decider.transact(add, LoadOption.AssumeEmpty)
          return true
        },
      },
    },
    close: async () => {},
  }
}
