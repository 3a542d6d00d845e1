import { sso } from '@better-auth/sso'
import { betterAuth } from 'better-auth'
import { memoryAdapter } from 'better-auth/adapters/memory'
import { organization } from 'better-auth/plugins'
import { createAccessControl } from 'better-auth/plugins/access'
import {
  adminAc,
  defaultStatements,
  memberAc,
  ownerAc,
} from 'better-auth/plugins/organization/access'
import { CANARY } from '../canary.js'

const ac = createAccessControl(defaultStatements)

const issuer = 'https://okta.example.com'

/**
 * An application on the real package: an organization with an owner, a member and an editor, whose role it has made
 * itself, with providers of OpenID Connect and of SAML; and the tables as its adapter answers them.
 */
export const betterAuthInstance = async () => {
  const auth = betterAuth({
    baseURL: 'http://localhost:3000',
    secret: 'a-secret-for-tests-alone-0123456789',
    telemetry: { enabled: false },
    logger: { disabled: true },
    database: memoryAdapter({
      user: [],
      session: [],
      account: [],
      verification: [],
      organization: [],
      member: [],
      invitation: [],
      organizationRole: [],
      ssoProvider: [],
    }),
    emailAndPassword: { enabled: true },
    trustedOrigins: [issuer],
    plugins: [
      organization({
        ac,
        roles: { owner: ownerAc, admin: adminAc, member: memberAc },
        dynamicAccessControl: { enabled: true },
      }),
      sso(),
    ],
  })
  const signedUp = async (name: string) => {
    const { headers, response } = await auth.api.signUpEmail({
      body: { name, email: `${name}@example.com`, password: 'correct horse battery' },
      returnHeaders: true,
    })
    return {
      userId: response.user.id,
      headers: new Headers({ cookie: headers.get('set-cookie') ?? '' }),
    }
  }
  const [ann, bob, cleo] = [await signedUp('ann'), await signedUp('bob'), await signedUp('cleo')]
  const { headers } = ann
  const acme = await auth.api.createOrganization({ body: { name: 'Acme', slug: 'acme' }, headers })
  const organizationId = acme?.id ?? ''
  await auth.api.createOrgRole({
    body: { role: 'editor', permission: { invitation: ['create'] }, organizationId },
    headers,
  })
  await auth.api.addMember({ body: { userId: bob.userId, role: 'member', organizationId } })
  await auth.api.addMember({
    // The types know the roles of the code alone.
    body: { userId: cleo.userId, role: ['member', 'editor' as 'member'], organizationId },
  })
  const oidcConfig = {
    clientId: 'c1',
    clientSecret: CANARY,
    skipDiscovery: true,
    authorizationEndpoint: `${issuer}/authorize`,
    tokenEndpoint: `${issuer}/token`,
    jwksEndpoint: `${issuer}/keys`,
    scopes: ['openid', 'email'],
    mapping: { email: 'email', name: 'preferred_username' },
  }
  const common = { issuer, domain: 'acme.example.com' }
  await auth.api.registerSSOProvider({
    body: { ...common, providerId: 'okta', organizationId, oidcConfig },
    headers,
  })
  await auth.api.registerSSOProvider({
    body: { ...common, providerId: 'lone', oidcConfig },
    headers,
  })
  const { adapter } = await auth.$context
  return {
    organizationId,
    users: { ann: ann.userId, bob: bob.userId, cleo: cleo.userId },
    tables: {
      ssoProviders: await adapter.findMany<object>({ model: 'ssoProvider' }),
      organizationRoles: await adapter.findMany<object>({ model: 'organizationRole' }),
      members: await adapter.findMany<object>({ model: 'member' }),
    },
  }
}
