import type { StreamId } from '../../domain/values.js'
import {
  type Append,
  MAX_APPEND_BYTES,
  MAX_NAME_BYTES,
  MAX_WRITES,
  type Metadata,
} from '../../ports/event-store.js'
import { allOf, demandEqual, demandRejection } from '../law.js'
import { appendOf, firstOf, record, storeLaws, verdict, wholeLog, write } from './harness.js'

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
    const shown = JSON.stringify(text.slice(0, 10))
    appends.set(`${shown} as id`, { ...firstOf('law-a'), id: text })
    appends.set(`${shown} as stream`, firstOf(`law-${text}`))
    appends.set(`${shown} as event type`, withType(text))
    for (const [field, metadata] of metadataWith(text)) {
      appends.set(`${shown} as ${field}`, firstOf('law-a', metadata))
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

/** The appends that every store refuses. */
export const refusalLaws = storeLaws({
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
})

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
  { text: 'lone \ud800 and \udc00 surrogates', '\udfff': true },
  JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{}},"toString":1}'),
  { '': '', ' ': null, deep: [[[{ list: [1, -1.5, 1e300, 5e-324, 2 ** 53, true, null, []] }]]] },
  {},
]

/** How text is kept. */
export const textLaws = storeLaws({
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
    const kept = (await store.readStream('law-a')).map(({ data }) => data)
    demandEqual('the data', kept, STRANGE_DATA)
  },
  'Types and schema versions are stored unchanged.': async (store) => {
    const events = NAMES.map((type, n) => ({ type, schemaVersion: n + 1, data: {} }))
    await record(store, appendOf([{ stream: 'law-a', expectedVersion: 0, events }]))
    const kept = (await store.readStream('law-a')).map(({ type, schemaVersion, data }) => ({
      type,
      schemaVersion,
      data,
    }))
    demandEqual('the events', kept, events)
  },
})
