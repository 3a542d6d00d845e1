import { memoryEventStore, memoryReadModel } from 'claviger'
import type { Kind } from './place.ts'

const nothing = async (): Promise<void> => undefined

/** Nothing goes wrong by itself; the faults are those that its hosts are given. */
export const memory: Kind = {
  name: 'memory',
  isOnHeap: true,
  make: async () => {
    const store = memoryEventStore()
    return {
      open: async () => ({ store, readModel: memoryReadModel(), close: nothing }),
      disturb: nothing,
      calm: nothing,
      connections: async () => 0,
      [Symbol.asyncDispose]: nothing,
    }
  },
}
