import type { StreamId } from '../../../domain/values.js'
import { demandEqual } from '../../law.js'
import { storeLaws } from '../harness.js'
import { appendOf, firstOf, record, write } from '../samples.js'

/** Names that some database takes for equal to another one of the list. */
const DIFFERENT_NAMES = [
  'editor',
  'Editor',
  'EDITOR',
  'editor ',
  ' editor',
  'editor\t',
  'é',
  'e\u0301',
  'e',
  'ß',
  'ss',
  'ﬁ',
  'fi',
  'I',
  'ı',
  'İ',
  '1',
  '01',
  '1.0',
  '',
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

const NAMES = [...DIFFERENT_NAMES, ...STRANGE_NAMES].map((name): StreamId => `law-${name}`)

const STRANGE_DATA = [
  { text: 'quotes \' " ` and \\ / \n \t \0 \u0001 \u2028 and 😀 and \u{10FFFF}' },
  { text: 'lone \ud800 and \udc00 surrogates', '\udfff': true },
  JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{}},"toString":1}'),
  { '': '', ' ': null, deep: [[[{ list: [1, -1.5, 1e300, 5e-324, 2 ** 53, true, null, []] }]]] },
  {},
]

/** All text is kept as it is. */
export const textLaws = storeLaws({
  'streams may have any name of well-formed text and are compared code point by code point': async (
    store,
  ) => {
    for (const [n, stream] of NAMES.entries()) {
      await record(store, appendOf([write(stream, 0, { n })]))
    }
    for (const [n, stream] of NAMES.entries()) {
      const found = (await store.readStream(stream)).map((event) => [event.stream, event.data])
      demandEqual(`the stream ${JSON.stringify(stream)}`, found, [[stream, { n }]])
    }
  },
  'ids and keys are kept as they are and compared code point by code point': async (store) => {
    for (const [n, name] of NAMES.entries()) {
      const metadata = {
        actor: { userId: name, orgId: name },
        resourceOwner: name,
        correlationId: name,
        idempotencyKey: name,
        commandHash: name,
        managedBy: name,
      }
      const recorded = await record(store, firstOf(`law-${n}`, metadata))
      demandEqual('metadata', (await store.readStream(`law-${n}`))[0]?.metadata, metadata)
      demandEqual('an append', await store.findAppend({ idempotencyKey: name }), recorded)
    }
  },
  'data is kept as JSON keeps it': async (store) => {
    await record(store, appendOf([write('law-a', 0, ...STRANGE_DATA)]))
    const kept = (await store.readStream('law-a')).map(({ data }) => data)
    demandEqual('the data', kept, STRANGE_DATA)
  },
  'types and schema versions are kept as they are': async (store) => {
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
