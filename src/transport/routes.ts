import type { Iam } from '../index.js'
import { grpcHandler } from './grpc/handler.js'
import {
  type Handler,
  type HttpResponse,
  isJson,
  isNoForm,
  type ResponseHeaders,
  type Route,
  type Service,
} from './http.js'
import { type JsonHandler, jsonHandler } from './json/handler.js'
import { pathFields, queryFields } from './json/url.js'
import { documentEntry } from './openapi.js'
import { healthOperations } from './operations/health.js'
import type { Operation } from './operations/operation.js'
import {
  methodNotAllowed,
  Refusal,
  reportFailure,
  statusResponse,
  transportStatus,
  unsupportedType,
} from './operations/refusal.js'
import { operationsOf } from './operations/services.js'
import { type ResolvedOptions, resolveOptions, type TransportOptions } from './options.js'
import { createRouter, type Entry } from './router.js'
import type { WireMethod } from './wire.js'

/** Headers that a request must have only once, like the one that selects the organization. */
const SINGLE_VALUE_HEADERS = ['idempotency-key', 'if-match'] as const

/**
 * An encoded letter, digit or one of `-._`: a host may guard the path that has the character itself, and no common
 * client encodes it. `~` is not among them: some do, as older standards asked for it.
 */
const NEEDLESSLY_ENCODED = /%(2[DE]|3\d|[46][1-9A-F]|[57][\dA]|5F)/i

/** Longest path that is looked at, in characters: ids have at most 800 bytes, which may all be encoded. */
const LONGEST_PATH = 16 * 1024

/** The transport as functions from requests to responses. `name` is the public function's name, for errors. */
export const createRoutes = (iam: Iam, input: TransportOptions, name: string): Service => {
  const operations = operationsOf(iam, input ?? {})
  const options = resolveOptions(input, name)
  const { basePath } = options
  const { check, ready } = healthOperations(iam, operations)
  const called = options.health ? [...operations, check] : operations
  const router = createRouter<JsonHandler>([
    ...operations.flatMap((operation) => restEntries(options, operation)),
    ...called.map((operation) => rpcEntry(options, operation)),
    ...(options.health ? [healthEntry(options, ready), watchEntry(options, check)] : []),
    ...(options.openApi === false ? [] : [documentEntry(options)]),
  ])
  const find: Route = (method, path) => {
    if (path.length > LONGEST_PATH || NEEDLESSLY_ENCODED.test(path)) return undefined
    // HEAD gets the response of GET; the servers send it without its body.
    const found = router.find(method === 'HEAD' ? 'GET' : method, path)
    if (found) return (request) => found.target(request, found.params)
    const verbs = router.verbsOf(path)
    return verbs.length > 0 ? answering(methodNotAllowed(verbs)) : undefined
  }
  return {
    find: (method, path) =>
      path.startsWith(basePath) ? find(method, path.slice(basePath.length)) : undefined,
    missing: missingHandler(find, (path, refusal) => {
      const operation = called.find(({ method }) => rpcPathOf(method) === path)
      return operation && grpcHandler(options, operation, refusal)
    }),
    singleHeaders: [...SINGLE_VALUE_HEADERS, options.organizationHeader.toLowerCase()],
    onUnsent: (thrown, called, header) => reportFailure(options, [called, header], thrown),
  }
}

const answering = (response: HttpResponse): Handler => {
  return async () => response
}

const notJson = answering(unsupportedType('application/json'))

/** Refuses every query parameter. */
const noFields = (_: readonly string[], query: string) => queryFields([], query)

/** Health for probes that look at the HTTP status: 200, or 503 with the error body. */
const healthEntry = (options: ResolvedOptions, operation: Operation): Entry<JsonHandler> => [
  'GET',
  '/v1/health',
  jsonHandler(options, { operation, isBodyOptional: true, urlFields: noFields }),
]

