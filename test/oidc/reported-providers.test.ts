import type { IncomingMessage } from 'node:http'
import type { JWK } from 'jose'
import { errAsync, okAsync } from 'neverthrow'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import type { Attack } from './hostile-provider.js'
import { type Difference, info, oneProvider, own } from './one-provider.js'

// What providers answer according to public reports about other clients, in our own words.

const { signedIn, host, callback, signed, state, issuer, close } = await oneProvider()
afterAll(close)
beforeEach(() => {
  state.attack = {}
  state.tokens = {}
})

/** A report, what the provider sends, and what a sign-in ends with: fields of the user, or the refusal. */
type Report = readonly [url: string, sent: Difference, ends: object]

const github = (path: string) => `https://github.com/${path}`
const claims = (fields: object): Difference => ({ attack: { claims: { ...fields } } })
/** The claim is read as `groups` says. */
const groupsOf = (
  fields: object,
  groups: NonNullable<Difference['settings']>['groups'] = { claim: 'groups' },
): Difference => ({ ...claims(fields), settings: { groups } })
const discovery = (fields: object): Difference => ({ attack: { discovery: { ...fields } } })
const infoIs = (
  status: number,
  body: string,
  type = 'application/json',
): NonNullable<Attack['info']> => {
  return (response) => response.writeHead(status, { 'content-type': type }).end(body)
}
const userInfo = (answer: Attack['info'], fields: object = {}): Difference => ({
  attack: { ...(answer && { info: answer }), claims: { ...fields } },
  settings: { groups: { claim: 'groups' } },
})
const ownDomain: Difference['domains'] = {
  route: ({ email }: { readonly email: string }) =>
    email.endsWith('@corp.example')
      ? okAsync({ orgId: 'acme', idpId: 'own' })
      : errAsync({ kind: 'InvalidArgument', violations: [] }),
} as never
/** A callback with an error alone. */
const withoutState = (error: string, error_description?: string): Difference => ({
  back: { code: undefined, state: undefined, error, error_description },
})
const namesIssuer = (issuer: string) => ({
  kind: 'IssuerMismatch',
  cause: { message: `The token names the issuer ${issuer}` },
})
const ann = { subject: 'ann' }
const unknown = { groups: 'unavailable' }

