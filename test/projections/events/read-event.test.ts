import { err } from 'neverthrow'
import { expect, test } from 'vitest'
import type { RecordedEvent } from '../../../src/ports/event-store.js'
import { readEvent } from '../../../src/projections/read-events.js'

const recorded: RecordedEvent = {
  appendId: '01J0000000000000000000000A',
  stream: 'project_role-acme+portal+a+b',
  version: 1,
  position: 7n,
  metadata: { actor: { userId: 'u1', orgId: 'acme' }, resourceOwner: 'acme' },
  type: 'project_role.added',
  schemaVersion: 2,
  data: { projectId: 'portal', roleKey: 'a+b', displayName: 'Both', group: '', permissions: ['a'] },
}

/** All that names `recorded`. */
const address = {
  position: 7n,
  stream: recorded.stream,
  version: 1,
  type: 'project_role.added',
  schemaVersion: 2,
  appendId: '01J0000000000000000000000A',
  resourceOwner: 'acme',
}

const corrupt = (field: string, changed: Partial<typeof address> = {}) =>
  err({ kind: 'CorruptEvent', ...address, ...changed, field })

test('An event is read as it was recorded.', () => {
  expect(readEvent(recorded)._unsafeUnwrap()).toEqual(recorded)
})

test.each(['project_role.added', 'project_role.updated'])(
  '%s of version 1 is read as a role without permissions.',
  (type) => {
    const { permissions: _, ...data } = recorded.data as { readonly permissions?: unknown }
    const read = readEvent({ ...recorded, type, schemaVersion: 1, data })._unsafeUnwrap()
    expect(read).toEqual({ ...recorded, type, data: { ...data, permissions: [] } })
    const newer = readEvent({ ...recorded, type, schemaVersion: 1 })
    expect(newer.isOk()).toBe(true)
  },
)

test.each([
  { type: 'project_role.granted', schemaVersion: 1 },
  { type: 'constructor', schemaVersion: 1 },
  { type: 'project_role.added', schemaVersion: 3 },
  { type: 'project_role.added', schemaVersion: 0 },
  { type: 'project_role.added', schemaVersion: 0.5 },
  { type: 'project_role.added', schemaVersion: Number.NaN },
])('Version $schemaVersion of $type is unknown.', (unknown) => {
  expect(readEvent({ ...recorded, ...unknown })).toEqual(
    err({ kind: 'UnknownEvent', ...address, ...unknown }),
  )
})

test('Data of another shape is corrupt, and its field is named without its value.', () => {
  const withData = (data: object) => readEvent({ ...recorded, data: { ...recorded.data, ...data } })

  expect(withData({ group: 5 })).toEqual(corrupt('data.group'))
  expect(withData({ permissions: undefined })).toEqual(corrupt('data.permissions'))
  expect(withData({ permissions: [5] })).toEqual(corrupt('data.permissions.0'))
  expect(withData({ extra: 'x' })).toEqual(corrupt('data.extra'))
  expect(withData({ displayName: undefined })).toEqual(corrupt('data.displayName'))
})

test.each([
  'project_role-acme+portal+a',
  'project_role-acme+other+a+b',
  'project-acme+portal',
  'foreign-stream',
] as const)('An event of a role in the stream %s is corrupt.', (stream) => {
  expect(readEvent({ ...recorded, stream })).toEqual(corrupt('stream', { stream }))
})

test.each([
  ['globex', recorded.data],
  ['acme+portal', { projectId: 'a', roleKey: 'b', displayName: 'B', group: '', permissions: [] }],
])('An event of %s in a stream of another organization is corrupt.', (resourceOwner, data) => {
  const metadata = { ...recorded.metadata, resourceOwner }
  expect(readEvent({ ...recorded, metadata, data })).toEqual(corrupt('stream', { resourceOwner }))
})

test.each([
  [null, 'metadata.actor.userId'],
  [{}, 'metadata.actor.userId'],
  [{ actor: { userId: 1, orgId: 'acme' } }, 'metadata.actor.userId'],
  [{ actor: { userId: 'u1' }, resourceOwner: 'acme' }, 'metadata.actor.orgId'],
  [{ actor: recorded.metadata.actor }, 'metadata.resourceOwner'],
  [{ ...recorded.metadata, correlationId: 5 }, 'metadata.correlationId'],
  [{ ...recorded.metadata, reason: 5 }, 'metadata.reason'],
])('An event with the metadata %j is corrupt.', (metadata, field) => {
  // As a store of another program might give it out.
  const read = readEvent({ ...recorded, metadata } as RecordedEvent)
  const { resourceOwner: _, ...nameless } = address
  const owned = metadata !== null && 'resourceOwner' in metadata ? address : nameless
  expect(read).toEqual(err({ kind: 'CorruptEvent', ...owned, field }))
})
