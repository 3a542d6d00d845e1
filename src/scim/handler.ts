import { checkOptions, FUNCTION, type KnownOptions, withMethods } from '../check-options.js'
import { bytesOf, readBody } from '../handlers/body.js'
import {
  REQUEST_ID,
  Refusal,
  refusalHeaders,
  refusalOf,
  unexpected,
  unsentTo,
} from '../handlers/refusal.js'
import { identified, type RequestHandler, serveBoth } from '../handlers/serve.js'
import type { Iam } from '../index.js'
import { HANDLER_OPTIONS, notifyHost } from '../transport/handler-options.js'
import {
  type Handler,
  type HttpRequest,
  type HttpResponse,
  jsonResponse,
  type ResponseHeaders,
  type Service,
} from '../transport/http.js'
import type { TransportOptions } from '../transport/options.js'
import { described, serviceProviderConfig } from './discovery.js'
import { groups } from './groups.js'
import { changeUser, groupNames } from './memberships.js'
import { memoryScimRecords, type ScimPlace, type ScimRecords, type ScimUsers } from './ports.js'
import { type Directory, forAll, userRecords } from './records.js'
import { notFound, ScimRefusal } from './refusal.js'
import { type Answer, answer, type ScimRequest } from './resources.js'
import { users } from './users.js'

/** Options of `scimHandler`. */
export interface ScimOptions {
  /**
   * Returns the provider that a request belongs to, by its bearer token; `undefined` refuses the request. Called before
   * the body is read. `scimTokens` has one; in your own, give each provider its own token, and store only a hash of it.
   */
  readonly authenticate: (
    headers: Headers,
    signal: AbortSignal,
  ) => ScimPlace | undefined | Promise<ScimPlace | undefined>
  /** Your users. */
  readonly users: ScimUsers
  /**
   * Stores what providers have pushed. Default: memory, for development. Without its records a directory has to push
   * everything again.
   */
  readonly records?: ScimRecords | undefined
  /**
   * What a user loses by deactivation or deletion. `everything` (default): all grants and memberships in the
   * organization, by `userGrants.removeAllOfUser`. `memberships`: the membership of this provider alone.
   */
  readonly leavers?: 'everything' | 'memberships' | undefined
  /** Prefix of the paths that the handler gets, such as `/scim/v2` for `/scim/v2/Users`. Default: none. */
  readonly basePath?: string | undefined
  /** Called with the cause of every response 500 and 503. Default: writes to the console of the process. */
  readonly onError?: TransportOptions['onError']
  /**
   * Called with every request that is refused or fails, for logs and the page of a provider. An error that it throws is
   * written to the console of the process.
   */
  readonly onRefused?: ((refused: ScimRefused) => void | Promise<void>) | undefined
  /** `WWW-Authenticate` of responses with status 401. Default: `Bearer`. */
  readonly challenge?: string | undefined
}

/** A request that was answered with an error. */
export interface ScimRefused {
  /** The provider; absent without a valid token. */
  readonly place?: ScimPlace
  /** HTTP method. */
  readonly method: string
  /** Path with `basePath`, without the query. */
  readonly path: string
  /** Status of the response, 400 or more. */
  readonly status: number
  /** The message of the response, in English. */
  readonly detail: string
  /** The kind of error by RFC 7644, such as `invalidFilter`. */
  readonly scimType?: string
  /** Why the request failed, with status 500 or 503; `onError` gets it too. */
  readonly cause?: unknown
}

/** Handles requests of fetch and of Node.js, and is an Express middleware. */
export interface ScimHandler extends RequestHandler {
  /**
   * Reports the groups of all users of a provider again. Call it after a role mapping was added, and more often than the
   * shortest `validFor` of a mapping. Needs the permissions of `ScimPlace.caller`.
   *
   * @throws Error if claviger refuses a report; its `cause` says why. Users before it are reported.
   */
  readonly reportAgain: (place: ScimPlace) => Promise<void>
}

const { organizationHeader: _, ...COMMON } = HANDLER_OPTIONS

