/** What the page sends to the sign-in. */
interface Choice {
  readonly orgId?: string | undefined
  readonly idpId?: string | undefined
  readonly returnTo?: string | undefined
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
}
const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (sign) => ESCAPES[sign] ?? '')

/** A page whose form begins a sign-in: by address, or with the provider that the query names. */
export const signInPage = (action: string, { orgId, idpId, returnTo }: Choice): Response => {
  const hidden = Object.entries({ orgId, idpId, returnTo }).flatMap(([name, value]) =>
    value ? [`<input type="hidden" name="${name}" value="${escaped(value)}">`] : [],
  )
  const address =
    '<label>E-mail <input name="email" type="email" autocomplete="username" required autofocus></label>'
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Sign in</title>
<meta name="viewport" content="width=device-width"><style>
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 20rem; margin: 20vh auto; padding: 0 1rem }
input, button { font: inherit; display: block; width: 100%; box-sizing: border-box; padding: .5rem; margin: .25rem 0 1rem }
:root { color-scheme: light dark }</style>
<form method="post" action="${escaped(action)}">${hidden.join('')}
${orgId && idpId ? '' : address}<button>Sign in</button></form></html>`
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy':
      "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
  }
  return new Response(html, { headers })
}
