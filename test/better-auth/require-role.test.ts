import { orThrow } from 'claviger'
import { type ClavigerAuthOptions, claviger } from 'claviger/better-auth'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { as, type Browser, type Host, openHost, startProvider } from './host.js'

const ORIGIN = 'https://app.test'

let acme: Awaited<ReturnType<typeof startProvider>>
beforeAll(async () => {
  acme = await startProvider('acme', ORIGIN, {
    ada: { email: 'ada@acme.example', groups: ['finance'] },
    bo: { email: 'bo@acme.example' },
  })
})
afterAll(() => acme.close())

const grant = { projectId: 'invoicing', roles: [{ roleKey: 'reader' }] }

/** A host with a project, whose role `accountant` the group `finance` gives. */
const opened = async (plugin: Partial<ClavigerAuthOptions> = {}, auth: object = {}) => {
  const host = await openHost(ORIGIN, { plugin: { requireRole: true, ...plugin }, auth })
  const { iam } = host
  await host.addOrganization('acme', acme, { autoRegister: true })
  await orThrow(iam.projects.add({ id: 'invoicing', name: 'Invoicing' }, as('acme')))
  for (const roleKey of ['accountant', 'reader']) {
    const role = { projectId: 'invoicing', roleKey, displayName: roleKey }
    await orThrow(iam.projectRoles.add(role, as('acme')))
  }
  const mapping = { idpId: 'sso', group: 'finance', projectId: 'invoicing' }
  await orThrow(iam.roleMappings.add({ ...mapping, roleKeys: ['accountant'] }, as('acme')))
  const browser = host.browser()
  return { host, iam, browser }
}

const sessionOf = async (host: Host, browser: Browser) => {
  const response = await browser.send('GET', '/api/auth/get-session')
  const session: { user: { id: string } } | null = await response.json()
  return { id: session?.user.id, rows: await host.rows('session') }
}

