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

/** gRPC, gRPC-web, the Connect protocol and JSON on the paths of the rpcs. */
export const rpcService = (
  options: ResolvedOptions,
  operations: readonly Operation[],
): HttpService => {
  const answers = new Map<string, Answer>()
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
    const { header, httpVersion } = request
    // Clients of the Connect protocol say so; its errors are of another form.
    if (header.get('connect-protocol-version') === null && isJson(header)) return json(request, [])
    // gRPC ends with trailers, which of our servers those of HTTP/2 alone can be sure to send.
    const hasTrailers = httpVersion.startsWith('2')
    const isServed = hasTrailers || !GRPC_TYPE.test(header.get('content-type') ?? '')
    const answer = isServed ? await handler(universal(options, handler, request)) : undefined
    if (answer && answer.status !== UNSUPPORTED_TYPE) return httpAnswer(answer)
    const served = ['application/json', 'application/grpc-web+proto']
    return unsupportedType([...served, ...(hasTrailers ? ['application/grpc'] : [])].join(', '))
  }
}

/** The request as ConnectRPC takes it. */
const universal = (
  options: ResolvedOptions,
  { method: rpc }: UniversalHandler,
  { httpVersion, method, path, query, signal, body, ...request }: HttpRequest,
) => {
  const header = request.headers()
  const call = { method: rpc, signal, requestHeader: header, responseHeader: new Map() }
  async function* bytes() {
    if (body) yield await readBody(options, { call, body }, FRAME_BYTES + MAX_REQUEST_BYTES)
  }
  const url = `http://localhost${path}?${query}`
  return { httpVersion, method, url, header: wireHeaders(header), signal, body: bytes() }
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
