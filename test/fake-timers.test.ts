import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openSqlite } from '../src/adapters/sqlite/index.js'
import { type EventStore, memoryEventStore } from '../src/index.js'
import { context, good, iamOn } from './application/host.js'

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'Date', 'performance'],
  })
})

afterEach(() => {
  vi.useRealTimers()
})

/** Kept open by a test's end. */
const opened: { readonly close: () => Promise<void> }[] = []

afterEach(async () => {
  for (const { close } of opened.splice(0)) await close()
})

const stores: readonly (readonly [string, () => EventStore])[] = [
  ['in memory', memoryEventStore],
  [
    'on SQLite',
    () => {
      const database = openSqlite(':memory:')
      opened.push(database)
      return database.store
    },
  ],
]

describe('A host whose tests stop the clock', () => {
  it.each(stores)('is answered all the same, however much it writes: %s', async (_, open) => {
    const store = open()
    const iam = iamOn(store)
    let woken = 0
    const end = store.onAppend?.(() => woken++)
    await good(iam.projects.add({ id: 'portal', name: 'Portal' }, context))
    for (let index = 0; index < 30; index++) {
      const role = { projectId: 'portal', roleKey: `role-${index}`, displayName: 'Role' }
      await good(iam.projectRoles.add(role, context))
    }
    const page = await good(iam.projectRoles.list({ projectId: 'portal' }, context))
    expect(page.totalSize).toBe(30)
    expect(woken).toBe(31)
    end?.()
  })
})
