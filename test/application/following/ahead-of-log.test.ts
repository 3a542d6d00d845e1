import { DatabaseSync } from 'node:sqlite'
import { copyEvents, createIam, type EventStore, memoryEventStore, orThrow } from 'claviger'
import { openSqlite } from 'claviger/sqlite'
import { expect, test } from 'vitest'
import { authorize, cipher, context } from '../../fixtures/upgrade/read.ts'

const secrets = cipher('k1')
const iamOf = (ports: Pick<Parameters<typeof createIam>[0], 'store' | 'readModel'>) =>
  createIam({ ...ports, authorize, secrets })
const addTo = (store: EventStore, id: string) =>
  iamOf({ store }).projects.add({ id, name: id }, context)

const UNAVAILABLE = {
  kind: 'Unavailable',
  cause: { message: expect.stringContaining('above the last event') },
}

test('A read model that was not restored with its log answers nothing until it is reset', async () => {
  const handle = new DatabaseSync(':memory:')
  const opened = openSqlite(handle)
  const iam = iamOf(opened)
  orThrow(await addTo(opened.store, 'portal'))
  const last = orThrow(await addTo(opened.store, 'lost')).details.sequence
  expect(orThrow(await iam.projects.list({}, context)).items).toHaveLength(2)
  handle.prepare('DELETE FROM events WHERE position = ?').run(last)
  expect(await iam.projects.list({}, context)).toMatchObject({ error: UNAVAILABLE })
  await opened.readModel.reset()
  expect(orThrow(await iam.projects.list({}, context)).items).toMatchObject([{ id: 'portal' }])
})

test('So does one whose log is in another database, and its history is refused at all times', async () => {
  const [whole, restored] = [memoryEventStore(), openSqlite(':memory:').store]
  orThrow(await addTo(whole, 'portal'))
  orThrow(await copyEvents(whole, restored))
  orThrow(await addTo(whole, 'lost'))
  const { readModel } = openSqlite(':memory:')
  const before = iamOf({ store: whole, readModel })
  expect(orThrow(await before.projects.list({}, context)).items).toHaveLength(2)
  expect(await before.history.list({}, context)).toMatchObject({
    error: { cause: { message: expect.stringMatching(/^History is read from the log/) } },
  })
  const after = iamOf({ store: restored, readModel })
  expect(await after.projects.list({}, context)).toMatchObject({ error: UNAVAILABLE })
  expect(await after.catchUp(readModel)).toMatchObject({ error: UNAVAILABLE })
  await readModel.reset()
  expect(orThrow(await after.projects.list({}, context)).items).toHaveLength(1)
})

test('A checkpoint that others have moved since the head was read is in the log', async () => {
  const store = memoryEventStore()
  orThrow(await addTo(store, 'portal'))
  const head = await store.lastPosition()
  const later: EventStore = {
    ...store,
    lastPosition: async () => {
      later.lastPosition = store.lastPosition
      return head - 1n
    },
  }
  const reached = { name: 'reached', checkpoint: async () => head, reset: async () => undefined }
  const caughtUp = await iamOf({ store: later }).catchUp({ ...reached, apply: async () => false })
  expect(caughtUp._unsafeUnwrap()).toBe(head)
})
