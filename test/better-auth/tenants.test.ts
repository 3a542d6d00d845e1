import { orThrow } from 'claviger'
import { consoleOptionsOf, guardOf, tenantsOf } from 'claviger/better-auth'
import { consoleHandler } from 'claviger/console'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { as, type Host, openHost, startProvider } from './host.js'

const ORIGIN = 'https://app.test'

let acme: Awaited<ReturnType<typeof startProvider>>
let host: Host
let tenants: ReturnType<typeof tenantsOf>

beforeAll(async () => {
  acme = await startProvider('acme', ORIGIN, { ada: { email: 'ada@acme.example' } })
})
afterAll(() => acme.close())
beforeEach(async () => {
  host = await openHost(ORIGIN)
  tenants = tenantsOf(host.auth)
})

const emails = async () => (await host.rows('user')).map(({ email }) => email)
const members = async () =>
  (await host.rows('member')).map(({ organizationId, userId }) => [organizationId, userId])

describe('tenantsOf', () => {
  it('adds an organization once, also when two calls do at the same time', async () => {
    const tenant = { id: 'acme', name: 'Acme' }
    await Promise.all([tenants.add(tenant), tenants.add(tenant)])
    await tenants.add({ ...tenant, name: 'Another name' })
    expect(await tenants.list()).toMatchObject([{ id: 'acme', name: 'Acme' }])
  })

  it('refuses an id whose slug another organization has', async () => {
    await tenants.add({ id: 'acme', name: 'Acme' })
    const update = { slug: 'globex' }
    await host.adapter.update({
      model: 'organization',
      where: [{ field: 'id', value: 'acme' }],
      update,
    })
    await expect(tenants.add({ id: 'globex', name: 'Globex' })).rejects.toThrow(/unique/i)
    expect(await tenants.list()).toHaveLength(1)
  })

  it('adds a member once, whose first sign-in proves the address', async () => {
    await host.addOrganization('acme', acme)
    const added = { orgId: 'acme', email: 'Ada@Acme.example' }
    const [first, second] = await Promise.all([tenants.addMember(added), tenants.addMember(added)])
    expect(second).toBe(first)
    expect(await members()).toEqual([['acme', first]])
    expect(await host.rows('user')).toMatchObject([
      { email: 'ada@acme.example', name: 'ada@acme.example' },
    ])
    const browser = host.browser()
    expect((await browser.signIn('acme/sso', 'ada')).status).toBe(303)
    expect(await host.callerOf(browser.headers())).toEqual({ userId: first, orgId: 'acme' })
    expect(await host.rows('user')).toMatchObject([{ id: first, emailVerified: true }])
  })

  it('deletes a member with the user and the sessions, unless another organization has them', async () => {
    await host.addOrganization('acme', acme)
    await tenants.add({ id: 'globex', name: 'Globex' })
    const userId = await tenants.addMember({ orgId: 'acme', email: 'ada@acme.example' })
    await tenants.addMember({ orgId: 'globex', email: 'ada@acme.example' })
    const browser = host.browser()
    await browser.signIn('acme/sso', 'ada')
    await tenants.deleteMember({ orgId: 'acme', userId })
    expect(await host.rows('session')).toEqual([])
    expect(await members()).toEqual([['globex', userId]])
    expect(await emails()).toEqual(['ada@acme.example'])
    await tenants.deleteMember({ orgId: 'acme', userId }) // again: nothing is left to do
    expect(await emails()).toEqual(['ada@acme.example'])
    await tenants.deleteMember({ orgId: 'globex', userId })
    expect([await members(), await emails()]).toEqual([[], []])
  })

  it('deletes an organization with its members and invitations, and leaves others', async () => {
    await host.addOrganization('acme', acme)
    await tenants.add({ id: 'globex', name: 'Globex' })
    const ada = await tenants.addMember({ orgId: 'acme', email: 'ada@acme.example' })
    await tenants.addMember({ orgId: 'acme', email: 'bo@acme.example' })
    const gus = await tenants.addMember({ orgId: 'globex', email: 'gus@globex.example' })
    const browser = host.browser()
    await browser.signIn('acme/sso', 'ada')
    const row = {
      email: 'x@acme.example',
      status: 'pending',
      expiresAt: new Date(),
      inviterId: ada,
    }
    await host.adapter.create({ model: 'invitation', data: { organizationId: 'acme', ...row } })
    await tenants.delete('acme')
    await tenants.delete('acme')
    expect(await tenants.list()).toMatchObject([{ id: 'globex' }])
    expect(await members()).toEqual([['globex', gus]])
    expect(await emails()).toEqual(['gus@globex.example'])
    expect([await host.rows('invitation'), await host.rows('session')]).toEqual([[], []])
    expect(await host.callerOf(browser.headers())).toBeUndefined()
    expect((await host.browser().signIn('acme/sso', 'ada')).status).toBe(403)
  })
})