const OPTIONS: KnownOptions = {
  required: {
    authenticate: FUNCTION,
    users: withMethods(['find', 'get'], 'must have find and get'),
  },
  optional: {
    ...COMMON,
    onRefused: FUNCTION,
    records: withMethods(['read', 'write', 'list'], 'must have read, write and list'),
    leavers: [
      (value) => value === 'everything' || value === 'memberships',
      "must be 'everything' or 'memberships'",
    ],
  },
}

/**
 * Receives users and groups that the directory of a customer pushes by SCIM 2.0 (RFC 7643, 7644): `Users`, `Groups`,
 * `ServiceProviderConfig`, `ResourceTypes` and `Schemas`. Members of groups become memberships of the provider, so role
 * mappings give them roles at once. Users who are deactivated or deleted lose what they have.
 *
 * @example
 * const handler = scimHandler(iam, { authenticate, users, records, basePath: '/scim/v2' })
 *
 * @throws TypeError for an option that is missing, unknown or malformed, and unless `iam` was made by `createIam`
 */
export const scimHandler = (iam: Iam, options: ScimOptions): ScimHandler => {
  checkOptions('scimHandler', options, OPTIONS)
  if (typeof iam?.memberships?.report !== 'function')
    throw new TypeError('iam must be made by createIam')
  const { records = memoryScimRecords(), leavers = 'everything', basePath = '' } = options
  const directoryOf = (place: ScimPlace): Directory => ({
    iam,
    place: checkedPlace(place),
    users: options.users,
    records,
    leavers,
    basePath,
  })
  return Object.assign(serveBoth(serviceOf(options, directoryOf)), {
    reportAgain: async (place: ScimPlace): Promise<void> => {
      try {
        await reportAll(directoryOf(place))
      } catch (thrown) {
        if (!(thrown instanceof Refusal)) throw thrown
        throw new Error(thrown.message, { cause: thrown.cause ?? thrown })
      }
    },
  })
}

const reportAll = async (at: Directory): Promise<void> => {
  const names = groupNames(at)
  const pushed = await userRecords.list(at)
  await forAll(pushed, ([id]) => changeUser(at, id, (before) => before, { names }))
}

/** @throws TypeError for a place that `authenticate` must not return */
const checkedPlace = (place: ScimPlace): ScimPlace => {
  const { orgId, idpId, groupName = 'displayName' } = place
  const isComplete = [orgId, idpId].every((id) => typeof id === 'string' && id !== '')
  if (!isComplete || !['displayName', 'externalId'].includes(groupName))
    throw new TypeError('authenticate must return orgId, idpId, caller and a known groupName')
  return place
}

type Endpoint = (at: Directory, request: ScimRequest) => Promise<Answer>

const READ = ['GET']
const LIST = ['GET', 'POST']
const CHANGE = ['GET', 'PUT', 'PATCH', 'DELETE']

/** By the first segment of a path, with its methods on all resources and on one. */
const ENDPOINTS: Readonly<
  Record<string, readonly [all: readonly string[], one: readonly string[], Endpoint]>
> = {
  Users: [LIST, CHANGE, (at, request) => answer(users, at, request)],
  Groups: [LIST, CHANGE, (at, request) => answer(groups, at, request)],
  Schemas: [READ, READ, ({ basePath }, request) => described('Schemas', basePath, request)],
  ResourceTypes: [
    READ,
    READ,
    ({ basePath }, request) => described('ResourceTypes', basePath, request),
  ],
  ServiceProviderConfig: [READ, [], async ({ basePath }) => serviceProviderConfig(basePath)],
}

const PATH = /^\/(\w+)(?:\/([^/]+))?\/?$/

