import { type DescField, type DescMessage, type DescMethod, ScalarType } from '@bufbuild/protobuf'
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import { fetchHandler } from 'claviger/transport'
import { beforeAll, describe, expect, it } from 'vitest'
import { openIam, transportOptions } from '../transport/host.js'
import { services } from '../transport/services.js'

/** Largest request that is read. */
const MEBIBYTE = 1024 * 1024

/** How many times as long as `JSON.parse` an answer may take. */
const MOST = 5

/** Of what a busy machine makes slow, the best of as many is taken. */
const ROUNDS = 15

/** As many pieces as a request may have, between `head` and `tail`. */
const filled = (head: string, piece: string, tail: string): string => {
  const room = MEBIBYTE - head.length - tail.length + 1
  const pieces = Array(Math.floor(room / (piece.length + 1))).fill(piece)
  return `${head}${pieces.join(',')}${tail}`
}

const isText = ({ fieldKind, scalar }: DescField) =>
  fieldKind === 'scalar' && scalar === ScalarType.STRING

/** Bodies of which each takes some part of the way to an answer long. */
const jsonBodiesOf = ({ fields }: DescMessage): readonly string[] => {
  const names = Array.from({ length: MEBIBYTE / 16 }, (_, index) => `"n${index}":1`).join(',')
  const lists = fields.filter(({ fieldKind }) => fieldKind === 'list')
  const texts = fields.filter(isText)
  const nested = '['.repeat(MEBIBYTE / 4) + ']'.repeat(MEBIBYTE / 4)
  return [
    `{${names}}`,
    filled('{', '"n":1', '}'),
    ...fields.slice(0, 1).map(({ jsonName }) => `{"${jsonName}":${nested}}`),
    ...texts.map(({ jsonName }) => filled(`{"${jsonName}":"`, 'x'.repeat(1_000), '"}')),
    ...lists.flatMap(({ jsonName, message }) => {
      const item = message ? '{}' : '""'
      return [
        filled(`{"${jsonName}":[`, item, ']}'),
        filled(`{"n":1,"${jsonName}":[`, item, ']}'),
        filled(`{"${jsonName}":[`, item, `],"${jsonName}":[]}`),
        filled(`{"${jsonName}":[`, message ? '{"n":1}' : '"x"', ']}'),
        ...(message ? listsWithin(jsonName, message) : []),
      ]
    }),
  ]
}

/** Lists within the items of a list: a few that are long, and many with one item. */
const listsWithin = (outer: string, { fields }: DescMessage): readonly string[] =>
  fields
    .filter(({ fieldKind, message }) => fieldKind === 'list' && message)
    .flatMap(({ jsonName }) => {
      const long = `{"${jsonName}":[${Array(9_000).fill('{}').join(',')}]}`
      return [
        filled(`{"${outer}":[`, long, ']}'),
        filled(`{"${outer}":[`, `{"${jsonName}":[{}]}`, ']}'),
      ]
    })

/** A mebibyte of one field, as short as it can be. */
const binaryOf = (number: number, wireType: WireType): Uint8Array<ArrayBuffer> => {
  const field = new BinaryWriter().tag(number, wireType).uint32(0).finish()
  return new Uint8Array(Buffer.alloc(MEBIBYTE - (MEBIBYTE % field.length), field))
}

/** A number that no field has, of those whose tag is one byte. */
const unknownOf = (fields: readonly DescField[]): number =>
  [15, 14, 13, 12].find((free) => fields.every(({ number }) => number !== free)) ?? 16

const binaryBodiesOf = ({ fields }: DescMessage): readonly Uint8Array<ArrayBuffer>[] => [
  binaryOf(unknownOf(fields), WireType.Varint),
  ...fields.map((field) => {
    const isBytes = field.message !== undefined || field.scalar === ScalarType.STRING
    return binaryOf(field.number, isBytes ? WireType.LengthDelimited : WireType.Varint)
  }),
  ...fields.flatMap(({ number, fieldKind, message }) =>
    fieldKind === 'list' && message ? binaryListsWithin(number, message) : [],
  ),
]

