import { readFileSync } from 'node:fs'
import {
  aesGcmCipher,
  createIam,
  memoryEventStore,
  orThrow,
  type SignInSettingsInput,
} from 'claviger'
import { openIdSignIn } from 'claviger/oidc'
import { describe, expect, it } from 'vitest'
import { KNOWN_PROVIDERS, knownProvider } from '../../src/oidc/known-providers.js'
import { type Documented, documentedProvider } from './documented-provider.js'

interface Case extends Documented {
  /** What the guide says to choose. */
  readonly settings?: SignInSettingsInput
  /** Fields of the user, or the refusal of `begin` or `finish`. */
  readonly ends: object
}

const tenant = '9188040d-6c67-4c5b-b112-36a304b66dad'

/** Each from the public documents of the provider. */
const CASES: readonly Case[] = [
  {
    name: 'Microsoft Entra ID',
    issuer: `https://login.microsoftonline.com/${tenant}/v2.0`,
    discovery: {
      userinfo_endpoint: 'https://graph.microsoft.com/oidc/userinfo',
      token_endpoint_auth_methods_supported: [
        'client_secret_post',
        'private_key_jwt',
        'client_secret_basic',
        'self_signed_tls_client_auth',
      ],
    },
    idToken: {
      tid: tenant,
      oid: '690222be-ff1a-4d56-abd1-7e4f7d38e474',
      preferred_username: 'ann@corp.example',
      email: 'ann@corp.example',
      groups: ['2e5e1a4a-51fd-4f42-9a1c-8e1a7f4d7a01'],
    },
    settings: {
      groups: { claim: 'groups' },
      subjectClaim: 'oid',
      admit: [{ claim: 'tid', values: [tenant] }],
    },
    ends: {
      subject: '690222be-ff1a-4d56-abd1-7e4f7d38e474',
      username: 'ann@corp.example',
      emailIsOwn: true,
      emailVerified: false,
      groups: ['2e5e1a4a-51fd-4f42-9a1c-8e1a7f4d7a01'],
    },
  },
  {
    name: 'Microsoft Entra ID',
    issuer: `https://login.microsoftonline.com/${tenant}/v2.0`,
    idToken: {
      tid: tenant,
      _claim_names: { groups: 'src1' },
      _claim_sources: { src1: { endpoint: 'https://graph.microsoft.com/v1.0/users/1' } },
    },
    settings: { groups: { claim: 'groups' } },
    ends: { groups: 'unavailable' },
  },
  // DuendeArchive/IdentityModel.OidcClient.Samples#92, panva/openid-client#893: the issuer is a template.
  {
    name: 'Entra ID for several tenants',
    issuer: 'https://login.microsoftonline.com/common/v2.0',
    named: 'https://login.microsoftonline.com/{tenantid}/v2.0',
    idToken: { iss: `https://login.microsoftonline.com/${tenant}/v2.0`, tid: tenant },
    ends: { kind: 'IssuerMismatch' },
  },
  // panva/openid-client#718, coreos/go-oidc#121, ory/kratos#4536: the policy is in the address, not in the issuer.
  {
    name: 'Azure AD B2C',
    issuer: 'https://corp.b2clogin.com/corp.onmicrosoft.com/b2c_1_signin/v2.0',
    named: `https://corp.b2clogin.com/${tenant}/v2.0/`,
    ends: { kind: 'IssuerMismatch' },
  },
  {
    name: 'Okta',
    issuer: 'https://corp.okta.com',
    discovery: {
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: [
        'client_secret_basic',
        'client_secret_post',
        'client_secret_jwt',
        'private_key_jwt',
        'none',
      ],
    },
    idToken: { groups: ['Everyone', 'finance'], amr: ['pwd'] },
    userInfo: { email: 'ann@corp.example', email_verified: true, preferred_username: 'ann' },
    settings: { groups: { claim: 'groups' } },
    ends: { groups: ['Everyone', 'finance'], emailIsOwn: true, emailVerified: true },
  },
  {
    name: 'Google',
    issuer: 'https://accounts.google.com',
    discovery: {
      token_endpoint: 'https://oauth2.googleapis.com/token',
      jwks_uri: 'https://www.googleapis.com/oauth2/v3/certs',
      userinfo_endpoint: 'https://openidconnect.googleapis.com/v1/userinfo',
      token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
    },
    idToken: { azp: 'c1', hd: 'corp.example', email: 'ann@corp.example', email_verified: true },
    settings: { admit: [{ claim: 'hd', values: ['corp.example'] }] },
    ends: { emailIsOwn: true },
  },
  {
    name: 'Google',
    issuer: 'https://accounts.google.com',
    idToken: { email: 'ann@gmail.test', email_verified: true },
    settings: { admit: [{ claim: 'hd', values: ['corp.example'] }] },
    ends: { kind: 'NotAdmitted', claim: 'hd' },
  },
  {
    name: 'Keycloak',
    issuer: 'https://id.corp.example/realms/staff',
    discovery: { authorization_response_iss_parameter_supported: true },
    idToken: {
      aud: ['c1', 'account'],
      azp: 'c1',
      realm_access: { roles: ['finance', 'offline_access'] },
      preferred_username: 'ann',
      email_verified: false,
      email: 'ann@corp.example',
    },
    settings: { groups: { claim: 'realm_access.roles' } },
    ends: { groups: ['finance', 'offline_access'], username: 'ann', emailIsOwn: false },
  },
  {
    name: 'Auth0',
    issuer: 'https://corp.eu.auth0.com/',
    idToken: {
      sub: 'auth0|5f7c8ec7c33c6c004bbafe82',
      nickname: 'ann',
      'https://app.example/roles': ['finance'],
    },
    userInfo: {
      sub: 'auth0|5f7c8ec7c33c6c004bbafe82',
      email: 'ann@corp.example',
      email_verified: true,
    },
    settings: { groups: { claim: 'https://app.example/roles' } },
    ends: { groups: ['finance'], subject: 'auth0|5f7c8ec7c33c6c004bbafe82', emailIsOwn: true },
  },
  {
    name: 'PingOne',
    issuer: `https://auth.pingone.eu/${tenant}/as`,
    authentication: 'basic',
    idToken: { groups: ['finance'], env: tenant, org: tenant },
    settings: { groups: { claim: 'groups' } },
    ends: { groups: ['finance'] },
  },
  {
    name: 'OneLogin',
    issuer: 'https://corp.onelogin.com/oidc/2',
    authentication: 'post',
    discovery: {
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    },
    idToken: { sub: '35666371', groups: ['finance', 'staff'], email: 'ann@corp.example' },
    userInfo: { sub: '35666371' },
    settings: { clientAuthentication: 'client_secret_post', groups: { claim: 'groups' } },
    ends: { groups: ['finance', 'staff'], subject: '35666371' },
  },
  {
    name: 'JumpCloud',
    issuer: 'https://oauth.id.jumpcloud.com/',
    idToken: { groups: ['finance'], email: 'ann@corp.example', email_verified: true },
    settings: { groups: { claim: 'groups' } },
    ends: { groups: ['finance'], emailIsOwn: true },
  },
  {
    name: 'AD FS',
    issuer: 'https://sts.corp.example/adfs',
    discovery: {
      access_token_issuer: 'http://sts.corp.example/adfs/services/trust',
      token_endpoint_auth_methods_supported: [
        'client_secret_post',
        'client_secret_basic',
        'private_key_jwt',
        'windows_client_authentication',
      ],
    },
    idToken: { upn: 'ann@corp.example', unique_name: 'CORP\\ann' },
    settings: { groups: { claim: 'groups' } },
    ends: { subject: 'user-1', groups: [] },
  },
  {
    name: 'GitLab.com',
    issuer: 'https://gitlab.com',
    idToken: { sub: '1', email: 'ann@corp.example', email_verified: true, groups_direct: ['corp'] },
    userInfo: { sub: '1', groups: ['corp', 'corp/finance'], preferred_username: 'ann' },
    settings: { groups: { claim: 'groups' }, admit: [{ claim: 'groups', values: ['corp'] }] },
    ends: { groups: ['corp', 'corp/finance'], username: 'ann' },
  },
  {
    name: 'GitLab.com',
    issuer: 'https://gitlab.com',
    idToken: { sub: '2', groups_direct: ['other'] },
    userInfo: { sub: '2', groups: ['other', 'corp/finance'] },
    settings: { admit: [{ claim: 'groups', values: ['corp'] }] },
    ends: { kind: 'NotAdmitted', claim: 'groups' },
  },
  {
    name: 'Amazon Cognito',
    issuer: 'https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_aBcDeFgHi',
    discovery: {
      token_endpoint: 'https://corp.auth.eu-central-1.amazoncognito.com/oauth2/token',
      userinfo_endpoint: 'https://corp.auth.eu-central-1.amazoncognito.com/oauth2/userInfo',
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    },
    idToken: {
      'cognito:groups': ['finance'],
      'cognito:username': 'ann',
      token_use: 'id',
      email: 'ann@corp.example',
      email_verified: true,
    },
    userInfo: { email_verified: 'true', username: 'ann' },
    settings: { groups: { claim: 'cognito:groups' } },
    ends: { groups: ['finance'], emailIsOwn: true },
  },
  // directus/directus#23645, authlib/authlib#763, python-social-auth/social-core#833: no nonce comes back.
  {
    name: 'LinkedIn',
    issuer: 'https://www.linkedin.com/oauth',
    hasNonce: false,
    idToken: { email: 'ann@corp.example', email_verified: 'true' },
    ends: { kind: 'NonceMismatch' },
  },
  {
    name: 'Apple',
    issuer: 'https://appleid.apple.com',
    alg: 'RS256',
    // A made-up secret is not a token that Apple accepts.
    authentication: 'post',
    discovery: { token_endpoint_auth_methods_supported: ['client_secret_post'] },
    idToken: { email: 'ann@corp.example', email_verified: 'true', nonce_supported: true },
    // The callback of a browser that was sent a form has no code in its URL.
    ends: { kind: 'StateMismatch' },
  },
]

