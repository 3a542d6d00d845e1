import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { type EventStore, memoryEventStore } from '../../../src/index.js'
import { IN_PROCESS_BATCH } from '../../../src/ports/projection.js'
import { context, good, iamOn } from '../host.js'

const ROLES = 60_000

it('Live checks read a long backlog once, however short maxLag is', async () => {
  const store = memoryEventStore()
  const other = iamOn(store)
  await good(other.projects.add({ id: 'portal', name: 'Portal' }, context))
  let isDown = false
  let pages = 0
  let connection: Promise<unknown> = Promise.resolve()
  /** Reading a page takes time. */
  const slow: EventStore = {
    ...store,
    lastPosition: async () => {
      if (isDown) throw new Error('out of order')
      return store.lastPosition()
    },
    readAll: async (after, limit) => {
      pages++
      // One after the other, as on one connection.
      connection = connection.then(() => pause(60))
      await connection
      return store.readAll(after, limit)
    },
  }
  const ending = new AbortController()
  const live = await good(iamOn(slow).access.live({ signal: ending.signal, maxLag: 100 }))
  isDown = true
  const roles = Array.from({ length: ROLES }, (_, index) => ({
    roleKey: `r${index}`,
    displayName: 'Role',
  }))
  await good(other.projectRoles.import({ projectId: 'portal', roles }, context))
  const head = await store.lastPosition()
  pages = 0
  isDown = false
  while (live.position < head) await pause(10)
  ending.abort()
  expect(pages).toBeLessThan(ROLES / IN_PROCESS_BATCH + 10)
}, 60_000)
