import type { NodeRequest, NodeResponse } from '../transport/index.js'

const HEADER = {
  'content-type': 'application/json',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
}
const BODY = JSON.stringify({
  code: 7,
  message: 'The request came from a page of another site',
  details: [
    {
      '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
      reason: 'CROSS_SITE_REQUEST',
      domain: 'claviger',
      metadata: {},
    },
  ],
})

/**
 * Refuses a request from a page of another site with status 403 and the reason `CROSS_SITE_REQUEST`. Browsers add their
 * cookies to such requests, so mount this before a transport whose `authenticate` reads a cookie. `consoleHandler` has
 * it built in.
 *
 * `GET` and `HEAD` pass. Any other request passes when `Sec-Fetch-Site` is `same-origin`, or without that header when
 * `Origin` names the host: over TLS only with `https`. A request without both headers passes too, because it comes from
 * a program, not from a browser.
 *
 * @returns the refusal, or undefined when the request may go on
 * @example
 * const handler = fetchHandler(iam, { authenticate })
 * const answer = async (request: Request) => refuseCrossSite(request) ?? handler(request)
 */
export const refuseCrossSite = (request: Request): Response | undefined =>
  isCrossSite(request) ? new Response(BODY, { status: 403, headers: HEADER }) : undefined

/**
 * {@link refuseCrossSite} as a middleware of Node.js:
 * `app.use('/iam', crossSiteMiddleware, nodeHandler(iam, options))`. It responds to a refused request, and calls `next`
 * otherwise.
 */
export const crossSiteMiddleware = (
  request: NodeRequest,
  response: NodeResponse,
  next: () => void,
): void => {
  if (isCrossSite(request)) {
    response.writeHead(403, HEADER)
    response.end(BODY, 'utf8')
  } else next()
}

/** The refusal of a request from a page of another site. */
export const CROSS_SITE = { header: HEADER, body: BODY }

const isReading = (method: string | undefined): boolean => method === 'GET' || method === 'HEAD'

const isCrossSite = (request: Request | NodeRequest): boolean =>
  !isReading(request.method) && isForeign(request)

/**
 * Whether a request is from a page of another site. A read also passes if a user types its address or opens it from a
 * bookmark.
 */
export const isForeign = (request: Request | NodeRequest): boolean => {
  const { method } = request
  const { header, host, isSecure } = addressed(request)
  const site = header('sec-fetch-site')
  if (site !== undefined) return site !== 'same-origin' && !(site === 'none' && isReading(method))
  const origin = header('origin')
  if (origin === undefined) return false
  // Behind a proxy that ends TLS, a request to `https` comes in as one to `http`; never the other way round.
  const schemes = isSecure ? ['https'] : ['https', 'http']
  return !schemes.some((scheme) => origin === `${scheme}://${host}`)
}

/** Where a request was sent to. HTTP/2 has `:authority` instead of `Host`, and a `Request` may have its URL alone. */
const addressed = (request: Request | NodeRequest) => {
  if (isFetch(request)) {
    const { host, protocol } = new URL(request.url)
    const header = (name: string) => request.headers.get(name) ?? undefined
    return { header, host: header('host') ?? host, isSecure: protocol === 'https:' }
  }
  const header = (name: string) => request.headers[name]?.toString()
  const isSecure = Reflect.get(Object(request.socket), 'encrypted') === true
  const host = header(':authority') ?? header('host')
  return { header, host, isSecure }
}

const isFetch = (request: Request | NodeRequest): request is Request =>
  typeof request.headers.get === 'function'
