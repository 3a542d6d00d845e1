import { aesGcmCipher, createIam, memoryEventStore, orThrow } from 'claviger'
import {
  openIdSignIn,
  type SignInHandlerOptions,
  type SignInPreview,
  signInHandler,
} from 'claviger/oidc'
import { afterAll, describe, expect, it } from 'vitest'
import { realProvider, throughProvider } from './real-provider.js'

const callback = 'https://app.test/sign-in/callback/acme/own'
const client = { client_id: 'c1', client_secret: 's3cret', redirect_uris: [callback] }
const { issuer, close } = await realProvider([client], {
  claims: { openid: ['sub'], profile: ['name', 'groups'] },
  conformIdTokenClaims: false,
  findAccount: (_, id) => ({
    accountId: id,
    claims: () => ({ sub: id, name: '<script>alert(1)</script>', groups: ['finance', 'staff'] }),
  }),
})
afterAll(close)

const context = { caller: { userId: 'sign-in', orgId: 'acme' } }
const iam = createIam({
  store: memoryEventStore(),
  secrets: aesGcmCipher({ current: 'k', keys: { k: new Uint8Array(32) } }),
  authorize: () => true,
})
const idp = { idpId: 'own', name: 'Own', clientId: 'c1', clientSecret: 's3cret', issuer }
await orThrow(iam.identityProviders.addOidc({ ...idp, scopes: ['openid', 'profile'] }, context))
const admit = [{ claim: 'tid', values: ['t'] }]
const groups = { claim: 'groups' }
await orThrow(iam.identityProviders.configureSignIn({ idpId: 'own', groups, admit }, context))
await orThrow(iam.projects.add({ id: 'app', name: 'App' }, context))
const role = { projectId: 'app', roleKey: 'reader', displayName: 'Reader' }
await orThrow(iam.projectRoles.add(role, context))
const mapping = { idpId: 'own', group: 'finance', projectId: 'app', roleKeys: ['reader'] }
await orThrow(iam.roleMappings.add(mapping, context))

const signIn = openIdSignIn({
  iam,
  caller: context.caller,
  key: new Uint8Array(32),
  callbackBase: 'https://app.test/sign-in/callback',
  lookup: false,
  allowHttpLoopback: true,
  userIdOf: () => expect.fail('A preview signs nobody in'),
})
const isAdmin = (request: Request) => request.headers.get('cookie') === 'session=admin'
const handlerWith = (preview?: SignInHandlerOptions['preview']) =>
  signInHandler(signIn, {
    path: '/sign-in',
    onSignedIn: () => expect.fail('A preview starts no session'),
    onRefused: (refusal) => Response.json(refusal, { status: 403 }),
    preview,
  })
const post = (
  form: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = { cookie: 'session=admin' },
) =>
  new Request('https://app.test/sign-in', {
    method: 'POST',
    body: new URLSearchParams(form),
    headers: { 'sec-fetch-site': 'same-origin', ...headers },
  })
const own = { orgId: 'acme', idpId: 'own' }
const asPreview = { ...own, preview: 'true' }

/** Begins a preview, signs in at the provider, and answers the request of the browser that comes back. */
const cameBack = async (handler: ReturnType<typeof handlerWith>) => {
  const begun = await handler(post(asPreview))
  expect(begun.status).toBe(303)
  const [cookie = ''] = (begun.headers.getSetCookie().at(-1) ?? '').split(';')
  const url = await throughProvider(begun.headers.get('location') ?? '', callback)
  return new Request(url, { headers: { cookie } })
}