describe('with requireRole', () => {
  it('a session ends with the last role of its user, and a new one begins with the next', async () => {
    const { host, iam, browser } = await opened()
    expect((await browser.signIn('acme/sso', 'ada')).status).toBe(303)
    const { id: userId = '', rows } = await sessionOf(host, browser)
    expect([userId.length > 0, rows.length]).toEqual([true, 1])
    await orThrow(iam.userGrants.add({ userId, ...grant }, as('acme')))
    // A push takes the group away; the role that was given stays.
    await orThrow(iam.memberships.report({ idpId: 'sso', userId, groups: [] }, as('acme')))
    expect((await sessionOf(host, browser)).id).toBe(userId)
    await orThrow(iam.userGrants.removeAllOfUser({ userId }, as('acme')))
    expect(await sessionOf(host, browser)).toEqual({ id: undefined, rows: [] })
    expect(await host.callerOf(browser.headers())).toBeUndefined()
    expect([...browser.cookies.keys()]).not.toContain('__Secure-better-auth.session_token')
    expect((await browser.signIn('acme/sso', 'ada')).status).toBe(303)
    expect((await sessionOf(host, browser)).id).toBe(userId)
  })

  it.each(['callerOf', 'list-sessions'] as const)(
    'a session ends before %s is answered, also with a cached session',
    async (asked) => {
      const session = { cookieCache: { enabled: true, maxAge: 3_600 } }
      const { host, iam, browser } = await opened({}, { session })
      await browser.signIn('acme/sso', 'ada')
      const { id: userId = '' } = await sessionOf(host, browser)
      expect([...browser.cookies.keys()].join()).toContain('session_data')
      await orThrow(iam.memberships.remove({ idpId: 'sso', userId }, as('acme')))
      if (asked === 'callerOf') expect(await host.callerOf(browser.headers())).toBeUndefined()
      else {
        const { status } = await browser.send('GET', '/api/auth/list-sessions')
        expect(status).toBe(401)
      }
      expect(await sessionOf(host, browser)).toEqual({ id: undefined, rows: [] })
    },
  )

  it('a cached session alone is no session', async () => {
    const session = { cookieCache: { enabled: true, maxAge: 3_600 } }
    const { host, iam, browser } = await opened({}, { session })
    await browser.signIn('acme/sso', 'ada')
    const { id: userId = '' } = await sessionOf(host, browser)
    const other = host.browser()
    for (const [name, value] of browser.cookies) other.cookies.set(name, value)
    await orThrow(iam.memberships.remove({ idpId: 'sso', userId }, as('acme')))
    expect((await sessionOf(host, browser)).id).toBeUndefined()
    // Another tab has the cookies of before.
    expect(other.cookies.size).toBeGreaterThan(1)
    expect((await sessionOf(host, other)).id).toBeUndefined()
  })

  it('a session ends when a role expires, and when the provider is switched off', async () => {
    const { host, iam, browser } = await opened()
    await browser.signIn('acme/sso', 'ada')
    const { id: userId = '' } = await sessionOf(host, browser)
    await orThrow(iam.identityProviders.deactivate({ idpId: 'sso' }, as('acme')))
    expect(await sessionOf(host, browser)).toEqual({ id: undefined, rows: [] })
    await orThrow(iam.identityProviders.reactivate({ idpId: 'sso' }, as('acme')))
    await browser.signIn('acme/sso', 'ada')
    await orThrow(iam.memberships.remove({ idpId: 'sso', userId }, as('acme')))
    const expiresAt = new Date(Date.now() + 3_000)
    const roles = [{ roleKey: 'reader', expiresAt }]
    await orThrow(iam.userGrants.add({ userId, projectId: 'invoicing', roles }, as('acme')))
    expect((await sessionOf(host, browser)).id).toBe(userId)
    await expect.poll(async () => (await sessionOf(host, browser)).id).toBeUndefined()
  })

  it('nobody without a role signs in', async () => {
    const refusals: unknown[] = []
    const { host, iam, browser } = await opened({
      onRefused: (refusal) => {
        refusals.push(refusal)
        return new Response('no', { status: 403 })
      },
    })
    expect((await browser.signIn('acme/sso', 'bo')).status).toBe(403)
    expect(refusals).toEqual([{ kind: 'SessionRefused', code: 'NO_ROLE' }])
    const { id, rows } = await sessionOf(host, browser)
    expect([id, rows]).toEqual([undefined, []])
    const [bo] = await host.rows('user')
    await orThrow(iam.userGrants.add({ userId: String(bo?.['id']), ...grant }, as('acme')))
    expect((await browser.signIn('acme/sso', 'bo')).status).toBe(303)
  })

  it('sessions that no provider began, and requests without one, are left alone', async () => {
    const { host, browser } = await opened()
    const body = { name: 'Eve', email: 'eve@host.example', password: 'correct horse battery' }
    expect((await browser.send('POST', '/api/auth/sign-up/email', body)).status).toBe(200)
    expect((await sessionOf(host, browser)).id).toBeDefined()
    expect((await sessionOf(host, host.browser())).id).toBeUndefined()
    expect((await browser.send('POST', '/api/auth/sign-out', {})).status).toBe(200)
    expect(await sessionOf(host, browser)).toEqual({ id: undefined, rows: [] })
  })

  it('nobody is let in while roles cannot be read', async () => {
    let fails = false
    const { host, browser } = await opened({
      caller: () => {
        if (fails) throw new Error('no caller')
        return as('acme').caller
      },
    })
    await browser.signIn('acme/sso', 'ada')
    fails = true
    const { status } = await browser.send('GET', '/api/auth/get-session')
    expect(status).toBe(500)
    await expect(host.callerOf(browser.headers())).rejects.toThrow()
    fails = false
    expect((await sessionOf(host, browser)).id).toBeDefined()
  })
})

it('a session outlives the last role without requireRole', async () => {
  const { host, iam, browser } = await opened({ requireRole: false })
  await browser.signIn('acme/sso', 'ada')
  const { id: userId = '' } = await sessionOf(host, browser)
  await orThrow(iam.memberships.remove({ idpId: 'sso', userId }, as('acme')))
  expect((await sessionOf(host, browser)).id).toBe(userId)
  const wrong = { requireRole: 'yes' } as never
  expect(() => claviger(wrong)).toThrow('requireRole must be a boolean')
})

it('signing out ends the session of a provider', async () => {
  const { host, browser } = await opened()
  await browser.signIn('acme/sso', 'ada')
  expect((await browser.send('POST', '/api/auth/sign-out', {})).status).toBe(200)
  expect(await sessionOf(host, browser)).toEqual({ id: undefined, rows: [] })
})
