import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'

/** What a provider does other than it should. */
export interface Attack {
  readonly discovery?: Readonly<Record<string, unknown>>
  readonly claims?: Readonly<Record<string, unknown>>
  /** Makes the ID token in another way. */
  readonly sign?: (claims: Readonly<Record<string, unknown>>) => Promise<string>
  readonly token?: (response: ServerResponse) => void
  /** Answers in another way, by the path. */
  readonly answers?: Readonly<Record<string, (response: ServerResponse) => void>>
  readonly access?: string
  readonly info?: (response: ServerResponse) => void
}

/** An OpenID provider that does as it is told; `seen` holds what nobody may show. */
export const hostileProvider = async () => {
  const keys = await generateKeyPair('RS256', { extractable: true })
  const publicKey = { ...(await exportJWK(keys.publicKey)), kid: 'k', alg: 'RS256', use: 'sig' }
  /** `tokens` are fields of the token response. */
  const state = {
    attack: {} as Attack,
    tokens: {} as object,
    nonce: '',
    seen: new Set<string>(),
    seenRequest: undefined as ((request: IncomingMessage, body: string) => void) | undefined,
  }
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const signed = (claims: Readonly<Record<string, unknown>>, key = keys.privateKey) =>
    new SignJWT({ ...claims }).setProtectedHeader({ alg: 'RS256', kid: 'k' }).sign(key)

  const metadata = () => ({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    userinfo_endpoint: `${issuer}/info`,
    jwks_uri: `${issuer}/jwks`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
    authorization_response_iss_parameter_supported: true,
    ...state.attack.discovery,
  })
  const tokens = async (body: string) => {
    const now = Math.floor(Date.now() / 1000)
    const standard = { iss: issuer, aud: 'c1', sub: 'ann', nonce: state.nonce }
    const claims = { ...standard, iat: now, exp: now + 60, ...state.attack.claims }
    const id_token = await (state.attack.sign ?? signed)(claims)
    state.seen.add(String(new URLSearchParams(body).get('code_verifier'))).add(id_token)
    const { access = 'canary-access' } = state.attack
    return { token_type: 'bearer', access_token: access, id_token, ...state.tokens }
  }
  const json = (response: ServerResponse, value: unknown) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))

  server.on('request', async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString()
    const { token, info, answers } = state.attack
    const answer = answers?.[request.url ?? '']
    if (answer) return answer(response)
    switch (request.url) {
      case '/.well-known/openid-configuration':
        return json(response, metadata())
      case '/jwks':
        return json(response, { keys: [publicKey] })
      case '/token':
        state.seenRequest?.(request, body)
        return token ? token(response) : json(response, await tokens(body))
      default:
        return info ? info(response) : json(response, { sub: 'ann', name: 'Ann' })
    }
  })
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { issuer, state, signed, publicKey: keys.publicKey, close }
}