/** Lists within the items of a list: a few that are long, and many that are shorter. */
const binaryListsWithin = (
  outer: number,
  { fields }: DescMessage,
): readonly Uint8Array<ArrayBuffer>[] =>
  fields
    .filter(({ fieldKind, message }) => fieldKind === 'list' && message)
    .flatMap(({ number }) => {
      const empty = new BinaryWriter().tag(number, WireType.LengthDelimited).uint32(0).finish()
      return [9_000, 500].map((items) => {
        const list = Buffer.alloc(items * empty.length, empty)
        const item = new BinaryWriter().tag(outer, WireType.LengthDelimited).bytes(list).finish()
        return new Uint8Array(Buffer.alloc(MEBIBYTE - (MEBIBYTE % item.length), item))
      })
    })

const framed = (message: Uint8Array): Uint8Array<ArrayBuffer> => {
  const head = new DataView(new ArrayBuffer(5))
  head.setUint32(1, message.length)
  return new Uint8Array(Buffer.concat([new Uint8Array(head.buffer), message]))
}

let handler: (request: Request) => Promise<Response>

beforeAll(async () => {
  handler = fetchHandler(await openIam(), transportOptions().options)
})

/** How long the answer takes that a caller without any permission gets, in milliseconds. */
const timeOf = async (method: DescMethod, type: string, body: BodyInit): Promise<number> => {
  const request = new Request(`http://localhost/${method.parent.typeName}/${method.name}`, {
    method: 'POST',
    headers: { authorization: 'Bearer guest', 'content-type': type },
    body,
  })
  const since = performance.now()
  const answer = await handler(request)
  const text = await answer.text()
  const time = performance.now() - since
  // What declares nothing needs no permission.
  const isAnswered = method.name === 'ApplyAccess' && /grpc-status: 0/.test(text)
  if (!isAnswered) expect(`${answer.status} ${text}`).toMatch(/^40[03] |grpc-status: [37]/)
  return time
}

const timeOfParsing = (json: string): number => {
  const since = performance.now()
  JSON.parse(json)
  return performance.now() - since
}

/** The least of several times; of no more than are needed to be at most `enough`. */
const bestOf = async (time: () => number | Promise<number>, enough = 0): Promise<number> => {
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < ROUNDS && best > enough; round++) best = Math.min(best, await time())
  return best
}

/** The body whose answer takes longest. */
const worstOf = async <Body>(
  bodies: readonly Body[],
  time: (body: Body) => Promise<number>,
): Promise<Body> => {
  const timed: { readonly body: Body; readonly time: number }[] = []
  for (const body of bodies) timed.push({ body, time: await time(body) })
  return timed.reduce((worst, next) => (next.time > worst.time ? next : worst)).body
}

const methods = services.flatMap((service) =>
  service.methods.map((method) => [method.name, method] as const),
)

describe.each(methods)(
  'Whoever lacks the permission for %s costs little, with a mebibyte',
  (_, method) => {
    it('of JSON', async () => {
      const time = (body: string) => timeOf(method, 'application/json', body)
      const worst = await worstOf(jsonBodiesOf(method.input), time)
      const most = MOST * (await bestOf(() => timeOfParsing(worst)))
      expect(await bestOf(() => time(worst), most)).toBeLessThanOrEqual(most)
    })

    it('of protobuf, as against JSON of that length', async () => {
      const time = (body: BodyInit) => timeOf(method, 'application/grpc-web+proto', body)
      const worst = await worstOf(binaryBodiesOf(method.input).map(framed), time)
      const json = filled('[', '{}', ']')
      const most = MOST * (await bestOf(() => timeOfParsing(json)))
      expect(await bestOf(() => time(worst), most)).toBeLessThanOrEqual(most)
    })
  },
)
