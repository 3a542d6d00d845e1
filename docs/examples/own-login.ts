// A login of your own, which applies the settings of projects and providers. Run it with `node docs/examples/own-login.ts`.
import assert from 'node:assert/strict'
import {
  aesGcmCipher,
  authorizationScopes,
  brandingOrganization,
  createIam,
  mapExternalUser,
  mayAutoRegister,
  memoryEventStore,
} from 'claviger'

const keys = { k1: crypto.getRandomValues(new Uint8Array(32)) }
const secrets = aesGcmCipher({ current: 'k1', keys })
const iam = createIam({ store: memoryEventStore(), secrets, authorize: () => true })
const context = { caller: { userId: 'login-service', orgId: 'acme' } }
const flags = { projectRoleCheck: true, projectRoleAssertion: true }
await iam.projects.add({ id: 'portal', name: 'Portal', ...flags }, context)
const editor = { roleKey: 'editor', displayName: 'Editor' }
await iam.projectRoles.add({ projectId: 'portal', ...editor }, context)
const google = { idpId: 'google', name: 'Google', clientId: 'c1', clientSecret: 's1' }
const issuer = 'https://accounts.google.com'
await iam.identityProviders.addOidc({ ...google, issuer, scopes: ['email'] }, context)

// 1. Send the user to the provider. The branding of the page is yours where this is undefined.
const provider = await iam.identityProviders.get({ idpId: 'google' }, context)
const project = await iam.projects.get({ id: 'portal' }, context)
assert(provider.isOk() && provider.value.state === 'active' && project.isOk())
assert.equal(authorizationScopes(provider.value).join(' '), 'openid email')
assert.equal(brandingOrganization(project.value), undefined)

// 2. The user comes back: your OIDC client exchanges the code and verifies the token.
const secret = await iam.identityProviders.revealClientSecret({ idpId: 'google' }, context)
assert(secret.isOk() && secret.value.clientSecret === 's1')
const claims = { sub: '1', name: 'Ada', email: 'ada@example.com', email_verified: true }
const user = mapExternalUser(provider.value, claims)
assert.deepEqual(user, { username: 'ada@example.com', displayName: 'Ada' })
assert(!mayAutoRegister(provider.value)) // so refuse users whose issuer and `sub` are unknown

// 3. May the user log in, and with which roles?
const given = { userId: 'u-ada', projectId: 'portal', roles: [{ roleKey: 'editor' }] }
assert((await iam.userGrants.add(given, context)).isOk())
const login = { id: 'portal', userId: 'u-ada', userOrgId: 'acme' }
const mayLogIn = await iam.projects.checkLogin(login, context)
assert(mayLogIn.isOk()) // otherwise ProjectInactive, ProjectRoleRequired or ProjectGrantRequired
const roles = await iam.projects.roleClaims(login, context)
assert.deepEqual(roles.unwrapOr([]), [{ ...editor, group: '' }])
console.log('Done')