const caller = { userId: 'sign-in', orgId: 'acme' }
const own = { orgId: 'acme', idpId: 'own' }

const hostOf = async ({ settings, ...provider }: Case) => {
  const { fetch, asked } = await documentedProvider(provider)
  const iam = createIam({
    store: memoryEventStore(),
    secrets: aesGcmCipher({ current: 'k', keys: { k: new Uint8Array(32) } }),
    authorize: () => true,
  })
  const stored = { name: provider.name, clientId: 'c1', clientSecret: 's3cret' }
  const scopes = ['openid', 'profile', 'email']
  const added = { ...stored, idpId: 'own', issuer: provider.issuer, scopes }
  await orThrow(iam.identityProviders.addOidc(added, { caller }))
  const configured = { idpId: 'own', ...settings }
  await orThrow(iam.identityProviders.configureSignIn(configured, { caller }))
  // The domain of the address is set to this provider.
  const route: typeof iam.domains.route = (input) => iam.domains.route(input).map(() => own)
  const signIn = openIdSignIn({
    iam: { ...iam, domains: { ...iam.domains, route } },
    caller,
    key: new Uint8Array(32),
    callbackBase: 'https://app.example/callback',
    fetch,
    lookup: false,
  })
  return { signIn, asked }
}

const endOf = async (provider: Case) => {
  const { signIn, asked } = await hostOf(provider)
  const begun = await signIn.begin(own)
  if (begun.isErr()) return begun.error
  const { url, attempt } = begun.value
  const query = new URL(url).searchParams
  asked.nonce = query.get('nonce') ?? ''
  const iss =
    provider.discovery && 'authorization_response_iss_parameter_supported' in provider.discovery
  const answer = new URLSearchParams({ code: 'code', state: query.get('state') ?? '' })
  if (iss) answer.set('iss', provider.issuer)
  const isForm = provider.name === 'Apple'
  const back = `/callback/acme/own${isForm ? '' : `?${answer}`}`
  const finished = await signIn.finish({ url: back, attempt })
  return finished.isOk() ? finished.value : finished.error
}

