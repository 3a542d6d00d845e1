import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { memoryEventStore } from '../../../src/adapters/memory/event-store.js'
import { openPostgres, type Postgres } from '../../../src/adapters/postgres/index.js'
import { openSqlite, type Sqlite } from '../../../src/adapters/sqlite/index.js'
import { appendOf, write } from '../../../src/laws/event-store/harness.js'
import type { EventCount, EventStore, Metadata } from '../../../src/ports/event-store.js'
import { type PostgresServer, startPostgres } from '../../postgres-server.js'

/** One character of each plane of Unicode, and the edges of each. */
const PLANES = Array.from({ length: 17 }, (_, plane) => {
  const points = [0x20, 0x41, 0xfffd, 0xfffe, 0xffff].map((point) => plane * 0x10000 + point)
  return String.fromCodePoint(...points)
})

const nested = (depth: number): object =>
  depth === 0 ? {} : JSON.parse(`${'{"a":'.repeat(depth)}{}${'}'.repeat(depth)}`)

/** Text that some program between here and the disk may take amiss. */
const TEXTS: readonly string[] = [
  '',
  ' ',
  'a\0b',
  '\0',
  'a\ud800',
  '\udc00a',
  '\ud83d\ude00',
  '\ude00\ud83d',
  `'; DROP TABLE claviger.events; --`,
  `"'\`$1 :a @b ?1 %s %% {0} {} {a,b} "{\\"`,
  '$$ $body$ E\'\\x41\' U&"\\0041" \\x00 \\u0000 \\',
  '/* -- */ ; COMMIT; ROLLBACK; LISTEN x',
  'NULL',
  'null',
  '{NULL}',
  '{"a":1}',
  'true',
  '-1e308',
  '\r\n\t\b\f\v\u001f\u007f\u0085\u2028\u2029',
  '\u202e\u200d\ufeff\u{e0001}',
  'ÅÅ é e\u0301 ß ﬁ İ ı ǆ',
  'x'.repeat(2043),
  'x'.repeat(2044),
  '😀'.repeat(510),
  '😀'.repeat(511),
  ...PLANES,
  PLANES.join(''),
]

/** 10 MB of it: more than an append may hold. */
const HUGE = 'x'.repeat(10 * 1024 * 1024)

const DATA: readonly object[] = [
  ...TEXTS.map((text) => ({ text, [text]: text, list: [text, [text]] })),
  { text: HUGE },
  { [HUGE]: 1 },
  { text: '\u0001'.repeat(700_000) },
  { text: '\ud800'.repeat(699_000) },
  { numbers: [0, -0, 1.5, 2 ** 53, -(2 ** 53), 1e21, 5e-324, 1.7976931348623157e308] },
  { lost: [Number.NaN, Number.POSITIVE_INFINITY, undefined], gone: undefined },
  { date: new Date(0), map: new Map([[1, 2]]) },
  { big: 1n },
  JSON.parse('{"__proto__":{"a":1},"constructor":1,"toString":null,"":{"":[]}}'),
  nested(1000),
  [],
]

let server: PostgresServer
let postgres: Postgres
let sqlite: Sqlite
let stores: readonly (EventStore & EventCount)[]

beforeAll(async () => {
  server = await startPostgres({ settings: ['fsync=off'] })
  postgres = await openPostgres({ connectionString: server.connectionString })
  sqlite = openSqlite(':memory:')
  stores = [memoryEventStore(), sqlite.store, postgres.store]
})

afterAll(async () => {
  await postgres.close()
  await sqlite.close()
  await server[Symbol.asyncDispose]()
})

/** What a store makes of an append: what it keeps of it, or why it refuses. */
const made = async (store: EventStore, append: ReturnType<typeof appendOf>): Promise<unknown> => {
  try {
    const result = await store.append(append)
    if (result.isErr()) return result.error
    const kept = await store.findAppend({ id: append.id })
    return kept.map(({ position: _, ...event }) => JSON.stringify(event))
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message.slice(0, 200)}` : error
  }
}

/** Holds that all stores make the same of it. */
const expectSame = async (append: ReturnType<typeof appendOf>): Promise<unknown> => {
  const [inMemory, ...others] = await Promise.all(stores.map((store) => made(store, append)))
  for (const other of others) expect(other).toEqual(inMemory)
  return inMemory
}

const shown = (value: unknown): string => String(JSON.stringify(value)).slice(0, 40)

describe('Every store makes the same of', () => {
  test.each(TEXTS.map((text, n) => [n, shown(text), text] as const))(
    'text %i as name of a stream, type, id and key: %s',
    async (n, _, text) => {
      await expectSame(appendOf([write(`law-${text}`, 0, { n })]))
      await expectSame(appendOf([write(`law-${text}`, 0, { n })]))
      const event = { type: text, schemaVersion: 1, data: { n } }
      await expectSame(appendOf([{ stream: `type-${n}`, expectedVersion: 0, events: [event] }]))
      await expectSame({ ...appendOf([write(`id-${n}`, 0, { n })]), id: text })
      const metadata: Metadata = {
        actor: { userId: text, orgId: text },
        resourceOwner: text,
        correlationId: text,
        idempotencyKey: text,
      }
      await expectSame(appendOf([write(`key-${n}`, 0, { n })], metadata))
      const again = await expectSame(appendOf([write(`again-${n}`, 0, { n })], metadata))
      expect(shown(again)).toMatch(/IdempotencyKeyUsed|InvalidAppend/)
    },
  )

  test.each(DATA.map((data, n) => [n, data] as const))('data %i', async (n, data) => {
    await expectSame(
      appendOf([
        {
          stream: `data-${n}`,
          expectedVersion: 0,
          events: [{ type: 't', schemaVersion: 1, data }],
        },
      ]),
    )
  })

  test.each([Number.MAX_SAFE_INTEGER, 2 ** 31, 2 ** 32, 1, 0])('version %d', async (version) => {
    await expectSame(appendOf([write('version-a', version)]))
    await expectSame(appendOf([write('version-a', version, {})]))
    for (const store of stores) expect(await store.readStream('version-b', version)).toEqual([])
  })

  test('the log as a whole', async () => {
    const logs = await Promise.all(stores.map((store) => store.readAll(0n, 1_000_000)))
    const [inMemory, ...others] = logs.map((log) =>
      log.map(({ position: _, ...event }) => JSON.stringify(event)),
    )
    expect(inMemory?.length).toBeGreaterThan(100)
    for (const other of others) expect(other).toEqual(inMemory)
  })

  test('positions beyond every number', async () => {
    for (const after of [2n ** 53n, 2n ** 63n - 1n, 2n ** 63n, 2n ** 64n, 10n ** 30n]) {
      for (const store of stores) {
        expect(await store.readAll(after, 1)).toEqual([])
        expect(await store.countAfter(after)).toBe(0)
      }
    }
  })

  test('positions below every number', async () => {
    for (const after of [-1n, -(2n ** 63n), -(2n ** 63n) - 1n, -(10n ** 30n)]) {
      for (const store of stores) {
        expect(await store.readAll(after, 1)).toEqual(await store.readAll(0n, 1))
        expect(await store.countAfter(after)).toBe(await store.countAfter(0n))
      }
    }
  })
})
