import type { OutgoingHttpHeaders } from 'node:http2'
import type { DescMethodUnary } from '@bufbuild/protobuf'
import fc from 'fast-check'
import { awkwardText } from './inputs.js'
import { messagesOf } from './messages.js'

/** One call as it goes over HTTP/2. */
export interface Sent {
  readonly headers: OutgoingHttpHeaders
  /** The body, in the pieces that it is written in. */
  readonly pieces: readonly Uint8Array[]
  /** So many zeros follow the pieces: empty messages without end. */
  readonly zeros: number
  /** How the request ends; `reset` within its body. */
  readonly ending: 'end' | 'reset' | 'trailers'
}

/** A frame: flags, length, bytes. The length is not always that of the bytes. */
const frame = (message: Uint8Array): fc.Arbitrary<Uint8Array> =>
  fc
    .record({
      flags: fc.oneof({ weight: 8, arbitrary: fc.constant(0) }, fc.constantFrom(1, 2, 0x80, 0xff)),
      length: fc.oneof(
        { weight: 8, arbitrary: fc.constant(message.length) },
        fc.constantFrom(0, 1, message.length + 1, 2 ** 20, 2 ** 20 + 1, 2 ** 32 - 1),
      ),
    })
    .map(({ flags, length }) => {
      const head = new DataView(new ArrayBuffer(5))
      head.setUint8(0, flags)
      head.setUint32(1, length)
      return new Uint8Array(Buffer.concat([new Uint8Array(head.buffer), message]))
    })

/** Mostly one message; sometimes none, several, or something behind it. */
const body = ({ input }: DescMethodUnary): fc.Arbitrary<Uint8Array> =>
  fc.oneof(
    { weight: 12, arbitrary: messagesOf(input).chain(frame) },
    fc
      .array(messagesOf(input).chain(frame), { minLength: 2, maxLength: 3 })
      .map((frames) => new Uint8Array(Buffer.concat(frames))),
    fc
      .tuple(messagesOf(input).chain(frame), fc.uint8Array({ minLength: 1, maxLength: 6 }))
      .map((parts) => new Uint8Array(Buffer.concat(parts))),
    fc.uint8Array({ maxLength: 4 }),
  )

const pieces = (bytes: Uint8Array): fc.Arbitrary<readonly Uint8Array[]> =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constant([bytes]) },
    fc.nat(bytes.length).map((at) => [bytes.slice(0, at), bytes.slice(at)]),
    fc.constant([...bytes.slice(0, 40)].map((byte) => new Uint8Array([byte]))),
  )

/** Text that a header can hold. */
const headerText = fc.oneof(
  fc.string({ unit: 'grapheme-ascii', maxLength: 40 }).map((text) => text.trim()),
  awkwardText.map((text) => encodeURIComponent(text.toWellFormed())),
)

/** Grows when gRPC repeats it. */
const LONG = '"%'.repeat(15_000)

/** Each header that means something, and what it may be but should not. */
const ODD_HEADERS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  'content-type': fc.constantFrom(
    ...['application/grpc+json', 'application/grpc-web+json', 'application/grpc+thrift'],
    ...['application/grpc-web-text', 'application/grpcx', 'text/plain', 'application/json', ''],
  ),
  te: fc.constant('trailers'),
  'grpc-timeout': fc.constantFrom('1n', '0S', '1m', '99999999H', '-1S', '1', LONG),
  'grpc-encoding': fc.constantFrom('identity', 'gzip', 'br', '', LONG),
  'grpc-accept-encoding': fc.constantFrom('gzip', 'identity,gzip', '*', ''),
  authorization: headerText,
  'x-service-orgid': headerText,
  'idempotency-key': headerText,
  'if-match': fc.oneof(headerText, fc.constantFrom('*', '"1"', '"99999999999999999999"', 'W/"1"')),
  'connect-protocol-version': fc.constantFrom('1', '2'),
  'connect-timeout-ms': fc.constantFrom('1', 'soon'),
  'x-strange-bin': fc.constantFrom('***', 'AAAA', '='),
  ':method': fc.constantFrom('GET', 'PUT', 'OPTIONS'),
  ':path': fc.constantFrom('/', '//', '/claviger.v1.ProjectService/Explode', '/v1/projects/%E0'),
}
const oddHeader = fc
  .constantFrom(...Object.keys(ODD_HEADERS))
  .chain((name) => (ODD_HEADERS[name] ?? headerText).map((value) => ({ [name]: value })))

/** Calls of `method` with this content type: mostly well-formed, or odd in one or two ways. */
export const callsOf = (method: DescMethodUnary, type: string): fc.Arbitrary<Sent> =>
  fc
    .record({
      pieces: body(method).chain(pieces),
      zeros: fc.oneof({ weight: 40, arbitrary: fc.constant(0) }, fc.constantFrom(5, 200_000)),
      odd: fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, oddHeader),
      ending: fc.oneof(
        { weight: 8, arbitrary: fc.constant('end' as const) },
        fc.constantFrom('reset' as const, 'trailers' as const),
      ),
    })
    .map(({ odd, ...call }) => ({
      ...call,
      headers: {
        ':method': 'POST',
        ':path': `/${method.parent.typeName}/${method.name}`,
        authorization: 'Bearer admin',
        'content-type': type,
        te: 'trailers',
        ...odd,
      },
    }))
