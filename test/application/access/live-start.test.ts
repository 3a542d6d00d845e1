import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { type EventStore, memoryEventStore } from '../../../src/index.js'
import { context, good, iamOn } from '../host.js'

/** A store whose reads of the log take as long as those of a database. */
const slow = (store: EventStore): EventStore => ({
  ...store,
  lastPosition: async () => {
    await pause(5)
    return store.lastPosition()
  },
  readAll: async (after, limit) => {
    const events = await store.readAll(after, limit)
    await pause(5)
    return events
  },
})

it('Live checks begin while the process goes on writing', async () => {
  const iam = iamOn(slow(memoryEventStore()))
  await good(iam.projects.add({ id: 'portal', name: 'Portal' }, context))
  const over = new AbortController()
  const write = async () => {
    for (let index = 0; !over.signal.aborted; index++) {
      await good(iam.projects.patch({ id: 'portal', name: `Portal ${index}` }, context))
      await pause(2)
    }
  }
  const writing = write()
  const begun = await Promise.race([good(iam.access.live({ signal: over.signal })), pause(3_000)])
  over.abort()
  await writing
  expect(begun).toBeDefined()
})
