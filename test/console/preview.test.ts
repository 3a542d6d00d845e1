import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  aesGcmCipher,
  type Caller,
  createIam,
  memoryEventStore,
  orThrow,
  PERMISSIONS,
  permissionsFromCaller,
} from 'claviger'
import { consoleHandler } from 'claviger/console'
import { openIdSignIn, signInHandler } from 'claviger/oidc'
import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { axeViolations, hasChromium, openContext } from '../chromium.js'
import { realProvider } from '../oidc/real-provider.js'

const server = createServer().listen(0, '127.0.0.1')
await once(server, 'listening')
// Browsers take the cookie of a sign-in from there.
const origin = `http://localhost:${(server.address() as AddressInfo).port}`
const uris = ['own', 'sso'].map((id) => `${origin}/sign-in/callback/acme/${id}`)
const { issuer, close } = await realProvider(
  [{ client_id: 'c1', client_secret: 's3cret', redirect_uris: uris }],
  {
    claims: { openid: ['sub', 'groups', 'roles'], profile: ['name'] },
    conformIdTokenClaims: false,
    findAccount: (_, id) => ({
      accountId: id,
      claims: () => ({
        sub: id,
        name: '</pre><script>document.title = "owned"</script>',
        groups: ['finance', '<b>staff</b>'],
        roles: { of: 'another shape' },
      }),
    }),
  },
)

const admin: Caller = { userId: 'ada', orgId: 'acme', permissions: [...PERMISSIONS] }
const iam = createIam({
  store: memoryEventStore(),
  secrets: aesGcmCipher({ current: 'k', keys: { k: new Uint8Array(32) } }),
  authorize: permissionsFromCaller,
})
const context = { caller: admin }
const scopes = ['openid', 'profile']
const client = { name: 'Own', clientId: 'c1', clientSecret: 's3cret', issuer, scopes }
await orThrow(iam.identityProviders.addOidc({ idpId: 'own', ...client }, context))
await orThrow(iam.projects.add({ id: 'app', name: 'App' }, context))
const reader = { projectId: 'app', roleKey: 'reader', displayName: 'Reader' }
await orThrow(iam.projectRoles.add(reader, context))

const signIn = openIdSignIn({
  iam,
  caller: { ...admin, userId: 'sign-in' },
  key: new Uint8Array(32),
  callbackBase: `${origin}/sign-in/callback`,
  lookup: false,
  allowHttpLoopback: true,
  groups: { claim: 'groups' },
  userIdOf: () => expect.fail('A preview signs nobody in'),
})
const options = {
  basePath: '/admin',
  authenticate: (headers: { get: (name: string) => string | null }) => {
    const who = headers.get('cookie') ?? ''
    if (who.includes('who=auditor'))
      return { ...admin, permissions: ['identity_provider.read'] as const }
    return who.includes('who=ada') ? admin : undefined
  },
  testIdentityProvider: signIn.test,
  setUp: { path: '/set-up' },
}
const pages = consoleHandler(iam, { ...options, previewSignIn: signIn.begin })
const routes = signInHandler(signIn, {
  path: '/sign-in',
  onSignedIn: () => expect.fail('A preview starts no session'),
})
server.on(
  'request',
  (request, response) => void routes(request, response, () => pages(request, response)),
)
afterAll(() => {
  close()
  server.closeAllConnections()
  server.close()
})

const post = (handler: typeof pages, idpId: string, headers: Record<string, string>) =>
  handler(
    new Request(`${origin}/admin/api/preview?idp_id=${idpId}`, {
      method: 'POST',
      headers: { 'sec-fetch-site': 'same-origin', ...headers },
    }),
  )