const REPORTS: Readonly<Record<string, readonly Report[]>> = {
  'one group is a text': [
    [github('tchiotludo/akhq/issues/840'), groupsOf({ groups: 'role-a' }), { groups: ['role-a'] }],
    [
      github('juanfont/headscale/pull/3230'),
      groupsOf({ groups: 'My Group' }),
      { groups: ['My Group'] },
    ],
    [
      github('goharbor/harbor/issues/15416'),
      groupsOf({ group: 'dev' }, { claim: 'group' }),
      { groups: ['dev'] },
    ],
    [
      github('nxzai/NextExplorer/issues/279'),
      groupsOf({ groups: 'Admins' }),
      { groups: ['Admins'] },
    ],
  ],
  'groups are one text with separators': [
    [
      github('xwiki-contrib/oidc/pull/8'),
      groupsOf({ groups: 'a,b' }, { claim: 'groups', separator: ',' }),
      { groups: ['a', 'b'] },
    ],
    [
      github('sonar-auth-oidc/sonar-auth-oidc/issues/64'),
      groupsOf({ groups: 'One, Two, Three' }, { claim: 'groups', separator: ',' }),
      { groups: ['One', 'Two', 'Three'] },
    ],
    [
      github('open-webui/open-webui/issues/18979'),
      groupsOf(
        { affiliation: 'Faculty@u.example;Member@u.example' },
        { claim: 'affiliation', separator: ';' },
      ),
      { groups: ['Faculty@u.example', 'Member@u.example'] },
    ],
    [
      github('openchoreo/openchoreo/issues/2520'),
      groupsOf({ groups: 'admin dev' }, { claim: 'groups', separator: ' ' }),
      { groups: ['admin', 'dev'] },
    ],
    [github('rancher/rancher-docs/pull/2117'), groupsOf({ groups: 'a,b' }), unknown],
  ],
  'groups are JSON, or nearly so, in a text': [
    [
      github('grafana/grafana/issues/92801'),
      groupsOf({ 'custom:group': '["admin", "editor"]' }, { claim: 'custom:group' }),
      unknown,
    ],
    [
      github('netbirdio/netbird/issues/5658'),
      groupsOf({ 'cognito:groups': '["Administrators"]' }, { claim: 'cognito:groups' }),
      unknown,
    ],
    [
      github('oauth2-proxy/oauth2-proxy/issues/1765'),
      groupsOf(
        { 'custom:groups': '[group-two, group-one]' },
        { claim: 'custom:groups', separator: ',' },
      ),
      unknown,
    ],
    [
      github('aws-amplify/amplify-category-api/issues/1345'),
      groupsOf({ teams: '["a"]' }, { claim: 'teams' }),
      unknown,
    ],
  ],
  'groups are objects': [
    [
      github('oauth2-proxy/oauth2-proxy/issues/838'),
      groupsOf(
        { groups: [{ groupId: 'CIDAAS_ADMINS', roles: ['ADMIN'] }] },
        { claim: 'groups', item: 'groupId' },
      ),
      { groups: ['CIDAAS_ADMINS'] },
    ],
    [
      github('oauth2-proxy/oauth2-proxy/issues/838'),
      groupsOf({ groups: [{ groupId: 'CIDAAS_ADMINS', roles: ['ADMIN'] }] }),
      unknown,
    ],
    [
      github('Flowfin/jellyfin-plugin-sso/issues/934'),
      groupsOf(
        { 'urn:zitadel:iam:org:project:roles': { access: { '312': 'corp.example' } } },
        { claim: 'urn:zitadel:iam:org:project:roles' },
      ),
      unknown,
    ],
    [
      github('Cyoda/cyoda-go/issues/317'),
      groupsOf(
        { roles: { sales_rep: { '312': 'a' }, warehouse: { '312': 'a' } } },
        { claim: 'roles' },
      ),
      unknown,
    ],
    [
      github('BookStackApp/BookStack/pull/4147'),
      groupsOf({ groups: { admin: { '12345': 'o' } } }),
      unknown,
    ],
  ],
  'groups are within other claims': [
    [
      // Keycloak's mappers say for each client whether its roles are in the ID token or the user info.
      github('TheDuffman85/crowdsec-web-ui/pull/358'),
      {
        attack: {
          claims: { resource_access: { account: { roles: ['view-profile'] } } },
          info: info({ resource_access: { app: { roles: ['editor'] }, account: {} } }),
        },
        settings: { groups: { claim: 'resource_access.app.roles' } },
      },
      {
        groups: ['editor'],
        claims: {
          resource_access: { app: { roles: ['editor'] }, account: { roles: ['view-profile'] } },
        },
      },
    ],
    [
      github('jenkinsci/oic-auth-plugin/issues/72'),
      groupsOf(
        { realm_access: { roles: ['offline_access', 'role_created'] } },
        { claim: 'realm_access.roles' },
      ),
      { groups: ['offline_access', 'role_created'] },
    ],
    [
      github('sonar-auth-oidc/sonar-auth-oidc/issues/34'),
      groupsOf(
        { resource_access: { sonarqube: { roles: ['sonar-administrators'] } } },
        { claim: 'resource_access.sonarqube.roles' },
      ),
      { groups: ['sonar-administrators'] },
    ],
    [
      github('zorn-v/nextcloud-social-login/issues/116'),
      groupsOf(
        { resource_access: { 'client.id': { roles: ['a', 'b'] } } },
        { claim: 'resource_access', path: ['client.id', 'roles'] },
      ),
      { groups: ['a', 'b'] },
    ],
    [
      github('keycloak/keycloak/issues/19767'),
      groupsOf(
        { 'https://hasura\\.io/jwt/claims.x-hasura-groups': ['JIRA'] },
        { claim: 'https://hasura\\.io/jwt/claims.x-hasura-groups' },
      ),
      { groups: ['JIRA'] },
    ],
    [
      github('keycloak/keycloak/issues/19767'),
      groupsOf(
        { 'https://hasura.io/jwt/claims': { 'x-hasura-groups': ['JIRA'] } },
        { claim: 'https://hasura.io/jwt/claims', path: ['x-hasura-groups'] },
      ),
      { groups: ['JIRA'] },
    ],
  ],
  'groups are left out of the token': [
    [
      github('hashicorp/vault/issues/7510'),
      groupsOf({
        _claim_names: { groups: 'src1' },
        _claim_sources: {
          src1: { endpoint: 'https://graph.windows.net/t/users/u/getMemberObjects' },
        },
      }),
      unknown,
    ],
    [github('MicrosoftDocs/azure-docs/issues/6996'), groupsOf({ hasgroups: true }), unknown],
    [
      github('AzureAD/azure-activedirectory-library-for-js/issues/239'),
      groupsOf({ hasgroups: 'true' }),
      unknown,
    ],
    [
      github('danny-avila/LibreChat/pull/12187'),
      groupsOf({ hasgroups: true, roles: ['admin'] }, { claim: 'roles' }),
      { groups: ['admin'] },
    ],
    [
      github('danny-avila/LibreChat/pull/12187'),
      groupsOf({ hasgroups: true, groups: ['g1'] }),
      { groups: ['g1'] },
    ],
    [
      'https://docs.pingidentity.com/pingone/applications/p1_edit_oidc_resource.html',
      groupsOf({ groups: ['[SIZE_LIMIT_EXCEEDED]'] }),
      unknown,
    ],
    [
      'https://docs.pingidentity.com/pingone/applications/p1_edit_oidc_resource.html',
      groupsOf({ groups: '[SIZE_LIMIT_EXCEEDED]' }),
      unknown,
    ],
    [
      'https://docs.pingidentity.com/pingone/applications/p1_edit_oidc_resource.html',
      userInfo(info({ groups: ['a', 'b'] }), { groups: ['[SIZE_LIMIT_EXCEEDED]'] }),
      { groups: ['a', 'b'] },
    ],
  ],
  'the audience is a list': [
    [github('bacularis/bacularis-app/issues/117'), claims({ aud: ['c1'] }), ann],
    [
      github('BookStackApp/BookStack/pull/4147'),
      claims({ aud: ['x@oidc', 'c1', '111'], azp: 'c1' }),
      ann,
    ],
    [
      github('damienbod/angular-auth-oidc-client/issues/582'),
      claims({ aud: ['https://identity.oraclecloud.com/', 'c1'], azp: 'c1' }),
      ann,
    ],
    [
      github('linagora/openrag/issues/385'),
      claims({ aud: ['c1', 'sibling'] }),
      { kind: 'AudienceMismatch' },
    ],
  ],
  'email_verified is a text': [
    [
      github('zitadel/oidc/issues/137'),
      userInfo(info({ email: 'a@b.test', email_verified: 'true' })),
      { emailVerified: true },
    ],
    [
      github('knadh/listmonk/issues/2237'),
      claims({ email: 'a@b.test', email_verified: 'true' }),
      { emailVerified: true },
    ],
    [
      github('arrikto/oidc-authservice/issues/63'),
      userInfo(info({ email: 'a@b.test', email_verified: 'false' })),
      { emailVerified: false },
    ],
    [
      github('pocketbase/pocketbase/pull/6657'),
      claims({ email: 'a@b.test', email_verified: 'false' }),
      { emailVerified: false },
    ],
  ],
  'email_verified is never sent': [
    [
      github('outline/outline/issues/12863'),
      { ...claims({ email: 'ann@corp.example' }), domains: ownDomain },
      { emailIsOwn: true, emailVerified: false },
    ],
    [
      github('open-mercato/open-mercato/issues/2026'),
      {
        ...claims({ email: 'ann@corp.example', preferred_username: 'ann@corp.example' }),
        domains: ownDomain,
      },
      { emailIsOwn: true },
    ],
    [
      github('canonical/kratos-operator/issues/64'),
      {
        ...claims({ email: 'ann@corp.example' }),
        domains: ownDomain,
        settings: { addresses: 'verified' },
      },
      { emailIsOwn: false },
    ],
    [
      github('PatchMon/PatchMon/issues/1048'),
      { ...claims({ email: 'ann@corp.example', email_verified: false }), domains: ownDomain },
      { emailIsOwn: false },
    ],
  ],
  'the scope is a list': [
    [
      github('ramosbugs/oauth2-rs/issues/86'),
      { tokens: { scope: ['openid', 'user:read:email'] } },
      ann,
    ],
    [
      github('sergiodxa/remix-auth-oauth2/issues/124'),
      { tokens: { scope: ['user:read:email'], expires_in: 14_272 } },
      ann,
    ],
    [github('twitchdev/issues/issues/164'), { tokens: { scope: ['a b'] } }, ann],
    [github('logto-io/logto/issues/6980'), { tokens: { scope: [] } }, ann],
  ],
  'the token response has oddities': [
    [github('jenkinsci/oic-auth-plugin/issues/461'), { tokens: { refresh_token: '' } }, ann],
    [
      github('different-ai/openwork/pull/3569'),
      { attack: { token: infoIs(200, '{"ok":false,"error":"invalid_code"}') } },
      { kind: 'ProviderError', error: 'invalid_code' },
    ],
    [
      github('DuendeArchive/Support/issues/1413'),
      { tokens: { token_type: 'BearerToken' } },
      { kind: 'InvalidResponse', cause: { message: 'unsupported `token_type` value' } },
    ],
  ],
  'an error comes without state or iss': [
    [
      github('authlib/authlib/issues/525'),
      withoutState('login_required'),
      { kind: 'StateMismatch', cause: { message: 'login_required' } },
    ],
    [
      github('SparkDevNetwork/Rock/issues/6635'),
      withoutState('access_denied', 'The user\nclicked Deny'),
      { kind: 'StateMismatch', cause: { message: 'access_denied: The user clicked Deny' } },
    ],
    [
      github('italia/spid-cie-oidc-django/issues/203'),
      { back: { code: undefined, iss: undefined, error: 'access_denied' } },
      { kind: 'IssuerMismatch', cause: { message: 'access_denied' } },
    ],
    [
      github('hadiidbouk/AppAuthWebView-Android/issues/10'),
      { back: { state: undefined } },
      { kind: 'StateMismatch' },
    ],
  ],
  'the user info cannot be read': [
    [
      github('DuendeArchive/identity-model-oidc-client-js/issues/1077'),
      userInfo(infoIs(401, ''), { groups: ['a'] }),
      { groups: ['a'] },
    ],
    [
      github('OpenCTI-Platform/opencti/issues/4337'),
      userInfo(infoIs(401, '{"error":"invalid_token"}')),
      { ...ann, ...unknown },
    ],
    [github('outline/outline/issues/5497'), userInfo(infoIs(200, '')), { ...ann, ...unknown }],
    [
      github('open-webui/open-webui/issues/12185'),
      userInfo(infoIs(200, '<html>', 'text/html'), { email: 'a@b.test' }),
      { ...ann, email: 'a@b.test' },
    ],
    [
      github('diced/zipline/issues/762'),
      userInfo(infoIs(200, '{"displayName":"Ann"}')),
      { ...ann, ...unknown },
    ],
    [
      github('MicrosoftDocs/windowsserverdocs/issues/3888'),
      userInfo(infoIs(200, '{"sub":"ann"}'), { groups: ['a'], upn: 'ann@corp.example' }),
      { groups: ['a'] },
    ],
  ],
  'the user info is signed': [
    [
      github('outline/outline/issues/12878'),
      userInfo(await signedInfo({ groups: ['a'] })),
      { groups: ['a'] },
    ],
    [
      github('DuendeArchive/identity-model-oidc-client-js/issues/635'),
      userInfo(await signedInfo({ groups: ['a'] }, 'application/jwt;charset=utf-8')),
      { groups: ['a'] },
    ],
    [
      github('Drenso/symfony-oidc/issues/63'),
      userInfo(await signedInfo({ email: 'a@b.test' })),
      { email: 'a@b.test' },
    ],
  ],
  'fields of the discovery document are missing or null': [
    [github('nextcloud/user_oidc/issues/847'), discovery({ end_session_endpoint: null }), ann],
    [
      github('manfredsteyer/angular-oauth2-oidc/issues/67'),
      discovery({ end_session_endpoint: undefined, userinfo_endpoint: undefined }),
      ann,
    ],
    [
      github('OpenLiberty/open-liberty/issues/11109'),
      discovery({ token_endpoint_auth_methods_supported: undefined }),
      ann,
    ],
  ],
  'endpoints that nobody calls': [
    [
      github('wso2/product-apim/issues/11080'),
      discovery({ check_session_iframe: 'https://localhost:9443/oidc/checksession' }),
      ann,
    ],
    [
      github('keycloak/keycloak/issues/11130'),
      discovery({
        registration_endpoint: 'http://idp.test/register',
        introspection_endpoint: 'http://idp.test/introspect',
      }),
      ann,
    ],
    [
      github('manfredsteyer/angular-oauth2-oidc/issues/138'),
      discovery({ revocation_endpoint: 'https://other.test/o/oauth2/revoke' }),
      ann,
    ],
    [
      github('auth0/openidconnect-playground/issues/53'),
      discovery({ userinfo_endpoint: undefined }),
      ann,
    ],
  ],
  'the issuer differs': [
    [
      github('coreos/go-oidc/issues/338'),
      {
        attack: { discovery: { issuer: `${issuer}/` }, claims: { iss: `${issuer}/` } },
        back: { iss: `${issuer}/` },
      },
      ann,
    ],
    [
      github('MizuchiLabs/mantrae/issues/47'),
      discovery({ issuer: `${issuer}/application/o/mantrae/` }),
      { kind: 'IssuerMismatch' },
    ],
    [
      github('JavaScriptSolidServer/JavaScriptSolidServer/issues/524'),
      { back: { iss: `${issuer}/` } },
      { kind: 'IssuerMismatch' },
    ],
    [
      github('ramosbugs/openidconnect-rs/issues/216'),
      discovery({ issuer: 'https://login.microsoftonline.com/{tenantid}/v2.0' }),
      { kind: 'IssuerMismatch' },
    ],
    [
      github('TheNetworg/oauth2-azure/issues/101'),
      claims({ iss: 'https://sts.windows.net/11111111-2222-3333-4444-555555555555/' }),
      namesIssuer('https://sts.windows.net/11111111-2222-3333-4444-555555555555/'),
    ],
    [
      github('nextauthjs/next-auth/issues/12208'),
      { ...claims({ iss: 'https://discord.com\u202e' }), back: { code: '8' } },
      namesIssuer('https://discord.com '),
    ],
    [
      github('ory/kratos/issues/4536'),
      discovery({ issuer: 'https://t.b2clogin.com/11111111-2222-3333-4444-555555555555/v2.0/' }),
      { kind: 'IssuerMismatch' },
    ],
  ],
  'the nonce is left out': [
    [
      github('python-social-auth/social-core/pull/833'),
      claims({ nonce: undefined }),
      { kind: 'NonceMismatch' },
    ],
    [
      github('authlib/authlib/issues/763'),
      claims({ nonce: undefined, email_verified: 'true' }),
      { kind: 'NonceMismatch' },
    ],
    [
      github('manfredsteyer/angular-oauth2-oidc/issues/1040'),
      claims({ nonce: null }),
      { kind: 'NonceMismatch' },
    ],
  ],
}

