import type { StreamId } from '../../domain/values.js'
import {
  type Append,
  MAX_APPEND_BYTES,
  MAX_NAME_BYTES,
  MAX_WRITES,
  type Metadata,
} from '../../ports/event-store.js'
import { allOf, demand, demandEqual, demandRejection, spoil } from '../law.js'
import { appendOf, firstOf, record, storeLaws, verdict, wholeLog, write } from './harness.js'

/** Laws of `append`: what it records, when it is refused, its idempotency key, and how text is kept. */
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
  'An append that no store can keep is rejected and leaves no trace.': async (store) => {
    for (const [what, append] of refused()) {
      await demandRejection(`an append with ${what}`, store.append(append))
    }
    demandEqual('what the log holds', await wholeLog(store), [])
    demandEqual('the last position', await store.lastPosition(), 0n)
  },
  'A rejected append does not affect an append sent with it.': async (store) => {
    const verdicts = await allOf(
      [...refused()].map(async ([what, append], n) => {
        const refusal = demandRejection(`an append with ${what}`, verdict(store, append))
        const [, answer] = await allOf([refusal, verdict(store, firstOf(`law-good-${n}`))])
        return answer
      }),
    )
    demandEqual('events recorded for the others', verdicts, Array(verdicts.length).fill(1))
  },
  [`The data of an append may take ${MAX_APPEND_BYTES} bytes.`]: async (store) => {
    const data = dataOf(MAX_APPEND_BYTES)
    await record(store, appendOf([write('law-a', 0, data)]))
    demandEqual('the data', (await store.readStream('law-a'))[0]?.data, data)
  },
  [`Stream names, event types, ids and keys may take ${MAX_NAME_BYTES} bytes.`]: async (store) => {
    const name = '😀'.repeat(MAX_NAME_BYTES / 4)
    await record(store, withType(name))
    await record(store, firstOf(`law-${name.slice(2)}`))
    for (const [index, [, metadata]] of metadataWith(name).entries()) {
      await record(store, firstOf(`law-${index}`, metadata))
    }
    const { length } = await store.findAppend({ idempotencyKey: name })
    demandEqual('the events that a long key finds', length, 1)
  },
  'Stream names are any well-formed text, compared by code points.': async (store) => {
    for (const [n, stream] of NAMES.entries()) {
      await record(store, appendOf([write(stream, 0, { n })]))
    }
    for (const [n, stream] of NAMES.entries()) {
      const found = (await store.readStream(stream)).map((event) => [event.stream, event.data])
      demandEqual(`the stream ${JSON.stringify(stream)}`, found, [[stream, { n }]])
    }
  },
  'Ids and keys are stored unchanged and compared code point by code point.': async (store) => {
    for (const [n, name] of NAMES.entries()) {
      const metadata = {
        actor: { userId: name, orgId: name },
        resourceOwner: name,
        correlationId: name,
        reason: name,
        idempotencyKey: name,
        commandHash: name,
        managedBy: name,
      }
      const recorded = await record(store, firstOf(`law-${n}`, metadata))
      demandEqual('metadata', (await store.readStream(`law-${n}`))[0]?.metadata, metadata)
      demandEqual('an append', await store.findAppend({ idempotencyKey: name }), recorded)
    }
  },
  'Data is stored as JSON represents it.': async (store) => {
    await record(store, appendOf([write('law-a', 0, ...STRANGE_DATA)]))
    const stored = (await store.readStream('law-a')).map(({ data }) => data)
    demandEqual('the data', stored, STRANGE_DATA)
  },
  'Types and schema versions are stored unchanged.': async (store) => {
    const events = NAMES.map((type, n) => ({ type, schemaVersion: n + 1, data: {} }))
    await record(store, appendOf([{ stream: 'law-a', expectedVersion: 0, events }]))
    const stored = (await store.readStream('law-a')).map(({ type, schemaVersion, data }) => ({
      type,
      schemaVersion,
      data,
    }))
    demandEqual('the events', stored, events)
  },
})

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

/** How often a race is run: a store that checks before it writes loses only some of them. */
const ROUNDS = 10

const USED = { kind: 'IdempotencyKeyUsed' }

const UNSTORABLE = ['\0', 'a\ud800b', 'x'.repeat(MAX_NAME_BYTES + 1), '😀'.repeat(513)]

/** Data whose JSON takes `bytes` bytes. */
const dataOf = (bytes: number): object => ({ text: 'x'.repeat(bytes - '{"text":""}'.length) })