describe('The preview of a sign-in in the console', () => {
  const byAdmin = { cookie: 'who=ada' }

  it('begins with a cookie that no page can read, and leads to the provider', async () => {
    const begun = await post(pages, 'own', byAdmin)
    expect(begun.status).toBe(200)
    const [cookie = ''] = begun.headers.getSetCookie()
    expect(cookie).toMatch(
      /^__Host-sign-in=[\w-]+; Path=\/; Max-Age=600; HttpOnly; Secure; SameSite=Lax$/,
    )
    const answer = await begun.text()
    expect(new URL(JSON.parse(answer).url).origin).toBe(issuer)
    expect(Object.keys(JSON.parse(answer))).toEqual(['url'])
  })

  it('is refused without a caller, without a permission, to pages of other sites and when the host offers none', async () => {
    const statuses = await Promise.all([
      post(pages, 'own', {}),
      post(pages, 'own', { cookie: 'who=auditor' }),
      post(pages, 'own', { ...byAdmin, 'sec-fetch-site': 'cross-site' }),
      post(consoleHandler(iam, options), 'own', byAdmin),
    ])
    expect(statuses.map(({ status }) => status)).toEqual([401, 403, 403, 404])
    expect(statuses.flatMap(({ headers }) => headers.getSetCookie())).toEqual([])
  })

  it('says why it cannot begin', async () => {
    const gone = { ...client, issuer: 'http://127.0.0.1:9', idpId: 'gone' }
    await orThrow(iam.identityProviders.addOidc(gone, context))
    const refused = await post(pages, 'gone', byAdmin)
    expect(refused.status).toBe(409)
    expect((await refused.json()).message).toBe('The sign-in cannot begin: ProviderUnreachable')
    expect((await post(pages, 'nobody', byAdmin)).status).toBe(409)
  })

  it('begins behind a link for the provider of the link alone', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000)
    const intents = ['provider', 'groups'] as const
    const { token } = await orThrow(
      iam.setupLinks.issue({ expiresAt, intents, idpId: 'sso' }, context),
    )
    const behind = (idpId: string) =>
      pages(
        new Request(`${origin}/set-up/api/preview?idp_id=${idpId}`, {
          method: 'POST',
          headers: { 'sec-fetch-site': 'same-origin', authorization: `Bearer ${token}` },
        }),
      )
    // There is no provider yet; the one that is asked for is another one's.
    expect((await behind('own')).status).toBe(409)
    const { caller } = await orThrow(iam.setupLinks.redeem({ token }))
    await orThrow(iam.identityProviders.addOidc({ idpId: 'sso', ...client }, { caller }))
    const begun = await behind('own')
    const { searchParams } = new URL((await begun.json()).url)
    expect(searchParams.get('redirect_uri')).toBe(uris[1])
  })
})

describe.runIf(hasChromium())('The preview of a sign-in in Chromium', () => {
  const openPage = async (cookies: readonly { name: string; value: string; url: string }[]) => {
    const browser = await openContext()
    onTestFinished(() => browser.close())
    await browser.addCookies([...cookies])
    return browser.newPage()
  }
  /** Runs the test, then a sign-in in the window that opens; answers the dialog that shows what came. */
  const previewed = async (page: Page) => {
    await page.getByRole('button', { name: 'Run the test' }).click()
    const opening = page.waitForEvent('popup')
    await page.getByRole('button', { name: 'Preview a sign-in' }).click()
    const opened = await opening
    await opened.fill('[name=login]', 'ada')
    await opened.fill('[name=password]', 'x')
    await opened.click('[type=submit]')
    const closing = opened.waitForEvent('close')
    await opened.click('[type=submit]')
    await closing // Once the page has shown what came.
    const dialog = page.getByRole('dialog', { name: 'What came from the provider' })
    await dialog.waitFor()
    return dialog
  }

  it('shows the claims, the groups and the mappings that match, and records nothing', async () => {
    const mapping = { idpId: 'own', group: 'finance', projectId: 'app', roleKeys: ['reader'] }
    await orThrow(iam.roleMappings.add(mapping, context))
    await orThrow(iam.roleMappings.add({ ...mapping, resource: 'workspace:42' }, context))
    const admit = [{ claim: 'tid', values: ['tenant-1'] }]
    await orThrow(iam.identityProviders.configureSignIn({ idpId: 'own', admit }, context))
    const before = await iam.head()
    const page = await openPage([{ name: 'who', value: 'ada', url: origin }])
    await page.goto(`${origin}/admin/provider?idpId=own`)
    const dialog = await previewed(page)
    const text = await dialog.innerText()
    expect(text).toContain('You could not sign in')
    expect(text).toContain('tid: tenant-1')
    expect(text).toContain('finance → app: reader')
    expect(text).toContain('→ app · workspace:42: reader')
    expect(text).toContain('<b>staff</b>')
    expect(text).toContain('{"of":"another shape"}')
    expect(text).toContain('</pre><script>')
    expect(await page.title()).not.toContain('owned')
    expect(await axeViolations(page)).toEqual([])
    expect(await iam.head()).toEqual(before)
    await dialog.getByRole('button', { name: 'Close' }).click()
    await dialog.waitFor({ state: 'detached' })
  })

  it('shows them in the guided set-up, after a passed test', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000)
    const intents = ['provider', 'groups'] as const
    const { token } = await orThrow(
      iam.setupLinks.issue({ expiresAt, intents, idpId: 'sso' }, context),
    )
    const { caller } = await orThrow(iam.setupLinks.redeem({ token }))
    const found = await iam.identityProviders.get({ idpId: 'sso' }, context)
    if (found.isErr())
      await orThrow(iam.identityProviders.addOidc({ idpId: 'sso', ...client }, { caller }))
    const page = await openPage([])
    await page.goto(`${origin}/set-up/#${token}`)
    await page.getByRole('button', { name: 'Run the test' }).waitFor()
    expect(await page.getByRole('button', { name: 'Preview a sign-in' }).count()).toBe(0)
    const dialog = await previewed(page)
    expect(await dialog.innerText()).toContain('You could sign in')
  })
})