/** Anybody may call `Watch`, and is refused: its stream would only repeat what `Check` answers. */
const watchEntry = (options: ResolvedOptions, operation: Operation): Entry<Handler> => {
  const refusal = new Refusal(transportStatus('unimplemented', 'Watch is not supported'))
  return ['POST', `/${operation.method.service}/Watch`, grpcHandler(options, operation, refusal)]
}

/** The path of an rpc: JSON goes the way of all JSON, anything else is gRPC. */
const rpcEntry = (options: ResolvedOptions, operation: Operation): Entry<JsonHandler> => {
  const json = jsonHandler(options, { operation, isBodyOptional: false, urlFields: noFields })
  const other = grpcHandler(options, operation)
  const answer: JsonHandler = (request, params) =>
    isJson(request.header) ? json(request, params) : other(request)
  return ['POST', rpcPathOf(operation.method), answer]
}

/** Such as `/claviger.v1.ProjectService/GetProject`. */
const rpcPathOf = ({ service, name }: WireMethod): string => `/${service}/${name}`

/** Operations without a body that send requests to others: a form on another site must not cause them. */
const ASKS_OTHERS = /:(test|verify)$/

const restEntries = (
  options: ResolvedOptions,
  operation: Operation,
): readonly Entry<JsonHandler>[] => {
  const { verb, path, hasBody = false } = operation.method
  if (verb === undefined || path === undefined) return []
  const { inPath, inQuery } = placesOf(operation.method)
  const answer = jsonHandler(options, {
    operation,
    isBodyOptional: !hasBody,
    headers: verb === 'GET' ? varyOf(options) : {},
    urlFields: (params, query) => ({
      ...pathFields(inPath, params),
      ...(query !== '' && queryFields(inQuery, query)),
    }),
  })
  // Some clients send a type without a body.
  const isServed = hasBody ? isJson : ASKS_OTHERS.test(path) ? isNoForm : () => true
  const answerOfType: JsonHandler = (request, params) =>
    isServed(request.header) ? answer(request, params) : notJson(request)
  return [[verb, path, answerOfType]]
}

/** For a cache that stores responses in spite of `no-store`. */
const varyOf = ({ organizationHeader }: ResolvedOptions): ResponseHeaders => ({
  vary: `Authorization, Cookie, ${organizationHeader}`,
})

/** The fields of a request that its path has, and those that its query may have. */
export const placesOf = ({ path = '', hasBody, request }: WireMethod) => {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].flatMap(([, name]) =>
    request.fields.filter(({ protoName }) => protoName === name),
  )
  const others = request.fields.filter((field) => !inPath.includes(field))
  return { inPath, inQuery: hasBody ? others.filter(({ inQuery }) => inQuery) : others }
}

const notFound = (message: string) => transportStatus('not_found', message, 'PATH_NOT_FOUND')

const NOTHING_HERE = notFound('No such path')
const NO_PREFIX = notFound('The path does not begin with basePath')
const OTHER_PREFIX = notFound('No such path. The server may need basePath for this prefix')

/** Most segments of a possible prefix, because a path may have thousands. */
const LONGEST_PREFIX = 8

/** Reports a path that would be served under another prefix, in the protocol of the request. */
const missingHandler =
  (find: Route, rpc: (path: string, refusal: Refusal) => Handler | undefined) =>
  (method: string, path: string): Handler => {
    const below = pathsBelow(path).find((known) => find(method, known))
    if (below === undefined) return answering(statusResponse(NOTHING_HERE))
    const status = below === path ? NO_PREFIX : OTHER_PREFIX
    const refused = method === 'POST' ? rpc(below, new Refusal(status)) : undefined
    return async (request) =>
      refused && !isJson(request.header) ? refused(request) : statusResponse(status)
  }

/** The path, and the rest of it below each of its first segments. */
const pathsBelow = (path: string): readonly string[] => {
  const paths = [path]
  for (let at = path.indexOf('/', 1); at > 0; at = path.indexOf('/', at + 1)) {
    if (paths.length > LONGEST_PREFIX) break
    paths.push(path.slice(at))
  }
  return paths
}
