import { type RequestHandler, serveBoth } from '../handlers/serve.js'
import { httpStatusOf, type Iam, type IamError, toStatus } from '../index.js'
import { notifyHost, ORGANIZATION_HEADER, toConsole } from '../transport/handler-options.js'
import {
  type Handler,
  type HttpRequest,
  type HttpResponse,
  jsonResponse,
  MAX_REQUEST_BYTES,
  type Service,
} from '../transport/http.js'
import { fetchHandler, type NodeRequest } from '../transport/index.js'
import { AREAS } from './browser/page-names.js'
import { CROSS_SITE, isForeign } from './cross-site.js'
import { type Asker, described, foundIn, whyNoUsers } from './directory.js'
import { namesOf } from './naming.js'
import { type ConsoleOptions, checkConsoleOptions } from './options.js'
import { type MountOptions, OWN_ORIGIN_HEADERS, pageAnswers } from './page.js'
import { beginPreview } from './preview.js'
import { scimOf } from './scim.js'
import { byLink, completeLink, setUpOf } from './set-up.js'

/** Handles requests of fetch and of Node.js, and is an Express middleware. */
export interface ConsoleHandler extends RequestHandler {}

/**
 * Serves the admin console, and under `/api` the JSON interface that its pages call. Callers see and change what
 * `authorize` allows. Requests from pages of other sites get status 403.
 *
 * @throws TypeError when an option is missing, unknown or malformed, or `iam` was not made by `createIam`
 */
export const consoleHandler = (iam: Iam, options: ConsoleOptions): ConsoleHandler => {
  checkConsoleOptions(options)
  const { setUp } = options
  const own = mount(iam, options)
  const behindLink =
    setUp &&
    mount(iam, {
      ...options,
      basePath: setUp.path,
      authenticate: byLink(iam),
      users: undefined,
      isLink: true,
    })
  const handle: Handle = (request, ...rest) => {
    const path = pathOf(request)
    const isOfLink = setUp && `${path}/`.startsWith(`${setUp.path}/`)
    return ((isOfLink && behindLink) || own)(request, ...rest)
  }
  // Cast: one function for two signatures.
  return handle as ConsoleHandler
}

type Handle = (request: Request | NodeRequest, ...rest: readonly never[]) => unknown

