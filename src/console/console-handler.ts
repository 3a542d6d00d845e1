import type { Iam } from '../index.js'
import {
  fetchHandler,
  type NodeRequest,
  type NodeResponse,
  nodeHandler,
} from '../transport/index.js'
import { refuseForeignPage } from './cross-site.js'
import { askDirectory, type DirectoryAnswer } from './directory.js'
import { type ConsoleOptions, checkConsoleOptions } from './options.js'
import { type MountOptions, OWN_ORIGIN_HEADERS, pageAnswers } from './page.js'
import { askSetUp, byLink } from './set-up.js'

/** Handles requests of fetch and of Node.js, and is an Express middleware. */
export interface ConsoleHandler {
  (request: Request): Promise<Response>
  (request: NodeRequest, response: NodeResponse, next?: () => void): void
}

/**
 * Serves the admin console, and under `/api` the JSON interface that its pages call. Callers see and change what
 * `authorize` allows. Requests from pages of other sites get status 403.
 *
 * @throws TypeError when an option is missing, unknown or malformed, or `iam` was not made by `createIam`
 */
export const consoleHandler = (iam: Iam, options: ConsoleOptions): ConsoleHandler => {
  checkConsoleOptions(options)
  const own = mount(iam, options)
  const { setUp } = options
  const behindLink =
    setUp &&
    mount(iam, {
      ...options,
      basePath: setUp.path,
      authenticate: byLink(iam),
      users: undefined,
      isLink: true,
    })
  const mountOf = (path: string): Mount =>
    behindLink && `${path}/`.startsWith(`${setUp.path}/`) ? behindLink : own

  const onFetch = (request: Request) => mountOf(new URL(request.url).pathname).onFetch(request)
  const onNode: Mount['onNode'] = (request, ...rest) =>
    mountOf((request.url ?? '/').split('?')[0] ?? '').onNode(request, ...rest)

  return ((request: Request | NodeRequest, response?: NodeResponse, next?: () => void) =>
    response === undefined
      ? onFetch(request as Request)
      : onNode(request as NodeRequest, response, next)) as ConsoleHandler
}

/** Pages and their JSON interface at one prefix. */
interface Mount {
  readonly onFetch: (request: Request) => Promise<Response>
  readonly onNode: (request: NodeRequest, response: NodeResponse, next?: () => void) => void
}

/** Answers that only the host knows: its users, and its redirect URIs. */
type OwnAnswer = typeof askDirectory | typeof askSetUp

/** The console at `basePath`, or the guided set-up of a link. */
const mount = (iam: Iam, options: MountOptions): Mount => {
  const { authenticate, onError, organizationHeader, challenge, testIdentityProvider } = options
  const { basePath = '' } = options
  const api = `${basePath}/api`
  const served = {
    ...{ authenticate, onError, organizationHeader, challenge, testIdentityProvider },
    basePath: api,
    // Both answer without a caller, and no page asks for them: they are for the host's own transport to offer.
    ...({ openApi: false, health: false } as const),
  }
  const fetched = fetchHandler(iam, served)
  const listened = nodeHandler(iam, served)
  const pageAnswer = pageAnswers(options)
  const isApi = (path: string): boolean => path.startsWith(`${api}/`)
  const ownAnswer = (method: string, path: string): OwnAnswer | undefined => {
    if (path === `${api}/users` && method === 'GET') return askDirectory
    const isSetUp = path === `${api}/setUp` && (method === 'GET' || method === 'POST')
    return isSetUp ? askSetUp : undefined
  }

  const onFetch = async (request: Request): Promise<Response> => {
    const { method, headers, signal } = request
    const { pathname, search } = new URL(request.url)
    if (!isApi(pathname)) {
      const languages = headers.get('accept-language') ?? ''
      const { status, header, body } = pageAnswer({ method, path: pathname, languages })
      const hasBody = method !== 'HEAD' && body !== ''
      return new Response(hasBody ? body : null, { status, headers: header })
    }
    const refusal = refuseForeignPage(request)
    if (refusal) return new Response(refusal.body, { status: 403, headers: refusal.header })
    const ask = ownAnswer(method, pathname)
    if (ask) {
      const found = await ask(iam, options, { method, query: search, headers, signal })
      return new Response(found.body, { status: found.status, headers: DIRECTORY_HEADERS })
    }
    const answer = await fetched(request)
    // The headers of a response may be immutable.
    const all = new Headers(answer.headers)
    for (const [name, value] of Object.entries(OWN_ORIGIN_HEADERS)) all.set(name, value)
    return new Response(answer.body, { status: answer.status, headers: all })
  }

  const onNode = (request: NodeRequest, response: NodeResponse, next?: () => void): void => {
    const { method = '', url = '/' } = request
    const [path = '', query = ''] = url.split('?')
    const end = (status: number, header: Readonly<Record<string, string>>, body: string): void => {
      response.writeHead(status, header)
      response.end(method === 'HEAD' ? '' : body, 'utf8')
    }
    if (isApi(path)) {
      const refusal = refuseForeignPage(request)
      if (refusal) {
        end(403, refusal.header, refusal.body)
        return
      }
      const ask = ownAnswer(method, path)
      if (!ask) {
        for (const [name, value] of Object.entries(OWN_ORIGIN_HEADERS))
          response.setHeader?.(name, value)
        listened(request, response, next)
        return
      }
      const left = new AbortController()
      response.once('close', () => left.abort())
      const asked = { method, query, headers: headersOf(request), signal: left.signal }
      void ask(iam, options, asked).then(({ status, body }: DirectoryAnswer) => {
        if (!left.signal.aborted) end(status, DIRECTORY_HEADERS, body)
      })
      return
    }
    const { originalUrl } = request as { readonly originalUrl?: string }
    const mounted = originalUrl?.split('?')[0]
    // A mount of Express takes its prefix off, and shows `/` for the prefix without a slash too.
    const isBare = path === '/' && mounted !== undefined && !mounted.endsWith('/')
    const languages = String(request.headers['accept-language'] ?? '')
    // Two slashes at the beginning would name another host.
    const answer = isBare
      ? { status: 308, header: { location: `${mounted.replace(/^\/+/, '/')}/` }, body: '' }
      : pageAnswer({ method, path, languages })
    if (answer.status === 404 && next) next()
    else end(answer.status, answer.header, answer.body)
  }

  return { onFetch, onNode }
}

const DIRECTORY_HEADERS = {
  ...OWN_ORIGIN_HEADERS,
  'content-type': 'application/json',
  'cache-control': 'no-store',
}

/** The headers of a request of Node.js. Those of HTTP/2 that begin with a colon are no headers of fetch. */
const headersOf = ({ headers }: NodeRequest): Headers =>
  new Headers(
    Object.entries(headers).flatMap(([name, value]): [string, string][] =>
      name.startsWith(':') || value === undefined ? [] : [[name, String(value)]],
    ),
  )
