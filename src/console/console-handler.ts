import type { Iam } from '../index.js'
import {
  fetchHandler,
  type NodeRequest,
  type NodeResponse,
  nodeHandler,
  type TransportOptions,
} from '../transport/json/index.js'
import { crossSiteMiddleware, refuseCrossSite } from './cross-site.js'
import { files, PAGES, page } from './gen/assets.js'

/** Options of `consoleHandler`. */
export interface ConsoleOptions {
  /** Tells who calls, by the headers of the request, such as the cookie of a session. The same as for the transport. */
  readonly authenticate: TransportOptions['authenticate']
  /** Called with the cause of every answer 500 and 503; without it they are written to the console of the process. */
  readonly onError?: TransportOptions['onError']
  /** Header that selects the organization, for hosts whose clients send one; `x-service-orgid` when absent. */
  readonly organizationHeader?: string | undefined
  /** `WWW-Authenticate` of the answers with status 401; `Bearer` when absent. */
  readonly challenge?: string | undefined
  /** Tests a provider: `test` of `openIdSignIn` in `claviger/oidc`. When absent, the page says that it is not set up. */
  readonly testIdentityProvider?: TransportOptions['testIdentityProvider']
  /**
   * Prefix of the paths that the handler is called with, such as `/admin` for `/admin/projects`; none when absent or
   * empty. Not for a server that takes the prefix off before.
   */
  readonly basePath?: string | undefined
}

/** Answers requests of fetch and of Node.js, and is a middleware of Express. */
export interface ConsoleHandler {
  (request: Request): Promise<Response>
  (request: NodeRequest, response: NodeResponse, next?: () => void): void
}

/**
 * Serves the console: pages for admins, and under `/api` the JSON interface that they call. A caller sees and changes
 * there what `authorize` allows. Writes that a page of another site sends are answered with 403.
 *
 * @throws TypeError when an option is missing, unknown or malformed, or `iam` is not what `createIam` returns
 */
export const consoleHandler = (iam: Iam, options: ConsoleOptions): ConsoleHandler => {
  checkNames(options)
  const { basePath = '', ...others } = options
  const api = `${basePath}/api`
  const fetched = fetchHandler(iam, { ...others, basePath: api })
  const listened = nodeHandler(iam, { ...others, basePath: api })
  const isApi = (path: string): boolean => path.startsWith(`${api}/`)

  const onFetch = async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url)
    if (isApi(pathname)) return refuseCrossSite(request) ?? fetched(request)
    const { status, header, body } = pageAnswer(request.method, pathname, basePath)
    const hasBody = request.method !== 'HEAD' && body !== ''
    return new Response(hasBody ? body : null, { status, headers: header })
  }

  const onNode = (request: NodeRequest, response: NodeResponse, next?: () => void): void => {
    const { method = '', url = '/' } = request
    const path = pathOf(url)
    if (isApi(path)) {
      crossSiteMiddleware(request, response, () => listened(request, response, next))
      return
    }
    const { originalUrl } = request as { readonly originalUrl?: string }
    const mounted = originalUrl === undefined ? undefined : pathOf(originalUrl)
    // A mount of Express takes its prefix off, and shows `/` for the prefix without a slash too.
    const isBare = path === '/' && mounted !== undefined && !mounted.endsWith('/')
    // Two slashes at the beginning would name another host.
    const answer = isBare
      ? { status: 308, header: { location: `${mounted.replace(/^\/+/, '/')}/` }, body: '' }
      : pageAnswer(method, path, basePath)
    if (answer.status === 404 && next) {
      next()
      return
    }
    response.writeHead(answer.status, answer.header)
    response.end(method === 'HEAD' ? '' : answer.body, 'utf8')
  }

  return ((request: Request | NodeRequest, response?: NodeResponse, next?: () => void) =>
    response === undefined
      ? onFetch(request as Request)
      : onNode(request as NodeRequest, response, next)) as ConsoleHandler
}

const NAMES: Readonly<Record<keyof ConsoleOptions, true>> = {
  authenticate: true,
  onError: true,
  organizationHeader: true,
  challenge: true,
  testIdentityProvider: true,
  basePath: true,
}

const checkNames = (options: ConsoleOptions): void => {
  const unknown = Object.keys(options).filter((name) => !Object.hasOwn(NAMES, name))
  if (unknown.length === 0) return
  const known = Object.keys(NAMES).join(', ')
  throw new TypeError(`consoleHandler has no option ${unknown.join(', ')}; it has ${known}`)
}

const pathOf = (url: string): string => url.split('?')[0] ?? ''

/** An answer that is in memory as a whole. */
interface StaticAnswer {
  readonly status: number
  readonly header: Readonly<Record<string, string>>
  readonly body: string
}

const SECURITY = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

const answer = (status: number, body: string, header: StaticAnswer['header']): StaticAnswer => ({
  status,
  header: { ...SECURITY, ...header },
  body,
})

/** Answers the page at each of its paths, and the files that it loads. Their names have a hash of their content. */
const pageAnswer = (method: string, path: string, basePath: string): StaticAnswer => {
  if (path === basePath && basePath !== '') return answer(308, '', { location: `${basePath}/` })
  const below = path.startsWith(`${basePath}/`) ? path.slice(basePath.length + 1) : undefined
  const file = below !== undefined && Object.hasOwn(files, below) ? files[below] : undefined
  const isPage = below !== undefined && PAGES.includes(below)
  if (!file && !isPage)
    return answer(404, 'Not found', { 'content-type': 'text/plain', 'cache-control': 'no-store' })
  if (method !== 'GET' && method !== 'HEAD')
    return answer(405, 'Method not allowed', { 'content-type': 'text/plain', allow: 'GET, HEAD' })
  if (file)
    return answer(200, file.text, {
      'content-type': file.type,
      'cache-control': 'public, max-age=31536000, immutable',
    })
  return answer(200, page, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-cache',
  })
}