const serviceOf = (options: ScimOptions, directoryOf: (place: ScimPlace) => Directory): Service => {
  const { basePath = '', authenticate, onRefused } = options

  /** Authenticate, read, answer. A request is completed even if the client has left. */
  const respond =
    (endpoint: Endpoint, method: string, id: string | undefined): Handler =>
    async (request) => {
      const { header, path } = request
      let place: ScimPlace | undefined
      try {
        place = await authenticate(request.headers(), request.signal)
        if (!place) throw refusalOf({ kind: 'Unauthenticated' })
        if (place.readOnly && method !== 'GET')
          throw new Refusal(403, 'The identity provider is not switched on')
        const answered = await endpoint(directoryOf(place), {
          method,
          id: id && decoded(id),
          query: new URLSearchParams(request.query),
          ifMatch: header.get('if-match'),
          body: async () => {
            if (!JSON_TYPE.test(header.get('content-type') ?? ''))
              throw new Refusal(
                415,
                'Content-Type must be application/scim+json or application/json',
              )
            return readBody(await bytesOf(request))
          },
        })
        return responseOf(answered, header.get('if-none-match'))
      } catch (thrown) {
        const refusal = thrown instanceof Refusal ? thrown : unexpected(thrown)
        const refused = refusedOf(request, place, refusal)
        const correlationId = header.get(REQUEST_ID) ?? ''
        const call = { correlationId, method: `${request.method} ${path}` }
        if (onRefused) notifyHost(() => onRefused(refused), refusal, call)
        return errorResponse(refusal, refusalHeaders(options, request, refusal))
      }
    }

  return {
    find: (requested, path) => {
      const below = path.startsWith(basePath) ? path.slice(basePath.length) : ''
      const [, kind = '', id] = PATH.exec(below) ?? []
      const [all, one, endpoint] = (Object.hasOwn(ENDPOINTS, kind) && ENDPOINTS[kind]) || []
      const methods = id === undefined ? all : one
      if (!endpoint || !methods?.length) return undefined
      const method = requested === 'HEAD' ? 'GET' : requested
      if (methods.includes(method)) return identified(respond(endpoint, method, id))
      const refusal = new Refusal(405, 'The path does not support this method')
      return identified(async () => errorResponse(refusal, { allow: methods.join(', ') }))
    },
    missing: () => identified(async () => errorResponse(new Refusal(404, 'No such path'))),
    singleHeaders: ['if-match'],
    onUnsent: unsentTo(options),
  }
}

const refusedOf = (
  { method, path }: HttpRequest,
  place: ScimPlace | undefined,
  refusal: Refusal,
): ScimRefused => {
  const { status, message: detail, cause } = refusal
  return {
    ...(place && { place }),
    ...{ method, path, status, detail },
    ...(refusal instanceof ScimRefusal && { scimType: refusal.scimType }),
    ...(cause !== undefined && { cause }),
  }
}

const JSON_TYPE = /^application\/(scim\+)?json[ \t]*(;|$)/i

/** @throws Refusal for an id that is malformed, and so names nothing */
const decoded = (id: string): string => {
  try {
    return decodeURIComponent(id)
  } catch {
    throw notFound()
  }
}

const responseOf = ({ status, body }: Answer, ifNoneMatch: string | null): HttpResponse => {
  const { version, location } = Object(body?.['meta'])
  const headers = {
    ...(typeof version === 'string' && { etag: version }),
    ...(status === 201 && { location: String(location) }),
  }
  const isKnown = ifNoneMatch?.split(/\s*,\s*/).includes(version)
  if (body && !(status === 200 && isKnown)) return scimJson(status, body, headers)
  return { status: body ? 304 : status, headers, body: '' }
}

const scimJson = (status: number, body: object, headers: ResponseHeaders): HttpResponse => {
  const response = jsonResponse(status, JSON.stringify(body), headers)
  return { ...response, headers: { ...response.headers, 'content-type': 'application/scim+json' } }
}

/** An error of RFC 7644, section 3.12. */
const errorResponse = (refusal: Refusal, headers: ResponseHeaders = {}): HttpResponse => {
  const { status, message: detail } = refusal
  const scimType = refusal instanceof ScimRefusal ? refusal.scimType : undefined
  const schemas = ['urn:ietf:params:scim:api:messages:2.0:Error']
  return scimJson(status, { schemas, status: String(status), scimType, detail }, headers)
}
