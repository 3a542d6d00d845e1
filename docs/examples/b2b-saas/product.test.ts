// A customer, its adviser, and their end. How users sign in is tested in claviger.
import { test } from 'node:test'
import { testUtils } from 'better-auth/plugins'
import { orThrow } from 'claviger'
import { auth, iam, setting, tenants } from './iam.ts'
import { app } from './routes.ts'

const { login } = testUtils().init(await auth.$context).context.test
const operator = { authorization: `Bearer ${setting('OPERATOR_TOKEN')}` }
const addAdmin = async (id: string) => {
  const body = JSON.stringify({ id, name: id, adminEmail: `admin@${id}.example` })
  await app.request('/operator/customers', { method: 'POST', headers: operator, body })
  const userId = await tenants.addMember({ orgId: id, email: `admin@${id}.example` })
  const { headers } = await login({ userId, session: { activeOrganizationId: id } })
  const send = async (path: string, method = 'GET') =>
    (await app.request(path, { method, headers })).status
  return { userId, send, context: { caller: { userId, orgId: id } } }
}

test('An adviser has the roles that both companies give, until one of them ends', async ({
  assert,
}) => {
  const [ada, dina] = [await addAdmin('acme'), await addAdmin('roth')]
  const adviser = { projectId: 'invoicing', grantedOrgId: 'roth', roleKeys: ['viewer'] }
  await orThrow(iam.projectGrants.add(adviser, ada.context))
  assert.equal(await dina.send('/invoices/acme'), 403)
  const viewer = { projectId: 'invoicing', projectOrgId: 'acme', roles: [{ roleKey: 'viewer' }] }
  await orThrow(iam.userGrants.give({ ...viewer, userId: dina.userId }, dina.context))
  assert.equal(await dina.send('/invoices/acme'), 200)
  await app.request('/operator/customers/acme', { method: 'DELETE', headers: operator })
  assert.deepEqual([await dina.send('/invoices/acme'), await ada.send('/approvals')], [403, 401])
  assert.equal(await dina.send(`/users/${dina.userId}`, 'DELETE'), 204)
  assert.equal(await dina.send('/approvals'), 401)
})