async function signedInfo(fields: object, type = 'application/jwt'): Promise<Attack['info']> {
  const jwt = await signed({ iss: issuer, aud: 'c1', sub: 'ann', ...fields })
  return infoIs(200, jwt, type)
}

describe.each(Object.entries(REPORTS))('A provider of public reports: %s', (_, reports) => {
  it('is of at least three reports', () => {
    expect(new Set(reports.map(([url]) => url)).size).toBeGreaterThanOrEqual(3)
  })

  it.each(reports)('%s', async (_url, sent, ends) => {
    const finished = await signedIn(sent)
    expect(finished.isOk() ? finished.value : finished.error).toMatchObject(ends)
  })
})

describe('A signed user info whose algorithm the discovery document does not name', () => {
  const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
  const payload = { iss: issuer, aud: 'c1', sub: 'ann', groups: ['admins'] }

  it.each([
    ['is not signed', `${encoded({ alg: 'none' })}.${encoded(payload)}.`],
    [
      'is signed with a shared key',
      `${encoded({ alg: 'HS256', kid: 'k' })}.${encoded(payload)}.AAAA`,
    ],
    ['has another signature', `${encoded({ alg: 'RS256', kid: 'k' })}.${encoded(payload)}.AAAA`],
  ])('is not believed when it %s', async (_, jwt) => {
    const user = await signedIn(userInfo(infoIs(200, jwt, 'application/jwt')))
    expect(user._unsafeUnwrap()).toMatchObject({ groups: 'unavailable' })
  })
})

