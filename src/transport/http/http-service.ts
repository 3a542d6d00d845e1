import { Code, createConnectRouter } from '@connectrpc/connect'
import type { UniversalHandler, UniversalServerResponse } from '@connectrpc/connect/protocol'
import type { Iam } from '../../index.js'
import { httpError } from '../errors/error-body.js'
import { httpRuleOf } from '../json/http-rule.js'
import { jsonAnswer } from '../json/json-answer.js'
import { type Answer, type HttpRequest, plainJson, transcode } from '../json/transcode.js'
import { openApi } from '../openapi/openapi.js'
import { type Edge, edgeOf, type TransportOptions } from '../options.js'
import { connectRoutes } from '../rpc/connect-routes.js'
import { withBody } from './request-body.js'
import { withWireHeaders } from './wire-headers.js'

/** Answers every path of the transport; undefined for other paths. */
export type HttpService = (request: HttpRequest) => Promise<UniversalServerResponse> | undefined

/** The transport as one function from HTTP request to HTTP response. */
export const httpService = (iam: Iam, options: TransportOptions): HttpService => {
  const router = createConnectRouter()
  connectRoutes(iam, options)(router)
  const edge = edgeOf(options)
  const rpcs = new Map(
    router.handlers.map((handler) => [handler.requestPath, rpcAnswer(edge, handler)]),
  )
  const resources = router.handlers.flatMap((handler) => resourceOf(edge, handler))
  const document = openApiAnswer(edge)

  const find: HttpService = (request) => {
    const { pathname } = new URL(request.url)
    if (pathname === '/openapi.json') return document(request)
    const rpc = rpcs.get(pathname)
    if (rpc) return rpc(request)
    if (NEEDLESSLY_ENCODED.test(pathname)) return undefined
    const found = resources.filter(({ pattern }) => pattern.test(pathname))
    if (found.length === 0) return undefined
    const resource = found.find(({ verb }) => verb === request.method)
    return resource ? resource.answer(request) : methodNotAllowed(found.map(({ verb }) => verb))
  }
  return (received) => {
    const request = withWireHeaders(received)
    if (request.method !== 'HEAD') return find(request)
    return find({ ...request, method: 'GET' })?.then(({ body: _, ...head }) => head)
  }
}

/** A letter, a digit or one of `-._~` (RFC 3986, section 2.3): a host may guard the path that has it as it is. */
const NEEDLESSLY_ENCODED = /%(2[DE]|3\d|[46][1-9A-F]|[57][\dA]|5F|7E)/i

/** With any parameters (RFC 9110, section 5.6.6), but in no other charset. */
const JSON_TYPE = /^application\/json[ \t]*(;|$)(?!.*charset=(?!"?utf-?8"?[ \t]*(;|$)))/i
const GRPC_TYPE = /^application\/grpc(\+|;|$)/i

const UNSUPPORTED_TYPE = 415

const resourceOf = (edge: Edge, handler: UniversalHandler) => {
  const rule = httpRuleOf(handler.method)
  if (!rule) return []
  const transcoded = transcode(rule, handler)
  const answer: Answer = (request) => {
    // Some clients name a type where there is no body.
    const isJson = !rule.hasBody || JSON_TYPE.test(request.header.get('content-type') ?? '')
    if (!isJson) return unsupportedType('application/json')
    const answer = transcoded(withBody(edge, handler, request))
    return rule.verb === 'GET' ? answer.then((found) => withVary(edge, found)) : answer
  }
  return [{ verb: rule.verb, pattern: rule.pattern, answer }]
}

/**
 * For a cache that was told to keep what must not be stored: of one URL, who calls makes another answer, and so does
 * the organization.
 */
const withVary = (
  { organizationHeader }: Edge,
  answer: UniversalServerResponse,
): UniversalServerResponse => {
  const header = new Headers(answer.header)
  header.append('vary', `Authorization, Cookie, ${organizationHeader}`)
  return { ...answer, header }
}

const rpcAnswer = (edge: Edge, handler: UniversalHandler): Answer => {
  const json = plainJson(handler)
  return async (received) => {
    const request = withBody(edge, handler, received)
    const type = request.header.get('content-type') ?? ''
    if (request.method !== 'POST') return methodNotAllowed(['POST'])
    // Clients of the Connect protocol say so; its errors are of another form.
    const isPlain = !request.header.has('connect-protocol-version')
    if (isPlain && JSON_TYPE.test(type)) return json(request)
    // gRPC ends with trailers, which of our servers those of HTTP/2 alone can be sure to send.
    const hasTrailers = request.httpVersion.startsWith('2')
    const answer = hasTrailers || !GRPC_TYPE.test(type) ? await handler(request) : undefined
    if (answer && answer.status !== UNSUPPORTED_TYPE) return withEncodings(answer)
    const served = ['application/json', 'application/grpc-web+proto']
    return unsupportedType([...served, ...(hasTrailers ? ['application/grpc'] : [])].join(', '))
  }
}

/** Tells whoever compresses gRPC what is served instead: all that is unimplemented of it. */
const withEncodings = (answer: UniversalServerResponse): UniversalServerResponse => {
  if (answer.trailer?.get('grpc-status') === String(Code.Unimplemented))
    answer.header?.set('grpc-accept-encoding', 'identity')
  return answer
}

const openApiAnswer = ({ organizationHeader }: Edge): Answer => {
  const text = JSON.stringify(openApi(organizationHeader))
  return async ({ method }) =>
    method === 'GET' ? jsonAnswer(200, text) : methodNotAllowed(['GET'])
}

/** RFC 9110, section 15.5.6. */
const methodNotAllowed = async (verbs: readonly string[]): Promise<UniversalServerResponse> =>
  httpError(
    405,
    {
      code: Code.Unimplemented,
      message: 'The path has no such method',
      reason: 'METHOD_NOT_ALLOWED',
    },
    // What has GET, has HEAD.
    new Headers({ allow: verbs.join(', ').replace('GET', 'GET, HEAD') }),
  )

/** RFC 9110, section 15.5.16. */
const unsupportedType = async (accepted: string): Promise<UniversalServerResponse> =>
  httpError(
    UNSUPPORTED_TYPE,
    {
      code: Code.InvalidArgument,
      message: 'The content type is not served here',
      reason: 'UNSUPPORTED_MEDIA_TYPE',
    },
    new Headers({ accept: accepted }),
  )

/** The answer where a path is not of the transport and nobody else is there to answer. */
export const notFound = (): UniversalServerResponse =>
  httpError(404, {
    code: Code.NotFound,
    message: 'There is nothing at this path',
    reason: 'PATH_NOT_FOUND',
  })