describe('A preview through signInHandler', () => {
  it('shows an admin what came from the provider, and records nothing', async () => {
    const before = await iam.head()
    const asked: unknown[] = []
    const handler = handlerWith({
      permitted: (request, provider) => {
        asked.push(provider)
        return isAdmin(request)
      },
    })
    const answer = await handler(await cameBack(handler))
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('application/json')
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.getSetCookie()).toEqual([expect.stringContaining('Max-Age=0')])
    const text = await answer.text()
    expect(JSON.parse(text)).toMatchObject({
      user: { subject: 'ann', groups: ['finance', 'staff'], claims: { sub: 'ann' } },
      unmetRules: admit,
      mappings: [{ group: 'finance', projectId: 'app', roleKeys: ['reader'] }],
    })
    expect(text).not.toMatch(/s3cret|tokens|eyJ/)
    expect(asked).toEqual([own])
    expect(await iam.head()).toEqual(before)
  })

  it('shows a browser a page in which nothing of the provider runs', async () => {
    const handler = handlerWith({ permitted: isAdmin })
    const request = await cameBack(handler)
    request.headers.set('accept', 'text/html,application/xhtml+xml')
    const answer = await handler(request)
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const policy = answer.headers.get('content-security-policy') ?? ''
    const html = await answer.text()
    const [, shown = '', script = ''] = /<pre>(.*)<\/pre><script>(.*)<\/script>/s.exec(html) ?? []
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(script))
    expect(policy).toContain(`script-src 'sha256-${Buffer.from(digest).toString('base64')}'`)
    expect(shown).not.toContain('<')
    const json = shown.replaceAll('&lt;', '<').replaceAll('&amp;', '&')
    expect(JSON.parse(json).user.claims.name).toBe('<script>alert(1)</script>')
  })

  it('gives the host what came, for a page of its own', async () => {
    const onPreviewed = ({ user }: SignInPreview) => new Response(`page for ${user.subject}`)
    const handler = handlerWith({ permitted: isAdmin, onPreviewed })
    expect(await (await handler(await cameBack(handler))).text()).toBe('page for ann')
  })

  it.each<readonly [string, SignInHandlerOptions['preview']]>([
    ['the option', undefined],
    ['permission', { permitted: () => false }],
    ['an answer that is true', { permitted: (() => 'yes') as never }],
  ])('is refused without %s', async (_, preview) => {
    const answer = await handlerWith(preview)(post(asPreview))
    expect(answer.headers.get('location')).toBeNull()
    const refusal = { kind: 'PermissionDenied', permission: 'role_mapping.read', orgId: 'acme' }
    expect([answer.status, await answer.json()]).toEqual([403, refusal])
  })

  it('is refused to others than admins, to other pages, and by an address', async () => {
    const handler = handlerWith({ permitted: isAdmin })
    const kindOf = async (request: Request) => {
      const answer = await handler(request)
      expect(answer.headers.get('location')).toBeNull()
      return Reflect.get(Object(await answer.json()), 'kind')
    }
    expect(await kindOf(post(asPreview, { cookie: 'session=ann' }))).toBe('PermissionDenied')
    const foreign = { cookie: 'session=admin', 'sec-fetch-site': 'cross-site' }
    expect(await kindOf(post(asPreview, foreign))).toBe('ForeignPage')
    const byAddress = { email: 'ann@acme.test', preview: 'true' }
    expect(await kindOf(post(byAddress))).toBe('InvalidArgument')
  })

  it('is refused with the cause when the host cannot tell', async () => {
    const refusals: unknown[] = []
    const failing = signInHandler(signIn, {
      path: '/sign-in',
      onSignedIn: () => undefined,
      onRefused: (refusal) => new Response(`${refusals.push(refusal)}`),
      preview: { permitted: () => Promise.reject(new Error('no session store')) },
    })
    await failing(post(asPreview))
    expect(refusals).toMatchObject([
      { kind: 'Unavailable', cause: { message: 'no session store' } },
    ])
  })

  it.each([{}, { permitted: true }, { permitted: isAdmin, onPreview: isAdmin }, 1])(
    'has options that are checked: %o',
    (preview) => {
      expect(() => handlerWith(preview as never)).toThrow(TypeError)
    },
  )
})
