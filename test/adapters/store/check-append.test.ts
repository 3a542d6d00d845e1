import { describe, expect, test } from 'vitest'
import { checkAppend, InvalidAppend } from '../../../src/adapters/store/record-events.js'
import { appendOf, firstOf, write } from '../../../src/laws/event-store/harness.js'

describe('An append that no store may record', () => {
  test.each([
    ['writes', appendOf([])],
    ['writes', appendOf([write('law-a', 0), write('law-b', 0), write('law-a', 0)])],
    ['id', { ...firstOf('law-a'), id: '\0' }],
    ['metadata.actor.userId', firstOf('law-a', { actor: { userId: '\0', orgId: 'o' } })],
    ['metadata.idempotencyKey', firstOf('law-a', { idempotencyKey: '\ud800' })],
    ['writes[1].stream', appendOf([write('law-a', 0), write('law-\0', 0)])],
    ['writes[0].expectedVersion', appendOf([write('law-a', 2 ** 53)])],
    ['writes[0].events[1].schemaVersion', withSchemaVersion(0)],
    ['writes[0].events[1].schemaVersion', withSchemaVersion(1.5)],
  ])('is refused for its %s', (field, append) => {
    const invalid = checkAppend(append)
    expect(invalid).toBeInstanceOf(InvalidAppend)
    expect(invalid?.field).toBe(field)
    expect(invalid?.message).toContain(field)
  })

  test('never shows the text at fault', () => {
    expect(checkAppend(firstOf('law-secret\0'))?.message).not.toContain('secret')
  })
})

test('An append that may be recorded is not refused', () => {
  expect(checkAppend(firstOf('law-a', { idempotencyKey: 'org+key' }))).toBeUndefined()
})

function withSchemaVersion(schemaVersion: number) {
  const events = [1, schemaVersion].map((schemaVersion) => ({ type: 't', schemaVersion, data: {} }))
  return appendOf([{ stream: 'law-a', expectedVersion: 0, events }])
}
