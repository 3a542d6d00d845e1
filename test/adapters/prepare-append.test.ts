import { expect, test } from 'vitest'
import { prepareAppend } from '../../src/adapters/prepare-append.js'
import { appendOf } from '../../src/testing/event-store-laws/samples.js'

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