describe('guardOf', () => {
  it('returns the caller with the permission, and throws 401 or 403 otherwise', async () => {
    await host.addOrganization('acme', acme)
    const guard = guardOf(host.auth, { iam: host.iam, projectId: 'invoicing' })
    const userId = await tenants.addMember({ orgId: 'acme', email: 'ada@acme.example' })
    const browser = host.browser()
    await browser.signIn('acme/sso', 'ada')
    const asked = (place?: object) => guard(browser.headers(), 'invoice.read', place)
    await expect(guard(new Headers(), 'invoice.read')).rejects.toMatchObject({
      error: { kind: 'Unauthenticated' },
    })
    await expect(asked()).rejects.toMatchObject({ error: { kind: 'AccessDenied' } })
    const viewer = { roleKey: 'viewer', displayName: 'Viewer', permissions: ['invoice.read'] }
    for (const orgId of ['acme', 'globex']) {
      await orThrow(host.iam.projects.add({ id: 'invoicing', name: 'Invoicing' }, as(orgId)))
      await orThrow(host.iam.projectRoles.add({ projectId: 'invoicing', ...viewer }, as(orgId)))
    }
    const roles = [{ roleKey: 'viewer' }]
    const own = { userId, projectId: 'invoicing', roles, resource: 'invoice:7' }
    await orThrow(host.iam.userGrants.give(own, as('acme')))
    expect(await asked({ resource: 'invoice:7' })).toEqual({ userId, orgId: 'acme' })
    await expect(asked()).rejects.toMatchObject({ error: { kind: 'AccessDenied' } })
    // As an adviser, once both companies say so.
    const there = { projectOrgId: 'globex' }
    await expect(asked(there)).rejects.toMatchObject({ error: { kind: 'AccessDenied' } })
    const adviser = { projectId: 'invoicing', grantedOrgId: 'acme', roleKeys: ['viewer'] }
    await orThrow(host.iam.projectGrants.add(adviser, as('globex')))
    await orThrow(
      host.iam.userGrants.give({ userId, projectId: 'invoicing', ...there, roles }, as('acme')),
    )
    expect(await asked(there)).toEqual({ userId, orgId: 'acme' })
    await expect(asked({ userId: 'ada', orgId: 'globex' })).rejects.toMatchObject({
      error: { kind: 'AccessDenied' },
    })
  })

  it('refuses wrong options', () => {
    expect(() => guardOf(host.auth, { iam: host.iam } as never)).toThrow('projectId must be')
    expect(() => guardOf(host.auth, { iam: host.iam, project: 'x' } as never)).toThrow(TypeError)
  })
})

describe('consoleOptionsOf', () => {
  it('leads to the sign-in page, where better-auth is mounted', async () => {
    const paths = [
      [{ baseURL: ORIGIN }, '/api/auth'],
      [{ baseURL: ORIGIN, basePath: '/auth' }, '/auth'],
      [{ baseURL: `${ORIGIN}/own/auth/` }, '/own/auth'],
    ] as const
    for (const [auth, path] of paths) {
      const { auth: mounted, sso, iam } = await openHost(ORIGIN, { auth: { ...auth } })
      await mounted.$context
      const options = consoleOptionsOf(mounted, sso)
      const page = `${path}/claviger/sign-in`
      expect(options.loginUrl).toBe(`${page}?returnTo={returnTo}`)
      const signInUrl = options.signInUrl({ orgId: 'acme', idpId: 'sso' })
      expect(signInUrl).toBe(`${page}?orgId=acme&idpId=sso`)
      const served = await mounted.handler(new Request(`${ORIGIN}${signInUrl}`))
      expect(await served.text()).toContain(`action="${page}"`)
      expect((await consoleHandler(iam, options)(new Request(`${ORIGIN}/`))).status).toBe(200)
    }
  })

  it('serves a form that signs a user in and comes back, and shows no markup of the query', async () => {
    await host.addOrganization('acme', acme, { autoRegister: true })
    const url = `${ORIGIN}/api/auth/claviger/sign-in?returnTo=/admin/&orgId=%22%3E%3Cscript%3E`
    const page = await host.auth.handler(new Request(url))
    const html = await page.text()
    expect(html).not.toContain('<script')
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    const fields = Object.fromEntries(
      [...html.matchAll(/name="(\w+)"(?: value="([^"]*)")?/g)].map(([, name, value]) => [
        name,
        value,
      ]),
    )
    expect(Object.keys(fields)).toEqual(expect.arrayContaining(['email', 'returnTo']))
    expect(fields['returnTo']).toBe('/admin/')
  })
})
