import { checkOptions, FUNCTION, type OptionCheck } from '../check-options.js'
import { bytesOf, type JsonObject } from '../handlers/body.js'
import {
  malformed,
  Refusal,
  refusalHeaders,
  refusalOf,
  unexpected,
  unsentTo,
} from '../handlers/refusal.js'
import { identified, serveBoth } from '../handlers/serve.js'
import type { Caller, Iam } from '../index.js'
import { HANDLER_OPTIONS, ORGANIZATION_HEADER } from '../transport/handler-options.js'
import {
  type HttpRequest,
  type HttpResponse,
  isJson,
  jsonResponse,
  type ResponseHeaders,
  type Service,
} from '../transport/http.js'
import type { Authentication, TransportOptions } from '../transport/options.js'
import type { NodeRequest } from '../transport/servers/node-request.js'
import type { NodeResponse } from '../transport/servers/node-response.js'
import { type Asking, evaluate, evaluateAll, PROJECTS, type ResourceTypes } from './evaluation.js'
import { readRequest } from './request.js'
import { searchActions, searchResources, searchSubjects } from './search.js'

/** Options of `authZenHandler`. */
export interface AuthZenOptions {
  /**
   * Returns the caller, from the headers of the request. Called before the body is read. The same function as for the
   * transport.
   */
  readonly authenticate: TransportOptions['authenticate']
  /** Called with the cause of every response 500 and 503. Default: writes to the console of the process. */
  readonly onError?: TransportOptions['onError']
  /** Header with the organization of the users. Default: `x-service-orgid`. */
  readonly organizationHeader?: string | undefined
  /** `WWW-Authenticate` of responses with status 401. Default: `Bearer`. */
  readonly challenge?: string | undefined
  /**
   * Public base URL of this service, such as `https://pdp.example.com`, without a trailing slash: https, or http on
   * this machine. The discovery document builds every URL from it.
   */
  readonly identifier: string
  /**
   * Finds the project of a resource, by the type of the resource. Default: `project` is the only type, with the ids
   * `projectId`, or `ownerOrgId/projectId` for a project of another organization.
   */
  readonly resources?: ResourceTypes | undefined
  /**
   * Prefix of the paths that the handler gets, such as `/authz` for `/authz/access/v1/evaluation`. Default: none. Leave
   * it out if the server strips the prefix first.
   */
  readonly basePath?: string | undefined
}

/** Handles requests of fetch and of Node.js, and is an Express middleware. */
export interface AuthZenHandler {
  (request: Request): Promise<Response>
  (request: NodeRequest, response: NodeResponse, next?: () => void): void
}

/**
 * Serves the OpenID AuthZEN Authorization API 1.0: whether a user has a permission, and searches for users, resources
 * and permissions. The users belong to the caller's organization, or to the one in the header `x-service-orgid`. The
 * caller needs the permission `user.grant.read` there; for a search of users, in the organization that owns the
 * project.
 *
 * @example
 * const handler = authZenHandler(iam, { authenticate, identifier: 'https://pdp.example.com' })
 *
 * @throws TypeError for an option that is missing, unknown or malformed, and unless `iam` was made by `createIam`
 */
export const authZenHandler = (iam: Iam, options: AuthZenOptions): AuthZenHandler =>
  serveBoth(serviceOf(iam, options))

