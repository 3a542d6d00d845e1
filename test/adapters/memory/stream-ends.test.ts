import { expect, test } from 'vitest'
import { NOWHERE, streamEnds } from '../../../src/adapters/memory/stream-ends.js'
import type { StreamId } from '../../../src/domain/values.js'
import type { RecordedEvent } from '../../../src/ports/event-store.js'

const eventOf = (stream: StreamId): RecordedEvent => ({
  type: 'project.added',
  schemaVersion: 1,
  data: {},
  appendId: 'a',
  stream,
  version: 1,
  position: 1n,
  metadata: { actor: { userId: 'alice', orgId: 'acme' }, resourceOwner: 'acme' },
})

test('finds where each of many streams ends, as a map would', () => {
  const events: RecordedEvent[] = []
  const ends = streamEnds(events)
  const expected = new Map<StreamId, number>()
  const add = (stream: StreamId) => {
    events.push(eventOf(stream))
    ends.move(events.length - 1)
    expected.set(stream, events.length - 1)
  }
  // So many that names meet in one place, and that the table grows several times.
  for (let round = 0; round < 2; round++) {
    for (let index = 0; index < 5_000; index++) add(`project_role-acme+portal+${index}`)
  }
  for (const [stream, end] of expected) expect(ends.find(stream)).toBe(end)
})

test('finds nothing of a stream that was never there', () => {
  const events = [eventOf('project-acme+portal')]
  const ends = streamEnds(events)
  expect(ends.find('project-acme+portal')).toBe(NOWHERE)
  ends.move(0)
  expect(ends.find('project-acme+portal')).toBe(0)
  expect(ends.find('project-acme+porta')).toBe(NOWHERE)
  expect(ends.find('project-acme+portal ')).toBe(NOWHERE)
})

test('tells names apart that differ in one unit of UTF-16', () => {
  const names = ['\u{1F511}', '\u{1F512}', 'é', 'e\u0301', ''].map(
    (key): StreamId => `project_role-acme+portal+${key}`,
  )
  const events = names.map(eventOf)
  const ends = streamEnds(events)
  for (const index of names.keys()) ends.move(index)
  expect(names.map(ends.find)).toEqual([...names.keys()])
})
