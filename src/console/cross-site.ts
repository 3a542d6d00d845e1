import type { StaticAnswer } from './static-files.js'

const REFUSED: StaticAnswer = {
  status: 403,
  header: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  body: JSON.stringify({
    code: 7,
    message: 'A page of another site sent this request',
    details: [
      {
        '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
        reason: 'CROSS_SITE_REQUEST',
        domain: 'claviger',
        metadata: {},
      },
    ],
  }),
}

/**
 * A refusal of a write that a page of another origin sent: a browser adds its cookies to such a request. Browsers name
 * where a request comes from in `Sec-Fetch-Site`, or without TLS in `Origin`; what names neither is no browser.
 */
export const crossSiteAnswer = (
  method: string,
  header: (name: string) => string | undefined,
): StaticAnswer | undefined => {
  if (method === 'GET' || method === 'HEAD') return undefined
  const site = header('sec-fetch-site')
  if (site !== undefined) return site === 'same-origin' ? undefined : REFUSED
  const origin = header('origin')
  if (origin === undefined) return undefined
  return origin.replace(/^https?:\/\//, '') === header('host') ? undefined : REFUSED
}
