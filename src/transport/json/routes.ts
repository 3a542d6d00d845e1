import type { Iam } from '../../index.js'
import {
  type Handler,
  type HttpResponse,
  isJson,
  isNoForm,
  jsonResponse,
  type ResponseHeaders,
  type Route,
  type Service,
} from '../http.js'
import { healthOperations } from '../operations/health.js'
import type { Operation } from '../operations/operation.js'
import { operationsOf } from '../operations/services.js'
import { type ResolvedOptions, resolveOptions, type TransportOptions } from '../options.js'
import type { WireMethod } from '../wire.js'
import { connectError } from './connect-error.js'
import { isConnect, type JsonHandler, jsonHandler } from './handler.js'
import {
  methodNotAllowed,
  Refusal,
  reportFailure,
  statusResponse,
  transportStatus,
  unsupportedType,
} from './refusal.js'
import { createRouter, type Entry } from './router.js'
import { pathFields, queryFields } from './url.js'

/** The second door, which serves every protocol but JSON. */
export interface RpcDoor {
  /** The handler of a path, for requests that are not JSON; with a refusal, every call is refused by it. */
  readonly find: (path: string, refusal?: Refusal) => Handler | undefined
}

/** Opens the second door. */
export type OpenRpc = (options: ResolvedOptions, operations: readonly Operation[]) => RpcDoor

/** Headers that a request must have only once, like the one that selects the organization. */
const SINGLE_VALUE_HEADERS = ['idempotency-key', 'if-match'] as const

/**
 * The transport as functions from requests to responses; without `openRpc` it serves only JSON. `name` is the public
 * function's name, for errors.
 */
export const createRoutes = (
  iam: Iam,
  given: TransportOptions,
  { name, openRpc }: { readonly name: string; readonly openRpc?: OpenRpc },
): Service => {
  const operations = operationsOf(iam, given ?? {})
  const options = resolveOptions(given, name)
  const { check, ready } = healthOperations(iam, new Set(operations.map(serviceOf)))
  const called = options.health ? [...operations, check] : operations
  const door = openRpc?.(options, called)
  const routes: readonly Route[] = [
    ...(options.openApi === false ? [] : [documentRoute(options)]),
    ...(options.health ? [healthRoute(options, ready)] : []),
    rpcRoute(options, called, door),
    restRoute(options, operations),
  ]
  const find: Route = (method, path) => {
    for (const route of routes) {
      const handler = route(method, path)
      if (handler) return handler
    }
    return undefined
  }
  const { basePath } = options
  return {
    find: withHead((method, path) =>
      path.startsWith(basePath) ? find(method, path.slice(basePath.length)) : undefined,
    ),
    missing: missingHandler(find, door),
    singleHeaders: [...SINGLE_VALUE_HEADERS, options.organizationHeader.toLowerCase()],
    onUnsent: (thrown, called, header) => reportFailure(options, [called, header], thrown),
  }
}

const serviceOf = ({ method }: Operation): string => method.service

/** HEAD gets the response of GET without the body. */
const withHead =
  (find: Route): Route =>
  (method, path) => {
    if (method !== 'HEAD') return find(method, path)
    const handler = find('GET', path)
    if (!handler) return undefined
    return async (request) => {
      const { status, headers } = await handler(request)
      return { status, headers, body: '' }
    }
  }

const answering = (response: HttpResponse): Handler => {
  return async () => response
}

/** `/openapi.json`. The document is loaded and completed with the host's options at the first request. */
const documentRoute = (options: ResolvedOptions): Route => {
  let text: Promise<string> | undefined
  return (method, path) => {
    if (path !== '/openapi.json') return undefined
    if (method !== 'GET') return answering(methodNotAllowed(['GET']))
    return async () => {
      text ??= documentOf(options)
      return jsonResponse(200, await text)
    }
  }
}

