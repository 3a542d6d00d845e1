import { MAX_WRITES } from '../../ports/event-store.js'
import { demand, demandEqual } from '../law.js'
import type { EventStoreLaw } from './harness.js'
import { appendOf, firstOf, record, verdict, wholeLog, write } from './samples.js'

/** An hour: no two machines are that far apart. */
const MAX_CLOCK_DIFFERENCE = 3_600_000_000n

/** What an append records. */
export const appendLaws: readonly EventStoreLaw[] = [
  {
    name: 'an append returns its events as recorded, in the order written',
    check: async ({ open }) => {
      const store = await open()
      const append = appendOf(
        [write('law-a', 0, { n: 1 }, { n: 2 }), write('law-b', 0, { n: 3 })],
        { correlationId: 'request-1', managedBy: 'law', commandHash: 'hash' },
      )
      const recorded = await record(store, append)
      const expected = [
        { stream: 'law-a', version: 1, data: { n: 1 } },
        { stream: 'law-a', version: 2, data: { n: 2 } },
        { stream: 'law-b', version: 1, data: { n: 3 } },
      ].map((event, index) => ({
        ...event,
        type: 'law.tried',
        schemaVersion: 1,
        appendId: append.id,
        metadata: append.metadata,
        position: recorded[index]?.position,
      }))
      demandEqual('what append returns', recorded, expected)
      demandEqual('what the log holds', await wholeLog(store), expected)
    },
  },
  {
    name: 'versions count from 1 in each stream, over all appends to it',
    check: async ({ open }) => {
      const store = await open()
      await record(store, appendOf([write('law-a', 0, {}, {})]))
      await record(store, appendOf([write('law-b', 0, {})]))
      await record(store, appendOf([write('law-a', 2, {})]))
      const versions = (await store.readStream('law-a')).map(({ version }) => version)
      demandEqual('versions of a stream', versions, [1, 2, 3])
    },
  },
  {
    name: 'positions are bigints, strictly rise over all streams, and tell the time in microseconds',
    check: async ({ open }) => {
      const store = await open()
      const recorded = [
        ...(await record(store, appendOf([write('law-a', 0, {}, {}), write('law-b', 0, {})]))),
        ...(await record(store, firstOf('law-c'))),
        ...(await record(store, appendOf([write('law-a', 2, {})]))),
      ]
      let last = 0n
      for (const { position } of recorded) {
        demand(typeof position === 'bigint', 'a position to be a bigint')
        demand(position > last, `a position above ${last}, not ${position}`)
        last = position
      }
      const difference = last - BigInt(Date.now()) * 1000n
      demand(
        difference < MAX_CLOCK_DIFFERENCE && -difference < MAX_CLOCK_DIFFERENCE,
        `a position of about now, in microseconds since 1970, not ${last}`,
      )
    },
  },
  {
    name: 'a write without events guards the version of its stream and adds nothing to it',
    check: async ({ open }) => {
      const store = await open()
      await record(store, firstOf('law-a'))
      const guarded = appendOf([write('law-a', 1), write('law-b', 0, {})])
      demandEqual('the events of a guarded append', (await record(store, guarded)).length, 1)
      demandEqual('the guarded stream', (await store.readStream('law-a')).length, 1)
      demandEqual(
        'the answer when the guarded stream has moved on',
        await verdict(store, appendOf([write('law-a', 0), write('law-c', 0, {})])),
        { kind: 'VersionConflict', stream: 'law-a' },
      )
      demandEqual('the stream of the refused append', await store.readStream('law-c'), [])
    },
  },
  {
    name: 'an expected version other than that of the stream is a conflict, be it lower or higher',
    check: async ({ open }) => {
      const store = await open()
      await record(store, appendOf([write('law-a', 0, {}, {})]))
      const conflict = { kind: 'VersionConflict', stream: 'law-a' }
      for (const version of [0, 1, 3, 2 ** 40]) {
        const answer = await verdict(store, appendOf([write('law-a', version, {})]))
        demandEqual(`the answer to version ${version} of a stream at 2`, answer, conflict)
      }
      demandEqual('what the log holds', (await wholeLog(store)).length, 2)
    },
  },
  {
    name: 'every write is recorded or none, and the first stream that conflicts is told',
    check: async ({ open }) => {
      const store = await open()
      await record(store, appendOf([write('law-b', 0, {}), write('law-d', 0, {})]))
      const append = appendOf([
        write('law-a', 0, {}),
        write('law-b', 0, {}),
        write('law-c', 0, {}),
        write('law-d', 5),
      ])
      const conflict = { kind: 'VersionConflict', stream: 'law-b' }
      demandEqual('the answer', await verdict(store, append), conflict)
      const reversed = { ...append, writes: append.writes.toReversed() }
      demandEqual('the answer when the writes are reversed', await verdict(store, reversed), {
        kind: 'VersionConflict',
        stream: 'law-d',
      })
      const taken = appendOf([write('law-a', 0, {}), write('law-b', 0, {})])
      demandEqual('the answer when the last one conflicts', await verdict(store, taken), conflict)
      demandEqual('what the log holds', (await wholeLog(store)).length, 2)
      demandEqual('what the refused append recorded', await store.findAppend(append), [])
    },
  },
  {
    name: 'an append without events records nothing',
    check: async ({ open }) => {
      const store = await open()
      const append = appendOf([write('law-a', 0), write('law-b', 0)])
      demandEqual('what it returns', await record(store, append), [])
      demandEqual('what the log holds', await wholeLog(store), [])
      demandEqual('what it recorded', await store.findAppend({ id: append.id }), [])
    },
  },
  {
    name: `an append may have ${MAX_WRITES} writes`,
    check: async ({ open }) => {
      const store = await open()
      const writes = Array.from({ length: MAX_WRITES }, (_, n) => write(`law-${n}`, 0, { n }))
      const append = appendOf(writes)
      demandEqual('the events recorded', (await record(store, append)).length, MAX_WRITES)
      const numbers = (await wholeLog(store)).map(({ data }) => data)
      demandEqual(
        'the log',
        numbers,
        writes.map((_, n) => ({ n })),
      )
    },
  },
  {
    name: 'what is recorded stays as it is, whatever happens to the objects handed in or out',
    check: async ({ open }) => {
      const store = await open()
      const append = appendOf([write('law-a', 0, { list: [1, { deep: 'kept' }] })])
      const before = structuredClone(await record(store, append))
      for (const event of [...(await store.readStream('law-a')), ...(await wholeLog(store))]) {
        spoil(event)
      }
      spoil(append)
      demandEqual('the stream', await store.readStream('law-a'), before)
      demandEqual('the log', await wholeLog(store), before)
    },
  },
]

/** Changes every part of `value` that lets itself be changed. */
const spoil = (value: unknown): void => {
  if (typeof value !== 'object' || value === null) return
  for (const [key, item] of Object.entries(value)) {
    spoil(item)
    Reflect.set(value, key, 'spoilt')
  }
}