/** Appends that every store refuses, by their mistake. */
const refused = (): ReadonlyMap<string, Append> => {
  const appends = new Map([
    ['no writes', appendOf([])],
    ['a stream named twice', appendOf([write('law-a', 0, {}), write('law-a', 1, {})])],
    [
      'a stream named twice by guards',
      appendOf([write('law-a', 0), write('law-b', 0), write('law-a', 0)]),
    ],
    ['a version below 0', appendOf([write('law-a', -1, {})])],
    ['half a version', appendOf([write('law-a', 0.5, {})])],
    ['too high a version', appendOf([write('law-a', 2 ** 53, {})])],
    ['no number as version', appendOf([write('law-a', Number.NaN, {})])],
    ['a schema version below 1', withType('law.tried', 0)],
    ['half a schema version', withType('law.tried', 1.5)],
    ['too high a schema version', withType('law.tried', 2 ** 53)],
    ['too many writes', tooManyWrites()],
    ['too many bytes', appendOf([write('law-a', 0, dataOf(MAX_APPEND_BYTES + 1))])],
    ['too many bytes of control characters', escaped('\u0001', 6)],
    ['too many bytes of umlauts', escaped('ü', 2)],
    ['too many bytes in several events', inParts()],
  ])
  for (const text of UNSTORABLE) {
    const excerpt = JSON.stringify(text.slice(0, 10))
    appends.set(`${excerpt} as id`, { ...firstOf('law-a'), id: text })
    appends.set(`${excerpt} as stream`, firstOf(`law-${text}`))
    appends.set(`${excerpt} as event type`, withType(text))
    for (const [field, metadata] of metadataWith(text)) {
      appends.set(`${excerpt} as ${field}`, firstOf('law-a', metadata))
    }
  }
  return appends
}

const tooManyWrites = (): Append =>
  appendOf(Array.from({ length: MAX_WRITES + 1 }, (_, n) => write(`law-${n}`, 0, {})))

const escaped = (character: string, bytes: number): Append =>
  appendOf([write('law-a', 0, { text: character.repeat(MAX_APPEND_BYTES / bytes) })])

const inParts = (): Append => {
  const part = dataOf(MAX_APPEND_BYTES / 4 + 1)
  return appendOf([write('law-a', 0, part, part), write('law-b', 0, part, part)])
}

const withType = (type: string, schemaVersion = 1): Append =>
  appendOf([{ stream: 'law-a', expectedVersion: 0, events: [{ type, schemaVersion, data: {} }] }])

const metadataWith = (text: string): readonly (readonly [string, Partial<Metadata>])[] => [
  ['user', { actor: { userId: text, orgId: 'org-1' } }],
  ['organization of the user', { actor: { userId: 'user-1', orgId: text } }],
  ['resource owner', { resourceOwner: text }],
  ['correlation id', { correlationId: text }],
  ['reason', { reason: text }],
  ['idempotency key', { idempotencyKey: text }],
  ['command hash', { commandHash: text }],
  ['managed by', { managedBy: text }],
]

/** Names that some databases take for equal to another name of the list. */
const SIMILAR_NAMES = [
  ...['editor', 'Editor', 'EDITOR', 'editor ', ' editor', 'editor\t', ''],
  ...['é', 'e\u0301', 'e', 'ß', 'ss', 'ﬁ', 'fi', 'I', 'ı', 'İ', '1', '01', '1.0'],
]

const STRANGE_NAMES = [
  'a/b\\c',
  'a+b+c',
  'a%b_c*d?',
  `'; DROP TABLE events; --`,
  '"quoted" `back` $1 :name @name',
  'line\nbreak\r\ttab\u0001',
  '😀👩‍👩‍👧‍👦',
  '𝔸\u{10FFFF}',
  '\u202eright to left\u200b',
  '\ufeffbyte order mark',
  '\uffff\ue000',
  '😀'.repeat(200),
  '__proto__',
  'constructor',
]

const NAMES = [...SIMILAR_NAMES, ...STRANGE_NAMES].map((name): StreamId => `law-${name}`)

const STRANGE_DATA = [
  { text: 'quotes \' " ` and \\ / \n \t \0 \u0001 \u2028 and 😀 and \u{10FFFF}' },
  { text: 'composed \u00e9, decomposed e\u0301 and \u212b' },
  { text: 'lone \ud800 and \udc00 surrogates', '\udfff': true },
  JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{}},"toString":1}'),
  { '': '', ' ': null, deep: [[[{ list: [1, -1.5, 1e300, 5e-324, 2 ** 53, true, null, []] }]]] },
  {},
]