const IDENTIFIER =
  /^(https:\/\/|http:\/\/(localhost|127\.0\.0\.1|\[::1\])(?=[:/]|$))[^\s?#]*[^\s?#/]$/

const isIdentifier = (value: unknown): boolean =>
  typeof value === 'string' && IDENTIFIER.test(value) && URL.canParse(value)

const isResources = (value: unknown): boolean =>
  Object.values(Object(value)).every((type) =>
    ['project', 'id'].every((name) => typeof Reflect.get(Object(type), name) === 'function'),
  )

const REQUIRED: Readonly<Record<string, OptionCheck>> = {
  authenticate: FUNCTION,
  identifier: [isIdentifier, 'must be an https URL without query, fragment or slash at its end'],
}

const RESOURCES: OptionCheck = [isResources, 'must have functions project and id for every type']

/** Answers a question in the body of a request. @throws Refusal */
type Answer = (asking: Asking, body: JsonObject) => Promise<object>

/** By path, each with its name in the discovery document. */
const ENDPOINTS: Readonly<Record<string, readonly [name: string, answer: Answer]>> = {
  '/access/v1/evaluation': ['access_evaluation_endpoint', evaluate],
  '/access/v1/evaluations': ['access_evaluations_endpoint', evaluateAll],
  '/access/v1/search/subject': ['search_subject_endpoint', searchSubjects],
  '/access/v1/search/resource': ['search_resource_endpoint', searchResources],
  '/access/v1/search/action': ['search_action_endpoint', searchActions],
}

const WELL_KNOWN = '/.well-known/authzen-configuration'

const serviceOf = (iam: Iam, options: AuthZenOptions): Service => {
  checkOptions('authZenHandler', options, {
    required: REQUIRED,
    optional: { ...HANDLER_OPTIONS, resources: RESOURCES },
  })
  if (typeof iam?.access?.check !== 'function') throw new TypeError('iam must be made by createIam')
  const { basePath = '', identifier, organizationHeader = ORGANIZATION_HEADER } = options
  const discovery = discoveryOf(identifier)
  // The AuthZEN specification puts it before the path of the identifier, which may differ from `basePath`.
  const { pathname } = new URL(identifier)
  const discoveryPaths = [`${basePath}${WELL_KNOWN}`, `${WELL_KNOWN}${pathname.replace(/\/$/, '')}`]
  return {
    find: (method, path) => {
      if (discoveryPaths.includes(path))
        return identified(
          ['GET', 'HEAD'].includes(method)
            ? async () => discovery
            : async () => notAllowed('GET, HEAD'),
        )
      const below = path.startsWith(basePath) ? path.slice(basePath.length) : ''
      const [, answer] = (Object.hasOwn(ENDPOINTS, below) && ENDPOINTS[below]) || []
      if (!answer) return undefined
      return identified(
        method === 'POST'
          ? (request) => respond(iam, options, request, answer)
          : async () => notAllowed('POST'),
      )
    },
    missing: () => identified(async () => errorResponse(404, 'No such path')),
    singleHeaders: [organizationHeader.toLowerCase()],
    onUnsent: unsentTo(options),
  }
}

const discoveryOf = (identifier: string): HttpResponse => {
  const urls = Object.entries(ENDPOINTS).map(([path, [name]]) => [name, `${identifier}${path}`])
  const document = { policy_decision_point: identifier, ...Object.fromEntries(urls) }
  return jsonResponse(200, JSON.stringify(document))
}

const notAllowed = (allow: string): HttpResponse =>
  errorResponse(405, 'The path does not support this method', { allow })

/** Errors have a message, as the specification says. */
const errorResponse = (
  status: number,
  message: string,
  headers: ResponseHeaders = {},
): HttpResponse => ({
  status,
  headers: { ...headers, 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
  body: message,
})

/** Authenticate, read, answer. */
const respond = async (
  iam: Iam,
  options: AuthZenOptions,
  request: HttpRequest,
  answer: Answer,
): Promise<HttpResponse> => {
  const { header, headers, signal } = request
  const { organizationHeader = ORGANIZATION_HEADER, resources = PROJECTS } = options
  try {
    const caller = admitted(await options.authenticate(headers(), signal))
    // Not 415: the specification answers every malformed request with 400.
    if (!isJson(header)) throw malformed('Content-Type must be application/json')
    const body = readRequest(await bytesOf(request))
    const orgId = header.get(organizationHeader) || caller.orgId
    const asking = { iam, context: { caller, orgId, signal }, orgId, resources }
    return jsonResponse(200, JSON.stringify(await answer(asking, body)))
  } catch (thrown) {
    if (thrown instanceof Refusal) return refused(options, request, thrown)
    const refusal = signal.aborted ? refusalOf({ kind: 'Cancelled' }) : unexpected(thrown)
    return refused(options, request, refusal)
  }
}

/** @throws Refusal if there is no caller */
const admitted = (answered: Authentication): Caller => {
  // `null` too: not every host is type-checked.
  if (!answered) throw refusalOf({ kind: 'Unauthenticated' })
  if (!('userId' in answered)) throw refusalOf(answered)
  return answered
}

const refused = (options: AuthZenOptions, request: HttpRequest, refusal: Refusal): HttpResponse =>
  errorResponse(refusal.status, refusal.message, refusalHeaders(options, request, refusal))