const pathOf = ({ url = '/' }: Request | NodeRequest): string =>
  url.replace(/^https?:\/\/[^/]*/i, '').split(/[?#]/)[0] ?? ''

/** The console at `basePath`, or the guided set-up of a link. */
const mount = (iam: Iam, options: MountOptions): Handle => {
  const { basePath = '' } = options
  const service = serviceOf(iam, options)
  const isApi = (path: string): boolean => path.startsWith(`${basePath}/api/`)
  const served = serveBoth(service)
  const refusing = serveBoth({ ...service, find: (_, path) => (isApi(path) ? refused : undefined) })
  const redirecting = (location: string) =>
    serveBoth({
      ...service,
      find: () => async () => ({ status: 308, headers: { location }, body: '' }),
    })
  const handle = (request: Request | NodeRequest): RequestHandler => {
    const path = pathOf(request)
    if (isApi(path) && isForeign(request)) return refusing
    const bare = path === '/' ? mountedAt(request) : undefined
    return bare === undefined ? served : redirecting(bare)
  }
  // Cast: one function for two signatures.
  return (request, ...rest) => (handle(request) as Handle)(request, ...rest)
}

const refused: Handler = async () => {
  const { header, body } = CROSS_SITE
  return { status: 403, headers: { ...OWN_ORIGIN_HEADERS, ...header }, body }
}

/**
 * Where the page is, if the prefix came without a slash: a mount of Express takes its prefix off, and shows `/` for both.
 */
const mountedAt = (request: Request | NodeRequest): string | undefined => {
  const original: unknown = Reflect.get(request, 'originalUrl')
  const mounted = typeof original === 'string' ? original.split('?')[0] : undefined
  // Two slashes at the beginning would name another host.
  return mounted && !mounted.endsWith('/') ? `${mounted.replace(/^\/+/, '/')}/` : undefined
}

/** Pages and their JSON interface at one prefix. */
const serviceOf = (iam: Iam, options: MountOptions): Service => {
  const { basePath = '', authenticate, organizationHeader = ORGANIZATION_HEADER } = options
  const { onError = toConsole, challenge, testIdentityProvider } = options
  const api = `${basePath}/api`
  /** Who made a request, by its headers: the transport and the names of an answer need to know. */
  const callers = new WeakMap<Headers, ReturnType<typeof authenticate>>()
  const remembered: typeof authenticate = (headers, signal) => {
    const caller = callers.get(headers) ?? authenticate(headers, signal)
    callers.set(headers, caller)
    return caller
  }
  const transport = fetchHandler(iam, {
    ...{ authenticate: remembered, onError, organizationHeader, challenge, testIdentityProvider },
    basePath: api,
    // Both answer without a caller, and no page asks for them: they are for the host's own transport to offer.
    ...({ openApi: false, health: false } as const),
  })
  /** Who asks, by the headers of a request, or why that is refused. */
  const askerOf = async (headers: Headers, signal: AbortSignal): Promise<Asker | IamError> => {
    const caller = (await remembered(headers, signal)) ?? { kind: 'Unauthenticated' }
    if ('kind' in caller) return caller
    return { caller, orgId: headers.get(organizationHeader) || caller.orgId, signal }
  }
  /** Runs what needs the caller; refuses for those without one, and when a port of the host fails. */
  const asking =
    (answer: (asker: Asker, request: HttpRequest) => Promise<HttpResponse>): Handler =>
    async (request) => {
      const headers = request.headers()
      try {
        const asker = await askerOf(headers, request.signal)
        if ('kind' in asker) return refusedBy(asker)
        return await answer(asker, { ...request, headers: () => headers })
      } catch (cause) {
        reportFailure(`${request.method} ${request.path.slice(basePath.length)}`, cause)
        return refusedBy({ kind: 'Unavailable', outcome: 'not_recorded', cause })
      }
    }
  const reportFailure = (method: string, cause: unknown) =>
    notifyHost(onError, cause, { correlationId: crypto.randomUUID(), method })

  const users = asking(async (asker, { query }) => {
    const refusal = await whyNoUsers(iam, asker)
    if (refusal) return refusedBy(refusal)
    const found = options.users && (await foundIn(options.users, new URLSearchParams(query), asker))
    return found ? jsonResponse(200, JSON.stringify({ users: found })) : OUT_OF_BOUNDS
  })
  const organizations = asking(async (asker, { query }) => {
    const allowed = await iam.projectGrants.listReceived({ pageSize: 1 }, asker)
    if (allowed.isErr()) return refusedBy(allowed.error)
    const { find } = options.organizations ?? {}
    const text = new URLSearchParams({ text: new URLSearchParams(query).get('text') ?? '' })
    const found = find && (await foundIn({ describe: () => [], find }, text, asker))
    return found ? jsonResponse(200, JSON.stringify({ organizations: found })) : OUT_OF_BOUNDS
  })
  const setUp = asking(async (asker, request) =>
    answerOf(await setUpOf(iam, options, request, asker)),
  )
  const { previewSignIn } = options
  const preview =
    previewSignIn &&
    asking(async (asker, request) => {
      const begun = await beginPreview(iam, { ...options, previewSignIn }, request, asker)
      if ('refusal' in begun) return refusedBy(begun.refusal)
      if ('kind' in begun) return notBegun(begun.kind)
      const { url, cookie } = begun
      return jsonResponse(200, JSON.stringify({ url }), { 'set-cookie': cookie })
    })
  const scim = asking(async (asker, request) =>
    answerOf(await scimOf(iam, options, request, asker)),
  )
  const complete: Handler = async (request) => answerOf(await completeLink(iam, options, request))

  /** The names of what an answer has ids of; none when a port of the host fails, or takes too long. */
  const namesIn = (exchange: Parameters<typeof namesOf>[2], asker: Asker) => {
    const signal = AbortSignal.timeout(LONGEST_NAMING_MS)
    return namesOf(iam, options, exchange, { ...asker, signal }).catch((cause) => {
      reportFailure('names', cause)
      return undefined
    })
  }

  /** Who calls, where they may work, and which parts the host shows them: none beyond the overview if it cannot say. */
  const sessionOf = async ({ caller, orgId: chosen }: Asker) => {
    const { userId, orgId } = caller
    const context = { caller, orgId: chosen }
    const { areas, organizations } = options
    try {
      const choices = await organizations?.choices?.(context)
      return {
        ...{ userId, orgId },
        areas: typeof areas === 'function' ? (await areas(context)).filter(isArea) : undefined,
        organizations: choices?.map(described),
      }
    } catch (cause) {
      reportFailure('session', cause)
      return { userId, orgId, areas: [] }
    }
  }

  const transported: Handler = async (received) => {
    const { method, path, query, signal } = received
    const bytes = (await received.body?.(MAX_REQUEST_BYTES)) ?? new Uint8Array()
    const hasBody = bytes.length > 0 && method !== 'GET' && method !== 'HEAD'
    const request = new Request(`http://console${path}${query && `?${query}`}`, {
      ...{ method, signal, headers: received.headers() },
      ...(hasBody && { body: new Uint8Array(bytes) }),
    })
    const { headers } = request
    const response = await transport(request)
    const head = Object.fromEntries(response.headers)
    const isNamed = response.ok && response.headers.get('content-type') === 'application/json'
    const asker = isNamed && (await askerOf(headers, AbortSignal.timeout(LONGEST_NAMING_MS)))
    if (!asker || 'kind' in asker) {
      const body = new Uint8Array(await response.arrayBuffer())
      return { status: response.status, headers: head, body }
    }
    const answered: object = await response.json()
    const ofApi = path.slice(api.length)
    const session = ofApi === PERMISSIONS ? await sessionOf(asker) : undefined
    const answer = { ...answered, session }
    const names = await namesIn({ path: ofApi, query, body: jsonIn(bytes), answer }, asker)
    return jsonResponse(response.status, JSON.stringify({ ...answer, names }), head)
  }

  const pages = pageAnswers(options)
  const own: Readonly<Record<string, Handler>> = {
    'GET /users': users,
    'GET /organizations': organizations,
    'GET /setUp': setUp,
    'POST /setUp': complete,
    ...(preview && { 'POST /preview': preview }),
    'GET /scim': scim,
    'POST /scim': scim,
    'DELETE /scim': scim,
  }
  const { find, missing } = pages
  return {
    find: (method, path) =>
      path.startsWith(`${api}/`)
        ? ofOwnOrigin(own[`${method} ${path.slice(api.length)}`] ?? transported)
        : find(path),
    missing: (_, path) => missing(path),
    singleHeaders: ['idempotency-key', 'if-match', organizationHeader.toLowerCase()],
    onUnsent: (cause, called) => reportFailure(called, cause),
  }
}

const isArea = (area: string): boolean => Object.hasOwn(AREAS, area)

/** Where a page asks what its caller may do, before anything else. */
const PERMISSIONS = '/v1/permissions'

/** Longest wait for names, in milliseconds: after it a page shows ids. */
const LONGEST_NAMING_MS = 3000

const OUT_OF_BOUNDS = jsonResponse(400, '{"code":3,"message":"Give id or text","details":[]}')

/** A provider that cannot be asked is no fault of the caller. */
const notBegun = (kind: string): HttpResponse => {
  const message = `The sign-in cannot begin: ${kind}`
  return jsonResponse(409, JSON.stringify({ code: 9, message, details: [] }))
}

const refusedBy = (error: IamError): HttpResponse =>
  jsonResponse(httpStatusOf(error), JSON.stringify(toStatus(error)))

const answerOf = (answer: object | { readonly refusal: IamError }): HttpResponse =>
  'refusal' in answer ? refusedBy(answer.refusal) : jsonResponse(200, JSON.stringify(answer))

const ofOwnOrigin =
  (handler: Handler): Handler =>
  async (request) => {
    const response = await handler(request)
    return { ...response, headers: { ...response.headers, ...OWN_ORIGIN_HEADERS } }
  }

/** The body of a request, if it is JSON. */
const jsonIn = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    return undefined
  }
}
