import { describe, expect, test } from 'vitest'
import {
  checkAppend,
  InvalidAppend,
  prepareAppend,
} from '../../../src/adapters/store/record-events.js'
import { appendOf, firstOf, write } from '../../../src/laws/event-store/harness.js'
import {
  type Append,
  MAX_APPEND_BYTES,
  MAX_NAME_BYTES,
  MAX_WRITES,
} from '../../../src/ports/event-store.js'

const WHOLE_FROM_0 = 'must be a whole number from 0'
const WHOLE_FROM_1 = 'must be a whole number from 1'
const TWICE = 'must not name a stream twice'
const UNSTORABLE = 'must not contain'

const eventsOf = (...events: readonly { type?: string; schemaVersion?: number }[]) => ({
  stream: 'law-a' as const,
  expectedVersion: 0,
  events: events.map((event) => ({ type: 't', schemaVersion: 1, data: {}, ...event })),
})

/** Appends that are wrong in one part, by its path and why. */
const WRONG: readonly (readonly [string, string, Append])[] = [
  ['writes', 'must not be empty', appendOf([])],
  ['writes', `must be at most ${MAX_WRITES}`, appendOf(guards(MAX_WRITES + 1))],
  ['writes', TWICE, appendOf([write('law-a', 0), write('law-a', 0)])],
  ['writes', TWICE, appendOf([write('law-a', 0), write('law-b', 0), write('law-a', 0)])],
  ['id', UNSTORABLE, { ...firstOf('law-a'), id: '\0' }],
  ['metadata.actor.userId', UNSTORABLE, firstOf('law-a', { actor: { userId: '\0', orgId: 'o' } })],
  ['metadata.actor.orgId', UNSTORABLE, firstOf('law-a', { actor: { userId: 'u', orgId: '\0' } })],
  ...(
    [
      'resourceOwner',
      'correlationId',
      'reason',
      'idempotencyKey',
      'commandHash',
      'managedBy',
    ] as const
  ).map(
    (field) => [`metadata.${field}`, UNSTORABLE, firstOf('law-a', { [field]: '\ud800' })] as const,
  ),
  ['writes[1].stream', UNSTORABLE, appendOf([write('law-a', 0), write('law-\0', 0)])],
  ['writes[0].expectedVersion', WHOLE_FROM_0, appendOf([write('law-a', 2 ** 53)])],
  ['writes[0].expectedVersion', WHOLE_FROM_0, appendOf([write('law-a', -1)])],
  ['writes[0].events[1].type', UNSTORABLE, appendOf([eventsOf({}, { type: '\0' })])],
  ...[0, -1, 1.5].map(
    (schemaVersion) =>
      [
        'writes[0].events[1].schemaVersion',
        WHOLE_FROM_1,
        appendOf([eventsOf({}, { schemaVersion })]),
      ] as const,
  ),
  [
    'metadata.reason',
    `must be at most ${MAX_NAME_BYTES} bytes`,
    firstOf('law-a', { reason: `x${'é'.repeat(MAX_NAME_BYTES / 2)}` }),
  ],
]

/** Guards of so many streams. */
function guards(count: number) {
  return Array.from({ length: count }, (_, n) => write(`law-${n}`, 0))
}

/** An event with these data. */
const holding = (data: object): Append => appendOf([write('law-a', 0, data)])

/** What is found wrong by the check alone, and while JSON is prepared. */
const findings = (append: Append): readonly unknown[] => {
  let thrown: unknown
  try {
    prepareAppend(append)
  } catch (found) {
    thrown = found
  }
  return [checkAppend(append), thrown]
}

describe('An append that no store may record', () => {
  test.each(WRONG)('is refused for its %s, which %s', (field, objection, append) => {
    for (const found of findings(append)) {
      expect(found).toBeInstanceOf(InvalidAppend)
      expect(found).toMatchObject({ name: 'InvalidAppend', field, outcome: 'not_recorded' })
      expect(found).toHaveProperty('message', expect.stringContaining(`${field} ${objection}`))
    }
  })

  test('never shows the text at fault', () => {
    expect(checkAppend(firstOf('law-secret\0'))?.message).not.toContain('secret')
  })
})

describe('The data of an append', () => {
  const rest = (data: object) => MAX_APPEND_BYTES - JSON.stringify(data).length

  test.each<[string, (units: number) => object, number]>([
    ['letters', (units) => ({ text: 'x'.repeat(units) }), 1],
    ['control characters', (units) => ({ text: '\u0001'.repeat(units) }), 6],
    ['letters of a key', (units) => ({ ['x'.repeat(units)]: 1 }), 1],
    ['control characters of a key', (units) => ({ ['\u0001'.repeat(units)]: 1 }), 6],
    ['characters of three bytes', (units) => ({ text: '€'.repeat(units) }), 3],
    ['lists of texts', (units) => ({ list: ['', [{ a: 'x'.repeat(units) }]] }), 1],
  ])('may take 4 MiB as JSON, and no more: %s', (_, data, bytesPerUnit) => {
    const units = rest(data(0)) / bytesPerUnit
    expect(findings(holding(data(Math.floor(units))))).toEqual([undefined, undefined])
    const refused = {
      field: 'writes',
      message: expect.stringContaining(`${MAX_APPEND_BYTES} bytes`),
    }
    expect(findings(holding(data(Math.floor(units) + 1)))).toMatchObject([refused, refused])
  })

  test('are counted together, whatever the streams are', () => {
    const half = { text: 'x'.repeat(MAX_APPEND_BYTES / 2) }
    const writes = [write('law-a', 0, half), write('law-b', 0, half)]
    expect(findings(appendOf(writes))).toMatchObject([{ field: 'writes' }, { field: 'writes' }])
    expect(findings(appendOf(writes.slice(1)))).toEqual([undefined, undefined])
  })

  test('have JSON, or the mistake of the program is thrown', () => {
    expect(() => checkAppend(holding({ n: 1n }))).toThrow(TypeError)
    expect(() => prepareAppend(holding({ n: 1n }))).toThrow(TypeError)
  })
})

test.each<[string, Append]>([
  ['with a key', firstOf('law-a', { idempotencyKey: 'org+key' })],
  ['with two writes', appendOf([write('law-a', 0, {}), write('law-b', 0)])],
  ['with as many writes as there may be', appendOf(guards(MAX_WRITES))],
  ['with the longest text', firstOf('law-a', { reason: 'x'.repeat(MAX_NAME_BYTES) })],
  ['with the longest text in bytes', firstOf('law-a', { reason: 'é'.repeat(MAX_NAME_BYTES / 2) })],
  ['with the largest version', appendOf([write('law-a', Number.MAX_SAFE_INTEGER, {})])],
])('An append %s is not refused', (_, append) => {
  expect(findings(append)).toEqual([undefined, undefined])
})