const guide = readFileSync(new URL('../../docs/guides/providers.md', import.meta.url), 'utf8')

describe('A provider as its documents describe it', () => {
  it.each(CASES)('ends as the guide says: $name $ends', async (provider) => {
    expect(await endOf(provider)).toMatchObject(provider.ends)
  })

  it.each(CASES)('is tested with what the guide says: $name', async (provider) => {
    const { signIn } = await hostOf(provider)
    const { checks } = (await signIn.test(own))._unsafeUnwrap()
    const known = KNOWN_PROVIDERS.find(({ name }) => name === provider.name)
    expect(checks.at(-1)).toEqual({
      name: 'provider',
      verdict: known?.verdict,
      message: `${known?.name}: ${known?.advice}`,
    })
    const works = !('kind' in provider.ends) || provider.ends.kind === 'NotAdmitted'
    expect(checks.some(({ verdict }) => verdict === 'failed')).toBe(!works)
  })

  it('is a case for each row, and each row says what the test says', () => {
    const [, section = ''] = guide.split('\n## Providers\n')
    const rows = section.split('\n').filter((line) => line.startsWith('| '))
    for (const { name, advice } of KNOWN_PROVIDERS) {
      expect(CASES.map((each) => each.name)).toContain(name)
      const row = rows.find((line) => line.startsWith(`| ${name} |`))
      expect(row, name).toContain(advice)
    }
    expect(rows).toHaveLength(KNOWN_PROVIDERS.length + 1)
  })

  it('is no other: an issuer that only looks like it', () => {
    for (const issuer of [
      'https://accounts.google.com.evil.test',
      'https://evil.test/accounts.google.com',
      'https://okta.com.evil.test',
      'https://id.corp.example/realms/staff/account',
      // Issuers that have a document at their address: oauth2-proxy#3476, MicrosoftDocs/azure-docs#74603.
      `https://${tenant}.ciamlogin.com/${tenant}/v2.0`,
      `https://corp.b2clogin.com/tfp/${tenant}/b2c_1_signin/v2.0/`,
      '',
    ])
      expect(knownProvider(issuer), issuer).toBeUndefined()
  })
})

describe('A provider that offers no method with a secret', () => {
  const offering = (methods: readonly string[]): Case => ({
    name: 'Own',
    issuer: 'https://id.corp.example',
    discovery: { token_endpoint_auth_methods_supported: methods },
    ends: {},
  })
  const checked = async (provider: Case) => {
    const { signIn } = await hostOf(provider)
    const { checks } = (await signIn.test(own))._unsafeUnwrap()
    return checks.find(({ name }) => name === 'client_authentication')
  }

  it('is told by the test', async () => {
    expect(await checked(offering(['private_key_jwt', 'tls_client_auth']))).toEqual({
      name: 'client_authentication',
      verdict: 'warning',
      message:
        'The provider offers private_key_jwt, tls_client_auth to authenticate clients, but not client_secret_basic and client_secret_post.',
    })
    const basic = offering(['client_secret_basic'])
    expect(await checked(basic)).toBeUndefined()
    const raw = { ...basic, settings: { clientAuthentication: 'raw_basic' } as const }
    expect(await checked(raw)).toBeUndefined()
    const post = { ...basic, settings: { clientAuthentication: 'client_secret_post' } as const }
    expect(await checked(post)).toMatchObject({ verdict: 'warning' })
  })
})
