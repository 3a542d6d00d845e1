import { throughProvider } from '../../oidc/real-provider.js'

export interface Sending {
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
}

/** Where the example says that it is. What leads there goes to the instance that the test chooses. */
export const ORIGIN = 'http://invoicing.test'

/** The cookie of a session. */
export const SESSION = '__Host-auth.session_token'

/** Where a sign-in begins; callbacks lie below it. */
export const SIGN_IN = '/api/auth/claviger/sign-in'

/** Instances where a sign-in begins and where it ends. */
export type Instances = readonly [string, string]

/** A browser of one user: keeps cookies, and all that it was shown. */
export const newBrowser = (shown: string[]) => {
  const cookies = new Map<string, string>()
  const send = async (method: string, url: string, { body, headers }: Sending = {}) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const isForm = body instanceof URLSearchParams
    const answer = await fetch(url, {
      method,
      headers: {
        ...(cookie && { cookie }),
        ...(body && !isForm && { 'content-type': 'application/json' }),
        // As of a page of the product.
        'sec-fetch-site': 'same-origin',
        ...(method !== 'GET' && { origin: ORIGIN }),
        ...headers,
      },
      body: body && !isForm ? JSON.stringify(body) : (body ?? null),
      redirect: 'manual',
    })
    for (const set of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      if (/max-age=0/i.test(set)) cookies.delete(name)
      else cookies.set(name, value)
    }
    const text = await answer.text()
    shown.push(text, ...answer.headers.values())
    const isJson = answer.headers.get('content-type')?.includes('json') === true
    const { status, headers: received } = answer
    return { status, headers: received, body: isJson ? JSON.parse(text) : text }
  }

  /** Begins by an address, or with a provider such as `acme/sso`; answers where the provider sends the browser back. */
  const atProvider = async (by: string, login: string, begin: string) => {
    const [orgId = '', idpId = ''] = by.split('/')
    const form = by.includes('@') ? { email: by } : { orgId, idpId }
    const begun = await send('POST', `${begin}${SIGN_IN}`, { body: new URLSearchParams(form) })
    const location = begun.headers.get('location')
    return location === null ? begun : throughProvider(location, ORIGIN, login)
  }

  const signIn = async (by: string, login: string, [first, second]: Instances) => {
    const back = await atProvider(by, login, first)
    return typeof back === 'string' ? send('GET', back.replace(ORIGIN, second)) : back
  }
  return { cookies, send, atProvider, signIn }
}

export type Browser = ReturnType<typeof newBrowser>
