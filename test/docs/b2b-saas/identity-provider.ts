import { createHash, createSign, generateKeyPairSync, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** An OpenID provider with an issuer for each path; who signs in is what the browser sends as `x-user`. */
export interface Provider {
  readonly issuer: (name: string) => string
  readonly close: () => void
}

/** `secretOf` is what it knows of each issuer's client. */
export const startProvider = async (secretOf: (issuer: string) => string): Promise<Provider> => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const codes = new Map<string, { readonly email: string; readonly challenge: string }>()
  const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const signed = (claims: object) => {
    const content = `${encoded({ alg: 'RS256', typ: 'JWT' })}.${encoded(claims)}`
    return `${content}.${createSign('RSA-SHA256').update(content).sign(privateKey, 'base64url')}`
  }
  const json = (response: ServerResponse, status: number, body: object) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

  const authorize = (request: IncomingMessage, response: ServerResponse, { searchParams }: URL) => {
    const code = randomUUID()
    const email = String(request.headers['x-user'])
    codes.set(code, { email, challenge: searchParams.get('code_challenge') ?? '' })
    const back = new URL(searchParams.get('redirect_uri') ?? '')
    back.searchParams.set('code', code)
    back.searchParams.set('state', searchParams.get('state') ?? '')
    response.writeHead(302, { location: back.href }).end()
  }

  const grant = async (request: IncomingMessage, response: ServerResponse, name: string) => {
    const given = new URLSearchParams(await text(request))
    const code = codes.get(given.get('code') ?? '')
    const verifier = createHash('sha256').update(given.get('code_verifier') ?? '')
    const isProven = code?.challenge === verifier.digest('base64url')
    if (!isProven || given.get('client_secret') !== secretOf(name))
      return json(response, 400, { error: 'invalid_grant' })
    const now = Math.floor(Date.now() / 1_000)
    const id_token = signed({
      iss: issuer(name),
      aud: given.get('client_id'),
      sub: `id of ${code.email}`,
      email: code.email,
      email_verified: true,
      iat: now,
      exp: now + 60,
    })
    return json(response, 200, { access_token: 'a', token_type: 'Bearer', id_token })
  }

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://provider')
    const [, name = '', path] = url.pathname.split('/')
    if (path === 'authorize') return authorize(request, response, url)
    if (path === 'token') return void grant(request, response, name)
    return json(response, 200, {
      issuer: issuer(name),
      authorization_endpoint: `${issuer(name)}/authorize`,
      token_endpoint: `${issuer(name)}/token`,
      jwks_uri: `${issuer(name)}/keys`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const issuer = (name: string) => `http://127.0.0.1:${port}/${name}`
  return { issuer, close: () => void server.close() }
}
