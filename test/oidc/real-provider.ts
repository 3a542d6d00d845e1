import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider, { type ClientMetadata, type Configuration } from 'oidc-provider'

/** `oidc-provider` on a port of its own, with a clock, keys and accounts as it has them. */
export const realProvider = async (
  clients: readonly ClientMetadata[],
  configuration: Configuration = {},
) => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider = new Provider(issuer, {
    clients: [...clients],
    claims: { email: ['email', 'email_verified'], openid: ['sub'] },
    findAccount: (_, id) => ({
      accountId: id,
      claims: () => ({ sub: id, email: `${id}@acme.test`, email_verified: true }),
    }),
    ...configuration,
  })
  server.on('request', provider.callback())
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { issuer, close }
}

/** Follows the redirects of the provider, and fills in its forms, until it leads back. */
export const throughProvider = async (
  begun: string,
  redirectUri: string,
  login = 'ann',
): Promise<string> => {
  const cookies = new Map<string, string>()
  let [url, init]: [string, RequestInit] = [begun, {}]
  for (let step = 0; step < 12; step++) {
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ')
    const answer = await fetch(url, { ...init, headers: { cookie }, redirect: 'manual' })
    for (const set of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      cookies.set(name, value)
    }
    const location = answer.headers.get('location')
    if (location?.startsWith(redirectUri)) return location
    if (location) [url, init] = [new URL(location, url).href, {}]
    else {
      const page = await answer.text()
      const [, action = ''] = /action="([^"]+)"/.exec(page) ?? []
      const [, prompt = ''] = /name="prompt" value="([^"]+)"/.exec(page) ?? []
      const body = new URLSearchParams({ prompt, login, password: 'x' })
      ;[url, init] = [new URL(action, url).href, { method: 'POST', body }]
    }
  }
  throw new Error('The provider does not lead back')
}
