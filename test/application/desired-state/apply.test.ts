import { describe, expect, test } from 'vitest'
import { openSqlite } from '../../../src/adapters/sqlite/index.js'
import { memoryEventStore, memoryReadModel, StoreFault } from '../../../src/index.js'
import { temporaryFile } from '../../adapters/sqlite/temporary-file.js'
import { iamOn } from '../host.js'
import { STORES } from '../stores.js'
import { applySuite } from './apply-suite.js'
import { allEvents, context, instanceOn, refused } from './organization.js'

describe.each(STORES)('apply on $name', ({ open }) => applySuite(open))

test('instances with a connection each to one SQLite file record each change once', async () => {
  const file = temporaryFile()
  const opened = Array.from({ length: 5 }, () => openSqlite(file))
  const roles = ['editor', 'viewer'].map((roleKey) => ({ roleKey, displayName: roleKey }))
  const desired = { projects: [{ id: 'portal', name: 'Portal', roles }] }
  const applied = await Promise.all(
    opened.map(({ store }) => instanceOn(store).apply(desired, context)),
  )
  expect(applied.map((result) => result.isOk())).toEqual(Array(5).fill(true))
  const events = await allEvents(opened[0]!.store)
  expect(events.map(({ type }) => type)).toEqual([
    'project.added',
    'project_role.added',
    'project_role.added',
  ])
  for (const { close } of opened) await close()
})

test('nothing is recorded when undeclared objects cannot be read', async () => {
  const cause = new StoreFault('busy', 'not_recorded')
  const desired = { projects: [{ id: 'portal', name: 'Portal' }] }
  const readModel = { ...memoryReadModel(), list: () => Promise.reject(cause) }
  const unread = { readModel }
  const unasked = {
    authorize: ({ object }: { readonly object?: object }) =>
      object ? true : Promise.reject(cause),
  }
  for (const options of [unread, unasked]) {
    const store = memoryEventStore()
    const unavailable = { kind: 'Unavailable', outcome: 'not_recorded', cause }
    expect(await refused(iamOn(store, options).apply(desired, context))).toEqual(unavailable)
    expect(await allEvents(store)).toEqual([])
  }
})
