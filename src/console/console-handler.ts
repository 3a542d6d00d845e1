import type { Iam } from '../index.js'
import {
  fetchHandler,
  type NodeRequest,
  type NodeResponse,
  nodeHandler,
  type TransportOptions,
} from '../transport/json/index.js'
import { crossSiteAnswer } from './cross-site.js'
import { pageAnswer, type StaticAnswer } from './static-files.js'

/** What a host supplies to the console. */
export interface ConsoleOptions {
  /** Who calls, as the transport asks: from the headers of the request, such as the cookie of a session. */
  readonly authenticate: TransportOptions['authenticate']
  /** Called with the cause of every answer 500 and 503; they are written to the console of the process when absent. */
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

/** Answers a request of fetch; listens to requests of Node.js, and is a middleware of Express and its kind. */
export interface ConsoleHandler {
  (request: Request): Promise<Response>
  (request: NodeRequest, response: NodeResponse, next?: () => void): void
}

/**
 * The console: pages for admins, and beneath `/api` the JSON interface that they call. It shows and changes what the
 * caller of `authenticate` may. Requests that write and come from another site are answered with 403.
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
    const { method, headers } = request
    if (isApi(pathname)) {
      const refused = crossSiteAnswer(method, (name) => headers.get(name) ?? undefined)
      return refused ? responseOf(refused, method) : fetched(request)
    }
    return responseOf(pageAnswer(method, pathname, basePath), method)
  }

  const onNode = (request: NodeRequest, response: NodeResponse, next?: () => void): void => {
    const { method = '', url = '/', headers } = request
    const path = pathOf(url)
    if (isApi(path)) {
      const refused = crossSiteAnswer(method, (name) => headers[name]?.toString())
      if (refused) send(response, refused, method)
      else listened(request, response, next)
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
    if (answer.status === 404 && next) next()
    else send(response, answer, method)
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
  for (const name of Object.keys(options))
    if (!Object.hasOwn(NAMES, name)) throw new TypeError(`${name} is no option of consoleHandler`)
}

const pathOf = (url: string): string => url.split('?')[0] ?? ''

const responseOf = ({ status, header, body }: StaticAnswer, method: string): Response =>
  new Response(method === 'HEAD' || body === '' ? null : body, { status, headers: header })

const send = (response: NodeResponse, answer: StaticAnswer, method: string): void => {
  response.writeHead(answer.status, answer.header)
  response.end(method === 'HEAD' ? '' : answer.body)
}