describe('A client secret with characters that are encoded', () => {
  it.each([
    [github('panva/openid-client/issues/134'), 'contains$dollar'],
    [github('OpenIDC/mod_auth_openidc/pull/549'), 'with+plus/and='],
    [github('IdentityPython/idpy-oidc/issues/24'), 'ü&%:x'],
  ])(
    'is sent as it is to providers that do not decode it, and encoded to others: %s',
    async (_, secret) => {
      const sent = async (settings: NonNullable<Difference['settings']>) => {
        let header = ''
        state.seenRequest = (request: IncomingMessage) => {
          header = request.headers.authorization ?? ''
        }
        const { signIn } = await host({ settings, idp: { clientSecret: secret } })
        await signIn.finish(await callback(signIn, {}))
        return Buffer.from(header.replace('Basic ', ''), 'base64').toString()
      }
      expect(await sent({ clientAuthentication: 'raw_basic' })).toBe(`c1:${secret}`)
      const encoded = (await sent({ clientAuthentication: 'client_secret_basic' })).slice(
        'c1:'.length,
      )
      expect(encoded).not.toBe(secret)
      expect(new URLSearchParams(`secret=${encoded}`).get('secret')).toBe(secret)
    },
  )
})

describe('A test', () => {
  const checked = async (idp: object, token: Attack['token']) => {
    const { signIn } = await host({ idp })
    state.attack = token ? { token } : {}
    const { checks } = (await signIn.test(own))._unsafeUnwrap()
    return checks.find(({ name }) => name === 'secret')?.message
  }
  const refused = (status: number, error: object): Attack['token'] => {
    return (response) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(error))
  }

  it.each([
    [
      github('windmill-labs/windmill/issues/4890'),
      'AADSTS7000222: The provided client secret keys for the app are expired.',
    ],
    [github('keycloak/keycloak/issues/31294'), 'AADSTS7000215: Invalid client secret provided.'],
    [
      github('microsoft/o365-moodle/issues/55'),
      'AADB2C90019: The application does not contain a secret.',
    ],
  ])('shows why the provider refuses the secret: %s', async (_, error_description) => {
    const message = await checked({}, refused(401, { error: 'invalid_client', error_description }))
    expect(message).toContain(error_description)
  })

  it.each([
    [github('juanfont/headscale/issues/1696'), { clientSecret: 's3cret\n' }, 'secret'],
    [
      github('kubernetes-sigs/aws-load-balancer-controller/issues/1204'),
      { clientId: 'c1\n' },
      'client id',
    ],
    [github('nginx/kubernetes-ingress/pull/1314'), { clientSecret: ' s3cret' }, 'secret'],
  ])('tells what was pasted with a space or a line break: %s', async (_, idp, which) => {
    const message = await checked(idp, refused(401, { error: 'invalid_client' }))
    expect(message).toMatch(new RegExp(`${which} begins or ends with a space or a line break`))
  })
})

