import { Code, createConnectRouter } from '@connectrpc/connect'
import {
  readAllBytes,
  type UniversalHandler,
  type UniversalServerResponse,
} from '@connectrpc/connect/protocol'
import type { Operation } from '../operations/operation.js'
import type { ResolvedOptions } from '../options.js'
import { addRpc } from '../rpc/add-rpc.js'
import {
  type HttpAnswer,
  methodNotAllowed,
  UNSUPPORTED_TYPE,
  unsupportedType,
} from './http-answer.js'
import { type Answer, type HttpRequest, type HttpService, isJson } from './http-request.js'
import { MAX_REQUEST_BYTES, readBody } from './read-body.js'
import { jsonCall } from './rest/json-call.js'
import { queryFields } from './rest/url-fields.js'
import { wireHeaders } from './wire-headers.js'

/** gRPC, gRPC-web, the Connect protocol and, but for streams, JSON on the paths of the rpcs. */
export const rpcService = (
  options: ResolvedOptions,
  operations: readonly Operation[],
  streams: readonly UniversalHandler[],
): HttpService => {
  const answers = new Map(streams.map((handler) => [handler.requestPath, streamAnswer(handler)]))
  for (const operation of operations) {
    const router = createConnectRouter()
    addRpc(router, options, operation)
    for (const handler of router.handlers)
      answers.set(handler.requestPath, rpcAnswer(options, operation, handler))
  }
  return (method, path) => {
    const answer = answers.get(path)
    return answer && method !== 'POST' ? async () => methodNotAllowed(['POST']) : answer
  }
}

const GRPC_TYPE = /^application\/grpc(\+|;|$)/i

const rpcAnswer = (
  options: ResolvedOptions,
  operation: Operation,
  handler: UniversalHandler,
): Answer => {
  const json = jsonCall(options, {
    operation,
    isBodyOptional: false,
    urlFields: (_, query) => queryFields([], query),
  })
  return async (request) => {
    const { header, body, signal } = request
    // Clients of the Connect protocol say so; its errors are of another form.
    if (header.get('connect-protocol-version') === null && isJson(header)) return json(request, [])
    async function* bytes() {
      const call = {
        method: handler.method,
        signal,
        requestHeader: header,
        responseHeader: new Map(),
      }
      if (body) yield await readBody(options, { call, body }, FRAME_BYTES + MAX_REQUEST_BYTES)
    }
    const answer = await answerOf(handler, request, bytes())
    return answer ? httpAnswer(answer) : notServed(request, 'application/json')
  }
}

/** One that begins before the request has ended. */
const streamAnswer =
  (handler: UniversalHandler): Answer =>
  async (request) => {
    const answer = await answerOf(handler, request, request.pieces() ?? nothing())
    if (!answer) return notServed(request, 'application/connect+json')
    const { status, header = new Headers(), body = nothing(), trailer } = answer
    return { status, header: Object.fromEntries(header), body, trailer }
  }

async function* nothing(): AsyncIterable<Uint8Array> {}

/** What ConnectRPC answers; undefined where the content type is not served. */
const answerOf = async (
  handler: UniversalHandler,
  request: HttpRequest,
  body: AsyncIterable<Uint8Array>,
): Promise<UniversalServerResponse | undefined> => {
  const { httpVersion, method, path, query, signal } = request
  const header = request.headers()
  if (!hasTrailers(request) && GRPC_TYPE.test(header.get('content-type') ?? '')) return undefined
  const url = `http://localhost${path}?${query}`
  const received = { httpVersion, method, url, header: wireHeaders(header), signal, body }
  const answer = await handler(received)
  return answer.status === UNSUPPORTED_TYPE ? undefined : answer
}

/** gRPC ends with trailers, which of our servers those of HTTP/2 alone can be sure to send. */
const hasTrailers = ({ httpVersion }: HttpRequest): boolean => httpVersion.startsWith('2')

const notServed = (request: HttpRequest, json: string): HttpAnswer => {
  const served = [json, 'application/grpc-web+proto']
  return unsupportedType(
    [...served, ...(hasTrailers(request) ? ['application/grpc'] : [])].join(', '),
  )
}

/** What gRPC has in front of a message. */
const FRAME_BYTES = 5

/** Most bytes of an answer: more than any has. */
const MAX_RESPONSE_BYTES = 0xffff_ffff

const httpAnswer = async (answer: UniversalServerResponse): Promise<HttpAnswer> => {
  const { status, header = new Headers(), body, trailer } = answer
  const bytes = body ? await readAllBytes(body, MAX_RESPONSE_BYTES) : new Uint8Array()
  // For clients that compress gRPC: no other part of it is unimplemented.
  if (trailer?.get('grpc-status') === String(Code.Unimplemented))
    header.set('grpc-accept-encoding', 'identity')
  return {
    status,
    header: Object.fromEntries(header),
    body: bytes,
    trailer: trailer && Object.fromEntries(trailer),
  }
}
