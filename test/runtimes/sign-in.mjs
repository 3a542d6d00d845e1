// A whole sign-in, with a provider that is a function: runtimes differ in fetch, streams and WebCrypto.

const issuer = 'https://idp.example.com'

/** @returns what was done, in a line; throws at the first surprise */
export const signInOnce = async (
  { aesGcmCipher, createIam, memoryEventStore },
  { openIdSignIn },
) => {
  const key = crypto.getRandomValues(new Uint8Array(32))
  const secrets = aesGcmCipher({ current: 'k1', keys: { k1: key } })
  const iam = createIam({ store: memoryEventStore(), secrets, authorize: () => true })
  const caller = { userId: 'sign-in', orgId: 'acme' }
  const idp = { idpId: 'own', name: 'Own', clientId: 'c1', clientSecret: 'hush', issuer }
  unwrap(await iam.identityProviders.addOidc(idp, { caller }))
  const provider = await openProvider()
  const redirectUri = 'https://host.example/callback'
  const network = { lookup: false, fetch: provider.fetch, timeout: 5_000 }
  const signIn = openIdSignIn({ iam, caller, key, redirectUri, ...network })
  const { url, attempt } = unwrap(await signIn.begin({ orgId: 'acme', idpId: 'own' }))
  const asked = new URL(url).searchParams
  provider.expect(asked.get('nonce'))
  const back = new URLSearchParams({ code: 'c', state: asked.get('state'), iss: issuer })
  const { subject, email } = unwrap(await signIn.finish({ url: `/callback?${back}`, attempt }))
  const { checks } = unwrap(await signIn.test({ orgId: 'acme', idpId: 'own' }))
  provider.expect('another')
  const refused = await signIn.finish({ url: `/callback?${back}`, attempt })
  if (refused.isOk() || refused.error.kind !== 'NonceMismatch') throw new Error('Surprise: a nonce')
  return `signed in: ${subject} ${email}, ${checks.length} checks`
}

const openProvider = async () => {
  const rsa = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
  const modulus = { modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) }
  const keys = await crypto.subtle.generateKey({ ...rsa, ...modulus }, true, ['sign', 'verify'])
  const { n, e } = await crypto.subtle.exportKey('jwk', keys.publicKey)
  let nonce
  const idToken = async () => {
    const now = Math.floor(Date.now() / 1000)
    const claims = { iss: issuer, aud: 'c1', sub: 'ann', nonce, iat: now, exp: now + 60 }
    const signed = `${encoded({ alg: 'RS256', kid: 'k' })}.${encoded(claims)}`
    const bytes = new TextEncoder().encode(signed)
    const signature = await crypto.subtle.sign(rsa.name, keys.privateKey, bytes)
    return `${signed}.${inBase64url(String.fromCharCode(...new Uint8Array(signature)))}`
  }
  const answers = {
    '/.well-known/openid-configuration': () => ({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      userinfo_endpoint: `${issuer}/info`,
      jwks_uri: `${issuer}/jwks`,
      authorization_response_iss_parameter_supported: true,
    }),
    '/jwks': () => ({ keys: [{ kty: 'RSA', n, e, kid: 'k', alg: 'RS256', use: 'sig' }] }),
    '/token': async () => ({
      token_type: 'bearer',
      access_token: 'token',
      id_token: await idToken(),
    }),
    '/info': () => ({ sub: 'ann', email: 'ann@acme.example' }),
  }
  return {
    expect: (expected) => {
      nonce = expected
    },
    fetch: async (url) => Response.json(await answers[new URL(url).pathname]()),
  }
}

const inBase64url = (text) =>
  btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')

const encoded = (value) => inBase64url(JSON.stringify(value))

const unwrap = (result) => {
  if (result.isErr()) throw new Error(`Surprise: ${JSON.stringify(result.error)}`)
  return result.value
}
