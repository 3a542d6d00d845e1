import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { dataAt, prepareAppend } from '../../../src/adapters/store/record-events.js'
import { appendOf, write } from '../../../src/laws/event-store/harness.js'
import type { Metadata } from '../../../src/ports/event-store.js'

test('The size of an append counts each of its events, and the metadata beside each', () => {
  const textOf = (length: number) => ({ text: 'x'.repeat(length - '{"text":""}'.length) })
  const writeOf = (stream: `law-${string}`, ...lengths: readonly number[]) => ({
    stream,
    expectedVersion: 0,
    events: lengths.map((length) => ({ type: 't', schemaVersion: 1, data: textOf(length) })),
  })
  const { size, metadata } = prepareAppend(
    appendOf([writeOf('law-a', 1_000, 200), writeOf('law-b', 30), writeOf('law-c')]),
  )
  expect(size).toBe(1_230 + 3 * metadata.length)
})

test('The data of an event are prepared in the order written, and one without them is a bug', () => {
  const append = appendOf([write('law-a', 0, { n: 0 }, { n: 1 }), write('law-b', 0, { n: 2 })])
  const prepared = prepareAppend(append)
  expect([0, 1, 2].map((index) => dataAt(prepared, index))).toEqual([
    '{"n":0}',
    '{"n":1}',
    '{"n":2}',
  ])
  expect(() => dataAt(prepared, 3)).toThrow(`Event 3 of the append ${append.id} has no JSON`)
})

describe('Metadata that several appends share', () => {
  const jsonOf = (metadata: Metadata) =>
    JSON.parse(prepareAppend({ ...appendOf([write('law-a', 0, {})]), metadata }).metadata)

  test('is written as it is at each append, unless all of it is frozen', () => {
    const actor = { userId: 'u1', orgId: 'acme' }
    const open = { actor, resourceOwner: 'acme' }
    for (const metadata of [open, Object.freeze({ ...open })]) {
      actor.userId = 'u1'
      expect(jsonOf(metadata)).toEqual(metadata)
      actor.userId = 'u2'
      expect(jsonOf(metadata)).toMatchObject({ actor: { userId: 'u2' } })
    }
    const inside = { actor: Object.freeze({ ...actor }), resourceOwner: 'acme' }
    jsonOf(inside)
    inside.resourceOwner = 'other'
    expect(jsonOf(inside)).toEqual(inside)
  })

  test('is made JSON once when all of it is frozen', () => {
    const actor = Object.freeze({ userId: 'u1', orgId: 'acme' })
    const metadata = Object.freeze({ actor, resourceOwner: 'acme' })
    const appends = [0, 1, 2].map(() => ({ ...appendOf([write('law-a', 0)]), metadata }))
    const stringify = vi.spyOn(JSON, 'stringify')
    onTestFinished(() => stringify.mockRestore())
    for (const append of appends) prepareAppend(append)
    expect(stringify).toHaveBeenCalledExactlyOnceWith(metadata)
  })

  test('is written for each of several frozen objects', () => {
    const [one, other] = ['u1', 'u2'].map((userId) =>
      Object.freeze({ actor: Object.freeze({ userId, orgId: 'acme' }), resourceOwner: 'acme' }),
    ) as [Metadata, Metadata]
    for (const metadata of [one, one, other, one]) expect(jsonOf(metadata)).toEqual(metadata)
  })
})
