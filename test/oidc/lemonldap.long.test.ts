import { aesGcmCipher, createIam, memoryEventStore } from 'claviger'
import { openIdSignIn } from 'claviger/oidc'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasChromium, openContext } from '../chromium.js'
import { hasLemonldap, startLemonldap } from './lemonldap.js'

const provider = { orgId: 'acme', idpId: 'lemonldap' }
const caller = { userId: 'sign-in', orgId: 'acme' }
const context = { caller }
// Letters and digits: LemonLDAP::NG does not decode the encoded secret of client_secret_basic.
const clientSecret = 'SecretOfThisTest'
const callback = 'http://localhost:1/callback'

const iam = createIam({
  store: memoryEventStore(),
  secrets: aesGcmCipher({ current: 'k', keys: { k: new Uint8Array(32) } }),
  authorize: () => true,
})
const signIn = openIdSignIn({
  iam,
  caller,
  redirectUri: ({ orgId, idpId }) => `${callback}/${orgId}/${idpId}`,
  key: new Uint8Array(32),
  lookup: false,
  allowHttpLoopback: true,
  userIdOf: ({ subject }) => subject,
  groups: { claim: 'groups' },
})

describe.runIf(hasChromium() && hasLemonldap())('LemonLDAP::NG, in Chromium', () => {
  let portal: Awaited<ReturnType<typeof startLemonldap>>

  beforeAll(async () => {
    const redirectUri = `${callback}/acme/lemonldap`
    portal = await startLemonldap({ clientId: 'claviger', clientSecret, redirectUri })
    const { identityProviders, projects, projectRoles, roleMappings } = iam
    const { issuer } = portal
    const scopes = ['email', 'profile', 'groups']
    const idp = { idpId: 'lemonldap', name: 'LemonLDAP::NG', issuer, scopes }
    const client = { clientId: 'claviger', clientSecret }
    ;(await identityProviders.addOidc({ ...idp, ...client }, context))._unsafeUnwrap()
    const login = { projectRoleCheck: true }
    const project = { id: 'invoicing', name: 'Invoicing', ...login }
    ;(await projects.add(project, context))._unsafeUnwrap()
    const role = { projectId: 'invoicing', roleKey: 'accountant', displayName: 'Accountant' }
    ;(await projectRoles.add(role, context))._unsafeUnwrap()
    const of = { idpId: 'lemonldap', projectId: 'invoicing' }
    const mapping = { ...of, group: 'finance', roleKeys: ['accountant'] }
    ;(await roleMappings.add(mapping, context))._unsafeUnwrap()
  }, 180_000)
  afterAll(async () => {
    await portal?.close()
  })

  /** Signs a demo account in, in a browser that has not been there before. */
  const signedIn = async (account: string) => {
    const { url, attempt } = (
      await signIn.begin({ ...provider, projectId: 'invoicing' })
    )._unsafeUnwrap()
    const page = await (await openContext()).newPage()
    await page.goto(url)
    await page.fill('[name=user]', account)
    await page.fill('[name=password]', account)
    const [sentBack] = await Promise.all([
      page.waitForRequest(`${callback}/**`),
      page.click('[type=submit]'),
    ])
    const finished = await signIn.finish({ url: sentBack.url(), attempt })
    await page.context().close()
    return finished._unsafeUnwrap()
  }

  it('passes the test of a provider', async () => {
    await portal.configure({ rules: {} })
    const { checks } = (await signIn.test(provider))._unsafeUnwrap()
    const verdicts = Object.fromEntries(checks.map(({ name, verdict }) => [name, verdict]))
    const fine = {
      discovery: 'ok',
      issuer: 'ok',
      endpoints: 'ok',
      keys: 'ok',
      pkce: 'ok',
      secret: 'ok',
    }
    // It does not name the scope of this test in its discovery.
    expect(verdicts).toEqual({ ...fine, scopes: 'warning', signing_algorithms: 'ok' })
  })

  it('gives a role by a group in the same answer, and takes it at the next sign-in', async () => {
    await portal.configure({ rules: { finance: '$uid eq "dwho"' } })
    const user = await signedIn('dwho')
    const { issuer } = portal
    expect(user).toMatchObject({ issuer, subject: 'dwho', displayName: 'Doctor Who' })
    expect(user.groups).toEqual(expect.arrayContaining(['finance', 'timelords']))
    expect(user.access).toMatchObject({ allowed: true, roleKeys: ['accountant'] })
    const other = await signedIn('rtyler')
    expect(other.access).toMatchObject({ allowed: false, roleKeys: [] })

    await portal.configure({ rules: {} })
    const again = await signedIn('dwho')
    expect(again.groups).not.toContain('finance')
    expect(again.access).toMatchObject({ allowed: false, roleKeys: [] })
  }, 180_000)

  it('may send one text, or nothing', async () => {
    await portal.configure({ only: '$uid eq "msmith" ? "finance" : ""' })
    const user = await signedIn('msmith')
    expect(user.claims['groups']).toBe('finance')
    expect(user.access).toMatchObject({ allowed: true, roleKeys: ['accountant'] })
    const other = await signedIn('rtyler')
    expect(other.claims).not.toHaveProperty('groups')
    expect(other).toMatchObject({ groups: [], access: { allowed: false } })
    await portal.configure({ only: '""' })
    expect((await signedIn('msmith')).access).toMatchObject({ allowed: false, roleKeys: [] })
  }, 180_000)
})