describe('A key set', () => {
  const mismatch = { kind: 'SignatureMismatch' }
  const encrypting = { kid: 'e', use: 'enc', alg: 'RSA-OAEP' }
  /** The keys of a set made of the key that signs, what a sign-in ends with, and the verdict of a test. */
  type KeySet = readonly [
    url: string,
    keysOf: (key: JWK) => readonly object[],
    ends: object,
    verdict: 'ok' | 'failed',
  ]

  it.each<KeySet>([
    [
      github('damienbod/angular-auth-oidc-client/issues/1923'),
      (key) => [{ ...key, ...encrypting }, key],
      ann,
      'ok',
    ],
    [
      github('damienbod/angular-auth-oidc-client/issues/440'),
      ({ kty = '', kid = '', n = '', e = '' }) => [{ kty, kid, n, e }],
      ann,
      'ok',
    ],
    [
      github('keycloak/keycloak/issues/14794'),
      (key) => [key, { ...key, alg: 'RS384' }, { ...key, alg: 'RS512' }],
      ann,
      'ok',
    ],
    [
      github('coreos/go-oidc/issues/459'),
      (key) => [{ ...key, crv: '', x5c: [''], exp: '' }],
      ann,
      'ok',
    ],
    [github('panva/jose/issues/392'), (key) => [key, key], ann, 'ok'],
    [
      // One of its comments asks whether `use` may be null.
      github('damienbod/angular-auth-oidc-client/issues/440'),
      (key) => [{ ...key, use: null, alg: null, key_ops: null, x5c: null }],
      ann,
      'ok',
    ],
    [
      github('panva/openid-client/issues/155'),
      ({ kid, ...key }) => [{ ...key, kid: 'other', x5t: kid }],
      mismatch,
      // The test has no ID token that would name another key.
      'ok',
    ],
    [
      github('vapor/jwt-kit/pull/226'),
      (key) => [{ ...key, use: undefined, alg: 'RSA-OAEP' }],
      mismatch,
      'failed',
    ],
    [
      github('panva/jose/issues/53'),
      (key) => [{ ...key, alg: 'RSA-OAEP-256', use: 'enc' }],
      mismatch,
      'failed',
    ],
    [
      'https://www.rfc-editor.org/rfc/rfc7517#section-4.3',
      (key) => [{ ...key, use: undefined, alg: undefined, key_ops: ['encrypt'] }],
      mismatch,
      'failed',
    ],
  ])('%s', async (_, keysOf, ends, verdict) => {
    const { keys } = (await (await fetch(`${issuer}/jwks`)).json()) as { readonly keys: JWK[] }
    const body = JSON.stringify({ keys: keys.flatMap(keysOf) })
    const attack: Attack = {
      answers: {
        '/jwks': (response) =>
          response.writeHead(200, { 'content-type': 'application/json' }).end(body),
      },
    }
    const finished = await signedIn({ attack })
    expect(finished.isOk() ? finished.value : finished.error).toMatchObject(ends)
    const { signIn } = await host()
    const { checks } = (await signIn.test(own))._unsafeUnwrap()
    expect(checks.find(({ name }) => name === 'keys')?.verdict).toBe(verdict)
  })
})

describe('A certificate of the issuer', () => {
  it.each([
    [github('oauth2-proxy/oauth2-proxy/issues/1925'), 'CERT_HAS_EXPIRED'],
    [github('bigbluebutton/greenlight/issues/2791'), 'ERR_TLS_CERT_ALTNAME_INVALID'],
    [github('aborn/nuxt-openid-connect/issues/36'), 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
  ])('is named by a test when a client rejects it: %s', async (_, code) => {
    // As `fetch` of Node.js reports it.
    const cause = Object.assign(new Error(code), { code })
    const fetch = () => Promise.reject(new TypeError('fetch failed', { cause }))
    const { signIn } = await host({ options: { fetch, lookup: false } })
    const { checks } = (await signIn.test(own))._unsafeUnwrap()
    expect(checks.at(0)).toMatchObject({
      name: 'discovery',
      verdict: 'failed',
      message: expect.stringContaining('certificate of the issuer'),
    })
    expect((await signIn.begin(own))._unsafeUnwrapErr()).toMatchObject({
      kind: 'ProviderUnreachable',
      reason: 'certificate',
    })
  })
})
