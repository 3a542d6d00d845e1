import { orThrow } from 'claviger'
import { memoryScimRecords, type ScimUsers, scimHandler, scimTokens } from 'claviger/scim'
import { expect, it, onTestFinished } from 'vitest'
import { as, type Host, openHost, startProvider } from './host.js'

const ORIGIN = 'https://app.test'

/** The users of better-auth who are members of the organization, as SCIM sees them. */
const usersOf = ({ adapter }: Host): ScimUsers => {
  const shown = async (field: 'id' | 'email', value: string, orgId: string) => {
    const user = await adapter.findOne<{ id: string; email: string }>({
      model: 'user',
      where: [{ field, value }],
    })
    const where = [
      { field: 'organizationId', value: orgId },
      { field: 'userId', value: user?.id ?? '' },
    ]
    const member = user && (await adapter.findOne({ model: 'member', where }))
    return member ? { id: user.id, userName: user.email } : undefined
  }
  return {
    find: async ({ userName }, { orgId }) =>
      userName === undefined ? undefined : shown('email', userName.toLowerCase(), orgId),
    get: (id, { orgId }) => shown('id', id, orgId),
  }
}

it('Leaving a group ends the role at the next push at once, and at the next sign-in', async () => {
  const groups = ['finance']
  const acme = await startProvider('acme', ORIGIN, { ada: { email: 'ada@acme.example', groups } })
  onTestFinished(() => acme.close())
  const host = await openHost(ORIGIN, { plugin: { requireRole: true } })
  const { iam } = host
  await host.addOrganization('acme', acme, { autoRegister: true })
  await orThrow(iam.projects.add({ id: 'invoicing', name: 'Invoicing' }, as('acme')))
  const role = { projectId: 'invoicing', roleKey: 'accountant' }
  await orThrow(iam.projectRoles.add({ ...role, displayName: 'Accountant' }, as('acme')))
  const mapping = { idpId: 'sso', group: 'finance', projectId: 'invoicing' }
  await orThrow(iam.roleMappings.add({ ...mapping, roleKeys: ['accountant'] }, as('acme')))

  const records = memoryScimRecords()
  const placeOf = (ids: { orgId: string; idpId: string }) => ({
    ...ids,
    caller: as(ids.orgId).caller,
  })
  const { authenticate, onRefused, issue } = scimTokens(iam, { records, placeOf })
  const handler = scimHandler(iam, { authenticate, onRefused, records, users: usersOf(host) })
  const token = await issue({ orgId: 'acme', idpId: 'sso' })
  const push = async (method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const request = { method, headers, ...(body && { body: JSON.stringify(body) }) }
    const response = await handler(new Request(`${ORIGIN}${path}`, request))
    expect([path, response.ok]).toEqual([path, true])
    return response.status === 204 ? undefined : response.json()
  }

  const browser = host.browser()
  const caller = () => host.callerOf(browser.headers())
  const has = async (userId: string) =>
    (await orThrow(iam.access.check({ ...role, userId }, as('acme')))).allowed
  expect((await browser.signIn('acme/sso', 'ada')).status).toBe(303)
  const userId = (await caller())?.userId ?? expect.fail()
  expect(await has(userId)).toBe(true)

  // The directory finds the user by the address, and knows the group.
  const found = await push('GET', '/Users?filter=userName eq "Ada@acme.example"')
  expect(found.Resources).toMatchObject([{ id: userId }])
  const members = [{ value: userId }]
  const { id } = await push('POST', '/Groups', { displayName: 'finance', members })
  expect(await has(userId)).toBe(true)

  // At the next push at once: no sign-in was needed, and the session is over.
  const patch = (op: string) => ({ Operations: [{ op, path: 'members', value: members }] })
  await push('PATCH', `/Groups/${id}`, patch('remove'))
  expect([await has(userId), await caller()]).toEqual([false, undefined])

  // A sign-in says so again, and what it leaves out ends too.
  expect((await browser.signIn('acme/sso', 'ada')).status).toBe(303)
  await push('PATCH', `/Groups/${id}`, patch('add'))
  expect([await has(userId), (await caller())?.userId]).toEqual([true, userId])
  acme.users['ada'] = { email: 'ada@acme.example', groups: [] }
  expect((await browser.signIn('acme/sso', 'ada')).status).toBe(403)
  expect([await has(userId), await caller()]).toEqual([false, undefined])
})