const documentOf = async ({ openApi, organizationHeader }: ResolvedOptions): Promise<string> => {
  const { openApiDocument } = await import('../openapi.js')
  const { securitySchemes, security, servers } = openApi || {}
  const { openapi, info, tags, ...own } = openApiDocument
  const paths: unknown = JSON.parse(JSON.stringify(own.paths), (key, value) =>
    key === 'name' && value === 'x-service-orgid' ? organizationHeader : value,
  )
  const components = { ...own.components, securitySchemes }
  return JSON.stringify({ openapi, info, servers, security, tags, paths, components })
}

/** Refuses every query parameter. */
const noFields = (_: readonly string[], query: string) => queryFields([], query)

/** `/v1/health`, for probes that look at the HTTP status: 200, or 503 with the error body. */
const healthRoute = (options: ResolvedOptions, ready: Operation): Route => {
  const answer = jsonHandler(options, {
    operation: ready,
    isBodyOptional: true,
    urlFields: noFields,
  })
  return (method, path) => {
    if (path !== '/v1/health') return undefined
    return method === 'GET'
      ? (request) => answer(request, [])
      : answering(methodNotAllowed(['GET']))
  }
}

/** The paths of gRPC and Connect: JSON goes the way of all JSON, anything else through the second door. */
const rpcRoute = (
  options: ResolvedOptions,
  operations: readonly Operation[],
  door: RpcDoor | undefined,
): Route => {
  const handlers = new Map<string, Handler>()
  for (const operation of operations) {
    const path = rpcPathOf(operation.method)
    const json = jsonHandler(options, { operation, isBodyOptional: false, urlFields: noFields })
    const other: Handler = async (request) =>
      door?.find(path)?.(request) ?? unsupportedType('application/json')
    handlers.set(path, (request) => (isJson(request.header) ? json(request, []) : other(request)))
  }
  return (method, path) => {
    const handler = handlers.get(path) ?? door?.find(path)
    return handler && method !== 'POST' ? answering(methodNotAllowed(['POST'])) : handler
  }
}

/** Such as `/claviger.v1.ProjectService/GetProject`. */
export const rpcPathOf = ({ service, name }: WireMethod): string => `/${service}/${name}`

/**
 * An encoded letter, digit or one of `-._`: a host may guard the path that has the character itself, and no common
 * client encodes it. `~` is not among them: some do, as older standards asked for it.
 */
const NEEDLESSLY_ENCODED = /%(2[DE]|3\d|[46][1-9A-F]|[57][\dA]|5F)/i

/** Longest path that is looked at, in characters: ids have at most 800 bytes, which may all be encoded. */
const LONGEST_PATH = 16 * 1024

/** The paths of REST. */
const restRoute = (options: ResolvedOptions, operations: readonly Operation[]): Route => {
  const router = createRouter(operations.flatMap((operation) => entriesOf(options, operation)))
  return (method, path) => {
    if (path.length > LONGEST_PATH || NEEDLESSLY_ENCODED.test(path)) return undefined
    const found = router.find(method, path)
    if (found) return (request) => found.target(request, found.params)
    const verbs = router.verbsOf(path)
    return verbs.length > 0 ? answering(methodNotAllowed(verbs)) : undefined
  }
}

/** Operations without a body that send requests to others: a form on another site must not cause them. */
const ASKS_OTHERS = /:(test|verify)$/

const entriesOf = (
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
  const answerOfType: JsonHandler = async (request, params) =>
    isServed(request.header) ? answer(request, params) : unsupportedType('application/json')
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
  (find: Route, door: RpcDoor | undefined) =>
  (method: string, path: string): Handler => {
    const below = pathsBelow(path).find((known) => find(method, known))
    if (below === undefined) return answering(statusResponse(NOTHING_HERE))
    const status = below === path ? NO_PREFIX : OTHER_PREFIX
    const refused = method === 'POST' ? door?.find(below, new Refusal(status)) : undefined
    return async (request) => {
      const { header } = request
      if (refused && !isJson(header)) return refused(request)
      return isConnect(header) ? connectError(status, {}) : statusResponse(status)
    }
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
