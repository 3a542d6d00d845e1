// A decision point that answers AuthZEN, and a client that asks it.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { aesGcmCipher, createIam, memoryEventStore, orThrow, permissionsFromCaller } from 'claviger'
import { authZenHandler } from 'claviger/authzen'

const keys = { k1: crypto.getRandomValues(new Uint8Array(32)) }
const secrets = aesGcmCipher({ current: 'k1', keys })
const iam = createIam({ store: memoryEventStore(), secrets, authorize: permissionsFromCaller })

const admin = {
  userId: 'admin',
  orgId: 'acme',
  permissions: ['project.write', 'project.role.write', 'user.grant.write'],
} as const
const acme = { caller: admin }
await orThrow(iam.projects.add({ id: 'invoicing', name: 'Invoicing' }, acme))
const permissions = ['invoice.read', 'invoice.approve']
const accountant = { roleKey: 'accountant', displayName: 'Accountant', permissions }
await orThrow(iam.projectRoles.add({ projectId: 'invoicing', ...accountant }, acme))
const roles = [{ roleKey: 'accountant' }]
await orThrow(iam.userGrants.add({ userId: 'u-bo', projectId: 'invoicing', roles }, acme))

/** Who may ask, by the token that they send. Keep hashes of real tokens. */
const token = crypto.randomUUID()
const gateway = { userId: 'gateway', orgId: 'acme', permissions: ['user.grant.read'] } as const
const callers = new Map([[`Bearer ${token}`, gateway]])

const handler = authZenHandler(iam, {
  identifier: 'https://pdp.example.com',
  authenticate: (headers) => callers.get(headers.get('authorization') ?? ''),
})
const server = createServer(handler).listen(Number(process.env['PORT'] ?? 0))
await once(server, 'listening')

const address = server.address()
const port = typeof address === 'object' ? address?.port : undefined
const endpoint = `http://localhost:${port}/access/v1/evaluation`

/** Whether a user may do something with a project. Only a clear "yes" allows. */
const mayDo = async (userId: string, permission: string, projectId: string): Promise<boolean> => {
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      subject: { type: 'user', id: userId },
      action: { name: permission },
      resource: { type: 'project', id: projectId },
    }),
    signal: AbortSignal.timeout(1_000),
  })
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`)
  const { decision } = await response.json()
  return decision === true
}

for (const permission of ['invoice.approve', 'invoice.delete'])
  console.log(permission, await mayDo('u-bo', permission, 'invoicing'))

server.close()
