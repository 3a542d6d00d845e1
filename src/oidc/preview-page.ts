import { toJson } from '../index.js'
import type { SignInPreview } from './preview.js'

/**
 * Sends what came to the pages of the console, which are of the same origin, and closes when one has shown it. The name
 * of the channel stands in the console too.
 */
const SCRIPT = `const channel = new BroadcastChannel('claviger preview')
channel.onmessage = ({ data }) => { if (data.shown) window.close() }
channel.postMessage(JSON.parse(document.querySelector('pre').textContent))`

/** What came from the provider: a page for browsers, and JSON for programs. The provider chose it, so it is escaped. */
export const previewPage = async (
  previewed: SignInPreview,
  { headers }: Request,
): Promise<Response> => {
  const json = JSON.stringify(toJson(previewed), undefined, 2)
  const isBrowser = headers.get('accept')?.includes('text/html') === true
  const type = isBrowser ? 'text/html; charset=utf-8' : 'application/json'
  return new Response(isBrowser ? htmlOf(json) : json, {
    headers: {
      'content-type': type,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'content-security-policy': `default-src 'none'; script-src 'sha256-${await hashOf(SCRIPT)}'; frame-ancestors 'none'; base-uri 'none'`,
    },
  })
}

const hashOf = async (text: string): Promise<string> => {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return btoa(String.fromCharCode(...new Uint8Array(digest)))
}

const htmlOf = (json: string): string => {
  const escaped = json.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Preview of a sign-in</title>
<p>Nobody is signed in, and nothing was recorded. You may close this window.</p>
<pre>${escaped}</pre><script>${SCRIPT}</script></html>`
}
