// Guards every route from memory.
import { createServer } from 'node:http'
import { aesGcmCipher, createIam, memoryEventStore, orThrow } from 'claviger'

const keys = { k1: crypto.getRandomValues(new Uint8Array(32)) }
const secrets = aesGcmCipher({ current: 'k1', keys })
const iam = createIam({ store: memoryEventStore(), secrets, authorize: () => true })
const acme = { caller: { userId: 'admin', orgId: 'acme' } }

const project = { projectId: 'invoicing' }
await orThrow(iam.projects.add({ id: 'invoicing', name: 'Invoicing' }, acme))
const permissions = ['invoice.read', 'invoice.approve']
const accountant = { ...project, roleKey: 'accountant', displayName: 'Accountant', permissions }
await orThrow(iam.projectRoles.add(accountant, acme))

// Once, at the start: reads the log, then follows it until the signal aborts.
const stop = new AbortController()
const live = await orThrow(iam.access.live({ signal: stop.signal }))

/** The user of a request, as your own authentication knows them. */
const userOf = ({ url = '' }: { readonly url?: string | undefined }) => ({
  orgId: 'acme',
  userId: url.slice(1),
})

const server = createServer((request, response) => {
  const mayApprove = live.can({ ...userOf(request), ...project, permission: 'invoice.approve' })
  response.writeHead(mayApprove ? 200 : 403).end()
})

// The next request sees writes of this process.
const bo = { userId: 'u-bo', ...project }
const asked = { ...bo, orgId: 'acme', permission: 'invoice.approve' }
if (live.can(asked)) throw new Error('Nobody has the role yet')
await orThrow(iam.userGrants.add({ ...bo, roles: [{ roleKey: 'accountant' }] }, acme))
if (!live.can(asked)) throw new Error('The role was given')

// Wait until a write of another process is seen.
const { details } = await orThrow(iam.userGrants.deactivate(bo, acme))
await orThrow(live.reached(details.sequence, { signal: AbortSignal.timeout(1_000) }))
console.log(live.check(asked).reasons, live.position, Math.round(live.lag))

stop.abort()
server.close()
