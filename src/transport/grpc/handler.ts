import {
  concatBytes,
  type Handler,
  type HttpRequest,
  type HttpResponse,
  isEncoded,
  MAX_REQUEST_BYTES,
  type ResponseHeaders,
} from '../http.js'
import { answerCall, ENCODED, headersOf, TOO_LARGE } from '../operations/context.js'
import type { Operation } from '../operations/operation.js'
import { Refusal, transportStatus, unsupportedType } from '../operations/refusal.js'
import type { ResolvedOptions } from '../options.js'
import { readMessage, writeMessage } from './codec.js'
import { OK, trailersOf } from './status.js'

export const grpcHandler = (
  options: ResolvedOptions,
  operation: Operation,
  refused?: Refusal,
): Handler => {
  const { method } = operation
  const common = headersOf(operation)
  return async (request) => {
    const respond = responseIn(request)
    if (!respond) return notServed(request)
    if (refused) return respond(common, [], trailersOf(refused.status))
    return answerCall(options, {
      operation,
      request,
      timeout: timeoutOf(request.header.get('grpc-timeout')),
      most: FRAME_BYTES + MAX_REQUEST_BYTES,
      headers: common,
      begin: () => {
        if (isCompressed(request)) throw COMPRESSED
        return (bytes) => readMessage(method.request, messageIn(bytes))
      },
      respond: (response, headers) =>
        respond(headers, [frame(0, writeMessage(method.response, response))], OK),
      refuse: (status, headers) => respond(headers, [], trailersOf(status)),
    })
  }
}

/** Makes a response of frames and trailers. */
type Respond = (
  headers: ResponseHeaders,
  frames: readonly Uint8Array[],
  trailers: ResponseHeaders,
) => HttpResponse

const TYPE = /^application\/grpc(-web)?(\+proto)?$/i

/** Makes responses in the protocol of the request; undefined if it is not served. */
const responseIn = (request: HttpRequest): Respond | undefined => {
  const [type, web] = TYPE.exec(request.header.get('content-type') ?? '') ?? []
  if (type === undefined || !(web || hasTrailers(request))) return undefined
  return (headers, frames, trailers) => ({
    status: 200,
    headers: {
      ...headers,
      'content-type': `application/grpc${web ?? ''}+proto`.toLowerCase(),
      'cache-control': 'no-store',
    },
    body: concatBytes(web ? [...frames, frame(TRAILERS, textOf(trailers))] : frames),
    ...(!web && { trailers }),
  })
}

/** gRPC ends with trailers, which only our HTTP/2 servers are sure to send. */
const hasTrailers = ({ httpVersion }: HttpRequest): boolean => httpVersion.startsWith('2')

const notServed = (request: HttpRequest): HttpResponse => {
  const served = 'application/json, application/grpc-web+proto'
  return unsupportedType(hasTrailers(request) ? `${served}, application/grpc` : served)
}

const utf8 = new TextEncoder()

const textOf = (trailers: ResponseHeaders): Uint8Array =>
  utf8.encode(
    Object.entries(trailers)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join(''),
  )

/** Flags and length, in front of a message. */
const FRAME_BYTES = 5

/** The flag of a frame of gRPC-web that holds trailers. */
const TRAILERS = 0x80

const frame = (flags: number, message: Uint8Array): Uint8Array => {
  const bytes = new Uint8Array(FRAME_BYTES + message.length)
  const head = new DataView(bytes.buffer)
  head.setUint8(0, flags)
  head.setUint32(1, message.length)
  bytes.set(message, FRAME_BYTES)
  return bytes
}

/** The one message in a body. @throws Refusal unless there is exactly one, whole and uncompressed */
const messageIn = (bytes: Uint8Array): Uint8Array => {
  const [flags] = bytes
  if (flags === undefined) throw NOT_ONE
  if (flags > 1) throw RESERVED_FLAGS
  if (bytes.length < FRAME_BYTES) throw ENDS_EARLY
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(1)
  if (length > MAX_REQUEST_BYTES) throw TOO_LARGE
  const message = bytes.subarray(FRAME_BYTES, FRAME_BYTES + length)
  if (message.length < length) throw ENDS_EARLY
  if (flags === 1) throw MARKED_COMPRESSED
  if (bytes.length > FRAME_BYTES + length) throw NOT_ONE
  return message
}

const fault = (...status: Parameters<typeof transportStatus>) =>
  new Refusal(transportStatus(...status))

const NOT_ONE = fault('unimplemented', 'A request must have exactly one message')
const ENDS_EARLY = fault('invalid_argument', 'The request ends within its message')
const RESERVED_FLAGS = fault('internal', 'The frame of the request has reserved flags')
const MARKED_COMPRESSED = fault('internal', 'The message is compressed, without grpc-encoding')
const MALFORMED_TIMEOUT = fault('invalid_argument', 'grpc-timeout is malformed')
const COMPRESSED = new Refusal(ENCODED, { 'grpc-accept-encoding': 'identity' })

const isCompressed = ({ header }: HttpRequest): boolean =>
  isEncoded(header) || (header.get('grpc-encoding') ?? 'identity') !== 'identity'

const MILLISECONDS = new Map(Object.entries({ H: 36e5, M: 6e4, S: 1e3, m: 1, u: 1e-3, n: 1e-6 }))

const timeoutOf = (text: string | null): number | Refusal | undefined => {
  if (text === null) return undefined
  const [, digits, unit = ''] = /^(\d{1,8})([HMSmun])$/.exec(text) ?? []
  const milliseconds = MILLISECONDS.get(unit)
  return milliseconds === undefined ? MALFORMED_TIMEOUT : Number(digits) * milliseconds
}
