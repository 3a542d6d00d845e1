import { MAX_WRITES } from '../../../ports/event-store.js'
import { demand, demandEqual } from '../../law.js'
import { spoil } from '../../spoil.js'
import { storeLaws } from '../harness.js'
import { appendOf, firstOf, record, wholeLog, write } from '../samples.js'

/** One hour, in microseconds: the clocks of two machines differ by less. */
const MAX_CLOCK_DIFFERENCE = 3_600_000_000n

/** Every optional field. */
const EVERY_METADATA = {
  correlationId: 'request-1',
  idempotencyKey: 'key',
  commandHash: 'hash',
  managedBy: 'law',
  managedVersion: Number.MAX_SAFE_INTEGER,
}

/** What an append records. */
export const appendLaws = storeLaws({
  'an append returns its events as recorded, in the order written': async (_, { open }) => {
    for (const metadata of [EVERY_METADATA, {}]) {
      const store = await open()
      const append = appendOf(
        [write('law-b', 0, { n: 1 }, { n: 2 }), write('law-a', 0, { n: 3 })],
        metadata,
      )
      const recorded = await record(store, append)
      const expected = [
        { stream: 'law-b', version: 1, data: { n: 1 } },
        { stream: 'law-b', version: 2, data: { n: 2 } },
        { stream: 'law-a', version: 1, data: { n: 3 } },
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
      demandEqual('what a stream holds', await store.readStream('law-b'), expected.slice(0, 2))
    }
  },
  'versions count from 1 in each stream, over all appends to it': async (store) => {
    await record(store, appendOf([write('law-a', 0, {}, {})]))
    await record(store, appendOf([write('law-b', 0, {})]))
    await record(store, appendOf([write('law-a', 2, {})]))
    const versions = (await store.readStream('law-a')).map(({ version }) => version)
    demandEqual('versions of a stream', versions, [1, 2, 3])
  },
  'positions are bigints, strictly rise over all streams, and tell the time in microseconds':
    async (store) => {
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
  'an append without events records nothing': async (store) => {
    const log = await record(store, firstOf('law-a'))
    const append = appendOf([write('law-a', 1), write('law-b', 0)])
    demandEqual('what it returns', await record(store, append), [])
    demandEqual('what the log holds', await wholeLog(store), log)
    demandEqual('the last position', await store.lastPosition(), log.at(-1)?.position)
    demandEqual('what it recorded', await store.findAppend({ id: append.id }), [])
  },
  [`an append may have ${MAX_WRITES} writes`]: async (store) => {
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
  'recorded events stay as they are when objects passed in or returned are changed': async (
    store,
  ) => {
    const idempotencyKey = 'key'
    const data = { list: [1, { deep: 'kept' }] }
    const append = appendOf([write('law-a', 0, data)], { idempotencyKey })
    const { id } = append
    const recorded = await record(store, append)
    const before = structuredClone(recorded)
    spoil([append, recorded])
    // Twice: the second round reads after the answers of the first were spoilt.
    for (let round = 0; round < 2; round++) {
      const answers = {
        stream: await store.readStream('law-a'),
        log: await wholeLog(store),
        byId: await store.findAppend({ id }),
        byKey: await store.findAppend({ idempotencyKey }),
      }
      for (const [what, answer] of Object.entries(answers)) demandEqual(what, answer, before)
      spoil(answers)
    }
  },
})
