import { MAX_WRITES } from '../../ports/event-store.js'
import { allOf, demand, demandEqual, spoil } from '../law.js'
import { appendOf, firstOf, record, storeLaws, verdict, wholeLog, write } from './harness.js'

/** One hour, in microseconds: more than the clocks of two machines differ. */
const MAX_CLOCK_DIFFERENCE = 3_600_000_000n

/** All optional fields. */
const EVERY_METADATA = {
  correlationId: 'request-1',
  reason: 'ticket 4711',
  idempotencyKey: 'key',
  commandHash: 'hash',
  managedBy: 'law',
  managedVersion: Number.MAX_SAFE_INTEGER,
  protect: true as const,
}

/** Laws of the events that an append records. */
export const appendLaws = storeLaws({
  'An append returns its events as recorded, in the order written.': async (_, { open }) => {
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
  'Versions count from 1 in each stream, over all appends to it.': async (store) => {
    await record(store, appendOf([write('law-a', 0, {}, {})]))
    await record(store, appendOf([write('law-b', 0, {})]))
    await record(store, appendOf([write('law-a', 2, {})]))
    const versions = (await store.readStream('law-a')).map(({ version }) => version)
    demandEqual('versions of a stream', versions, [1, 2, 3])
  },
  'Positions are bigints, rise over all streams, and are microseconds.': async (store) => {
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
  'An append without events records nothing.': async (store) => {
    const log = await record(store, firstOf('law-a'))
    const append = appendOf([write('law-a', 1), write('law-b', 0)])
    demandEqual('what it returns', await record(store, append), [])
    demandEqual('what the log holds', await wholeLog(store), log)
    demandEqual('the last position', await store.lastPosition(), log.at(-1)?.position)
    demandEqual('what it recorded', await store.findAppend({ id: append.id }), [])
  },
  [`An append may have ${MAX_WRITES} writes.`]: async (store) => {
    const writes = Array.from({ length: MAX_WRITES }, (_, n) => write(`law-${n}`, 0, { n }))
    const append = appendOf(writes)
    demandEqual('the events recorded', (await record(store, append)).length, MAX_WRITES)
    const data = writes.map((_, n) => ({ n }))
    demandEqual(
      'the data',
      (await wholeLog(store)).map((event) => event.data),
      data,
    )
  },
  'Changing a value that was passed in or returned changes nothing stored.': async (store) => {
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

/** When an append is refused. */
export const conflictLaws = storeLaws({
  'A write without events guards its stream and adds nothing to it.': async (store) => {
    await record(store, firstOf('law-a'))
    const guarded = appendOf([write('law-a', 1), write('law-b', 0, {})])
    demandEqual('the events of a guarded append', (await record(store, guarded)).length, 1)
    demandEqual('the guarded stream', (await store.readStream('law-a')).length, 1)
    const conflict = { kind: 'VersionConflict', stream: 'law-a' }
    const outdated = appendOf([write('law-a', 0), write('law-c', 0, {})])
    demandEqual('the answer to an outdated guard', await verdict(store, outdated), conflict)
    const guard = appendOf([write('law-a', 0)])
    demandEqual('the answer to a mere guard', await verdict(store, guard), conflict)
    demandEqual('the stream of the refused append', await store.readStream('law-c'), [])
  },
  'An append may have any number of guards, and each may refuse it.': async (store) => {
    const names = ['a', 'b', 'c', 'd', 'e']
    for (const name of names) await record(store, firstOf(`law-${name}`))
    const guards = names.map((name) => write(`law-${name}`, 1))
    for (const [index, name] of names.entries()) {
      const writes = guards.with(index, write(`law-${name}`, 2))
      const answer = await verdict(store, appendOf([write('law-new', 0, {}), ...writes]))
      const conflict = { kind: 'VersionConflict', stream: `law-${name}` }
      demandEqual(`the answer to an outdated guard ${index + 1}`, answer, conflict)
    }
    demandEqual('the stream of the refused appends', await store.readStream('law-new'), [])
    const recorded = await record(store, appendOf([write('law-new', 0, {}), ...guards]))
    demandEqual('the events of the guarded append', recorded.length, 1)
    const taken = appendOf([write('law-new', 0, {}), ...guards.with(2, write('law-c', 0))])
    const conflict = { kind: 'VersionConflict', stream: 'law-new' }
    demandEqual('the answer when the event conflicts, too', await verdict(store, taken), conflict)
  },
  'An expected version below or above the version of the stream is a conflict.': async (store) => {
    await record(store, appendOf([write('law-a', 0, {}, {})]))
    const conflict = { kind: 'VersionConflict', stream: 'law-a' }
    for (const version of [0, 1, 3, 2 ** 40]) {
      const answer = await verdict(store, appendOf([write('law-a', version, {})]))
      demandEqual(`the answer to version ${version} of a stream at 2`, answer, conflict)
    }
    demandEqual('what the log holds', (await wholeLog(store)).length, 2)
  },
  'Either all writes are recorded or none, and the first conflict is reported.': async (store) => {
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
})

/** How often a race is run: a store that checks before it writes loses only some of them. */
const ROUNDS = 10

const USED = { kind: 'IdempotencyKeyUsed' }

/** At most one append is recorded under one idempotency key. */
export const idempotencyLaws = storeLaws({
  'No handle records a second append under one idempotency key.': async (store, { reopen }) => {
    const handles = [store, await reopen(store)]
    await record(store, firstOf('law-a', { idempotencyKey: 'org-1+key' }))
    const again = firstOf('law-b', {
      actor: { userId: 'user-2', orgId: 'org-2' },
      resourceOwner: 'org-3',
      idempotencyKey: 'org-1+key',
    })
    for (const handle of handles) {
      demandEqual('the answer to a second append', await verdict(handle, again), USED)
    }
    demandEqual('what the log holds', (await wholeLog(store)).length, 1)
    const other = firstOf('law-b', { idempotencyKey: 'org-1+KEY' })
    demandEqual('the answer to a key of its own', await verdict(store, other), 1)
  },
  'A used idempotency key is reported first, even for a mere guard.': async (store) => {
    await record(store, firstOf('law-a', { idempotencyKey: 'key' }))
    const conflicting = firstOf('law-a', { idempotencyKey: 'key' })
    demandEqual('the answer', await verdict(store, conflicting), USED)
    const guard = appendOf([write('law-a', 7)], { idempotencyKey: 'key' })
    demandEqual('the answer to a mere guard', await verdict(store, guard), USED)
  },
  'A conflict or an append without events does not use its idempotency key.': async (store) => {
    await record(store, firstOf('law-a'))
    await verdict(store, firstOf('law-a', { idempotencyKey: 'key' }))
    await verdict(store, appendOf([write('law-a', 1)], { idempotencyKey: 'key' }))
    demandEqual('what the key finds', await store.findAppend({ idempotencyKey: 'key' }), [])
    const first = firstOf('law-b', { idempotencyKey: 'key' })
    demandEqual('the answer to the first use', await verdict(store, first), 1)
  },
  'An append is found by its idempotency key, with all of its events.': async (store) => {
    await record(store, firstOf('law-before'))
    const writes = [write('law-a', 0, { n: 1 }, { n: 2 }), write('law-b', 0, { n: 3 })]
    const recorded = await record(store, appendOf(writes, { idempotencyKey: 'key' }))
    await record(store, firstOf('law-after'))
    demandEqual('what is found', await store.findAppend({ idempotencyKey: 'key' }), recorded)
    demandEqual('what no key finds', await store.findAppend({ idempotencyKey: 'none' }), [])
  },
  'Of simultaneous appends under one key, exactly one is recorded.': async (store, { reopen }) => {
    const second = await reopen(store)
    for (let round = 1; round <= ROUNDS; round++) {
      const idempotencyKey = `key-${round}`
      const verdicts = await allOf(
        Array.from({ length: 6 }, (_, n) =>
          verdict(n % 2 === 0 ? store : second, firstOf(`law-${round}-${n}`, { idempotencyKey })),
        ),
      )
      const refused = verdicts.filter((answer) => answer !== 1)
      demandEqual('the answers to all appends but one', refused, Array(5).fill(USED))
      demandEqual('what the log holds', (await wholeLog(store)).length, round)
    }
  },
})
