// A host that signs users in, with two real OpenID providers beside it: `npm install && npm start`.
import { randomBytes } from 'node:crypto'
import {
  aesGcmCipher,
  type Caller,
  createIam,
  memoryEventStore,
  orThrow,
  permissionsFromCaller,
} from 'claviger'
import { openHost } from './host.ts'
import { startProvider } from './provider.ts'

const { PORT = '8090' } = process.env
const orgId = 'acme'
const projectId = 'portal'
const domain = 'acme.example'

/** What acme has published in its DNS, of which this example has none. */
const published = new Map<string, string>()

const iam = createIam({
  store: memoryEventStore(),
  secrets: aesGcmCipher({ current: 'k1', keys: { k1: randomBytes(32) } }),
  authorize: permissionsFromCaller,
  domains: {
    isPublicSuffix: (name) => name === 'example',
    resolveTxt: async (name) => [[published.get(name) ?? '']],
  },
})
const caller: Caller = {
  userId: 'admin-1',
  orgId,
  permissions: [
    'project.write',
    'project.role.write',
    'user.grant.write',
    'identity_provider.write',
    'domain.write',
  ],
}

const origin = `http://localhost:${PORT}`
const { app, accounts } = await openHost({
  iam,
  orgId,
  projectId,
  origin,
  key: randomBytes(32),
  sessionSecret: randomBytes(32).toString('hex'),
  allowHttpLoopback: true,
})

const addProvider = async (idpId: string, name: string, autoRegister: boolean) => {
  const clientSecret = randomBytes(24).toString('hex')
  const redirectUri = `${origin}/sign-in/callback/${orgId}/${idpId}`
  const provider = await startProvider({ clientId: 'portal', clientSecret, redirectUri }, [
    { email: `ann@${domain}`, name: 'Ann Archer' },
    { email: `bob@${domain}`, name: 'Bob Baker' },
  ])
  const { issuer } = provider
  const scopes = ['openid', 'email', 'profile']
  const oidc = { clientId: 'portal', clientSecret, issuer, scopes, autoRegister }
  await orThrow(iam.identityProviders.addOidc({ idpId, name, ...oidc }, { caller }))
  return provider
}

const corporate = await addProvider('corporate', 'Acme', true)
const partner = await addProvider('partner', 'Partner', false)

// The address of a user of acme leads to its own provider.
const { challenge = '' } = await orThrow(iam.domains.add({ domain }, { caller }))
published.set(`_claviger-challenge.${domain}`, challenge)
await orThrow(iam.domains.verify({ domain }, { caller }))
await orThrow(iam.domains.setProvider({ domain, idpId: 'corporate' }, { caller }))

// Ann is known by her address, and is an editor; Bob is not known yet.
const ann = accounts.add({ orgId, email: `ann@${domain}`, displayName: 'Ann Archer' })
const login = { projectRoleCheck: true, projectRoleAssertion: true }
await orThrow(iam.projects.add({ id: projectId, name: 'Portal', ...login }, { caller }))
const editor = { projectId, roleKey: 'editor', displayName: 'Editor' }
await orThrow(iam.projectRoles.add(editor, { caller }))
const grant = { userId: ann, projectId, roles: [{ roleKey: 'editor' }] }
await orThrow(iam.userGrants.add(grant, { caller }))

await app.listen({ port: Number(PORT), host: '127.0.0.1' })
console.log(`Open ${origin} and sign in:

  ann@${domain}   is known by her address, and is let in as an editor
  bob@${domain}   is registered when he signs in, and has no role yet
  "Sign in with Partner"  neither: the address is not this provider's, which registers nobody

The providers take "ann" and "bob" with any password. Stop with Ctrl+C.`)

const stop = (): void => {
  corporate.close()
  partner.close()
  void app.close()
}
process.once('SIGINT', stop)
process.once('SIGTERM', stop)
