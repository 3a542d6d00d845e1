import { exportJWK, generateKeyPair, SignJWT } from 'jose'

/** A provider as its public documents describe it. */
export interface Documented {
  /** The name that the guide and `test` call it by. */
  readonly name: string
  /** The issuer that an admin stores. */
  readonly issuer: string
  /** The issuer that the discovery document names; the stored one by default. */
  readonly named?: string
  /** Fields of the discovery document that differ from the usual ones. */
  readonly discovery?: object
  readonly idToken?: object
  readonly userInfo?: object
  readonly alg?: 'RS256' | 'ES256'
  /** Whether the ID token has the nonce. */
  readonly hasNonce?: boolean
  /** How the token endpoint reads the secret. */
  readonly authentication?: 'basic' | 'post'
}

const json = (value: unknown, status = 200) =>
  new Response(JSON.stringify(value), { status, headers: { 'content-type': 'application/json' } })

/** A `fetch` that answers as the provider does, at its own addresses, and the nonce that it was asked with. */
export const documentedProvider = async (provider: Documented) => {
  const { issuer, named = issuer, alg = 'RS256', hasNonce = true, authentication } = provider
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true })
  const key = { ...(await exportJWK(publicKey)), kid: 'k', use: 'sig', alg }
  const base = issuer.replace(/\/$/, '')
  const asked = { nonce: '' }

  const metadata = {
    issuer: named,
    authorization_endpoint: `${base}/authorize`,
    token_endpoint: `${base}/token`,
    jwks_uri: `${base}/jwks`,
    userinfo_endpoint: `${base}/userinfo`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [alg],
    ...provider.discovery,
  }
  const hasSecret = (headers: Headers, form: URLSearchParams): boolean => {
    const basic = atob(headers.get('authorization')?.replace('Basic ', '') ?? '')
    const isBasic = new URLSearchParams(`s=${basic.replace('c1:', '')}`).get('s') === 's3cret'
    const isPost = form.get('client_secret') === 's3cret'
    if (authentication === undefined) return isBasic || isPost
    return authentication === 'basic' ? isBasic : isPost
  }
  const granted = async () => {
    const now = Math.floor(Date.now() / 1000)
    const usual = { iss: named, aud: 'c1', sub: 'user-1', iat: now, exp: now + 300 }
    const nonce = hasNonce ? { nonce: asked.nonce } : {}
    const claims = { ...usual, ...nonce, ...provider.idToken }
    const idToken = await new SignJWT(claims).setProtectedHeader({ alg, kid: 'k' }).sign(privateKey)
    return { access_token: 'a', token_type: 'Bearer', expires_in: 3600, id_token: idToken }
  }

  const fetch = async (url: string, init: RequestInit): Promise<Response> => {
    switch (url) {
      case `${base}/.well-known/openid-configuration`:
        return json(metadata)
      case metadata.jwks_uri:
        return json({ keys: [key] })
      case metadata.userinfo_endpoint:
        return json({ sub: 'user-1', ...provider.userInfo })
      case metadata.token_endpoint: {
        const form = new URLSearchParams(String(init.body))
        if (!hasSecret(new Headers(init.headers), form))
          return json({ error: 'invalid_client' }, 401)
        if (form.get('code') !== 'code') return json({ error: 'invalid_grant' }, 400)
        return json(await granted())
      }
      default:
        return json({ error: 'not_found' }, 404)
    }
  }
  return { fetch, asked }
}
