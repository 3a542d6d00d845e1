import { Code, ConnectError, createConnectRouter } from '@connectrpc/connect'
import {
  readAllBytes,
  type UniversalHandler,
  type UniversalServerResponse,
} from '@connectrpc/connect/protocol'
import { Health } from '../gen/grpc/health/v1/health_pb.js'
import { ServerReflection } from '../gen/grpc/reflection/v1/reflection_pb.js'
import {
  type Handler,
  type HttpRequest,
  type HttpResponse,
  isEncoded,
  MAX_REQUEST_BYTES,
} from '../http.js'
import { LONGEST_TIMER, readBody } from '../json/handler.js'
import { type Refusal, unsupportedType } from '../json/refusal.js'
import type { OpenRpc } from '../json/routes.js'
import type { Operation } from '../operations/operation.js'
import type { ResolvedOptions } from '../options.js'
import { addRpc, SERVICES } from './add-rpc.js'
import { reflection } from './reflection.js'
import { FRAME_BYTES } from './request.js'

/** gRPC, gRPC-web and the binary form of the Connect protocol. */
export const openRpc: OpenRpc = (options) => ({
  handlerOf: (operation, refusal) => unaryHandler(options, operation, refusal),
  streams: streamPaths(options).map((path) => ['POST', path, streamHandler(options, path)]),
})

const streamPaths = ({ health, reflection }: ResolvedOptions): readonly string[] => [
  ...(reflection ? [`/${ServerReflection.typeName}/ServerReflectionInfo`] : []),
  ...(health ? [`/${Health.typeName}/Watch`] : []),
]

/** Most bytes of one message of a stream, which holds a name. */
const MAX_MESSAGE_BYTES = 64 * 1024

/**
 * Reflection, and `Watch` of health, which is UNIMPLEMENTED. Anybody may call them, because they only describe the
 * public package.
 */
const streamHandlers = ({ health }: ResolvedOptions): readonly UniversalHandler[] =>
  createConnectRouter({ readMaxBytes: MAX_MESSAGE_BYTES })
    .service(
      ServerReflection,
      reflection([...SERVICES, ...(health ? [Health] : []), ServerReflection]),
    )
    .rpc(Health.method.watch, () => {
      throw new ConnectError('Watch is not supported', Code.Unimplemented)
    }).handlers

const unaryHandler = (
  options: ResolvedOptions,
  operation: Operation,
  refusal?: Refusal,
): Handler => {
  const router = createConnectRouter()
  addRpc(router, options, { operation, refusal })
  const [handler] = router.handlers
  return async (request) => {
    const answer = handler && (await answerOf(handler, request, bodyOf(request)))
    return answer ? wholeResponse(answer) : notServed(request, 'application/json')
  }
}

/** The body in one piece. */
async function* bodyOf({ body, signal }: HttpRequest): AsyncIterable<Uint8Array> {
  if (body) yield await readBody(body, signal, FRAME_BYTES + MAX_REQUEST_BYTES)
}

/** The handler of a stream, which begins before the request has ended. It is made at the first request. */
const streamHandler = (options: ResolvedOptions, path: string): Handler => {
  let handler: UniversalHandler | undefined
  return async (request) => {
    handler ??= streamHandlers(options).find(({ requestPath }) => requestPath === path)
    const answer = handler && (await answerOf(handler, request, request.pieces() ?? nothing()))
    if (!answer) return notServed(request, 'application/connect+json')
    const { status, header = new Headers(), body = nothing(), trailer } = answer
    return { status, headers: Object.fromEntries(header), body, trailers: trailer }
  }
}

async function* nothing(): AsyncIterable<Uint8Array> {}

const GRPC_TYPE = /^application\/grpc(\+|;|$)/i

/** The response of ConnectRPC; undefined if it does not serve the content type. */
const answerOf = async (
  handler: UniversalHandler,
  request: HttpRequest,
  body: AsyncIterable<Uint8Array>,
): Promise<UniversalServerResponse | undefined> => {
  const { httpVersion, method, path, query, signal } = request
  const header = request.headers()
  if (!hasTrailers(request) && GRPC_TYPE.test(header.get('content-type') ?? '')) return undefined
  const url = `http://localhost${path}?${query}`
  const received = { httpVersion, method, url, header: boundedHeaders(header), signal, body }
  const answer = await handler(received)
  return answer.status === 415 ? undefined : answer
}

/** gRPC ends with trailers, which only our HTTP/2 servers are sure to send. */
const hasTrailers = ({ httpVersion }: HttpRequest): boolean => httpVersion.startsWith('2')

const notServed = (request: HttpRequest, json: string): HttpResponse => {
  const served = [json, 'application/grpc-web+proto']
  return unsupportedType(
    [...served, ...(hasTrailers(request) ? ['application/grpc'] : [])].join(', '),
  )
}

/** Most bytes of a response. None has as many. */
const MAX_RESPONSE_BYTES = 0xffff_ffff

const wholeResponse = async (answer: UniversalServerResponse): Promise<HttpResponse> => {
  const { status, header = new Headers(), body, trailer } = answer
  const bytes = body ? await readAllBytes(body, MAX_RESPONSE_BYTES) : new Uint8Array()
  // For clients that compress gRPC. Nothing else in gRPC is unimplemented.
  if (trailer?.get('grpc-status') === String(Code.Unimplemented))
    header.set('grpc-accept-encoding', 'identity')
  return {
    status,
    headers: Object.fromEntries(header),
    body: bytes,
    trailers: trailer && Object.fromEntries(trailer),
  }
}

/** Headers that ConnectRPC repeats in its errors. gRPC sends these in trailers, which must stay short. */
const REPEATED = ['grpc-timeout', 'grpc-encoding']

const BOUNDED = [...REPEATED, 'content-encoding', 'connect-timeout-ms']

/** No value of these headers that means anything is longer. */
const LONGEST_VALUE = 64

const MILLISECONDS: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1_000 }

/** The headers for ConnectRPC: without the coding `identity`, and without deadlines longer than any timer. */
const boundedHeaders = (received: Headers): Headers => {
  if (!BOUNDED.some((name) => received.has(name))) return received
  const header = new Headers(received)
  for (const name of REPEATED) {
    const value = header.get(name)
    if (value !== null) header.set(name, value.slice(0, LONGEST_VALUE))
  }
  if (!isEncoded(header)) header.delete('content-encoding')
  if (timeoutOf(header.get('grpc-timeout')) > LONGEST_TIMER) header.delete('grpc-timeout')
  if (Number(header.get('connect-timeout-ms')) > LONGEST_TIMER) header.delete('connect-timeout-ms')
  return header
}

const timeoutOf = (text: string | null): number => {
  const [, digits, unit = ''] = /^(\d{1,8})([HMS])$/.exec(text ?? '') ?? []
  return Number(digits ?? 0) * (MILLISECONDS[unit] ?? 0)
}
