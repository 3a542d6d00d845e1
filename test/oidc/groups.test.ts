import { aesGcmCipher, createIam, memoryEventStore } from 'claviger'
import { openIdSignIn, type SignInOptions } from 'claviger/oidc'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hostileProvider } from './hostile-provider.js'
import { realProvider, throughProvider } from './real-provider.js'

const redirectUri = 'http://localhost:1/callback'
const clientSecret = 'secret of more than 32 bytes for the client'

/** What the real provider says of its users. */
let claims: Readonly<Record<string, unknown>> = {}
const real = await realProvider(
  [{ client_id: 'c1', client_secret: clientSecret, redirect_uris: [redirectUri] }],
  {
    claims: { openid: ['sub'], groups: ['groups'], email: ['email', 'email_verified'] },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, ...claims }) }),
  },
)
const hostile = await hostileProvider()
afterAll(() => {
  real.close()
  hostile.close()
})

const iam = createIam({
  store: memoryEventStore(),
  secrets: aesGcmCipher({ current: 'k', keys: { k: new Uint8Array(32) } }),
  authorize: ({ permission, caller }) => caller.permissions?.includes(permission) ?? true,
})
const caller = { userId: 'sign-in', orgId: 'acme' }
const context = { caller }

beforeAll(async () => {
  const { identityProviders, projects, projectRoles, roleMappings } = iam
  const scopes = ['email', 'groups']
  const idp = { clientId: 'c1', clientSecret, scopes }
  for (const [idpId, { issuer }] of Object.entries({ real, hostile }))
    (
      await identityProviders.addOidc({ ...idp, idpId, name: idpId, issuer }, context)
    )._unsafeUnwrap()
  ;(await projects.add({ id: 'invoicing', name: 'Invoicing' }, context))._unsafeUnwrap()
  const role = { projectId: 'invoicing', roleKey: 'accountant', displayName: 'Accountant' }
  ;(await projectRoles.add(role, context))._unsafeUnwrap()
  for (const idpId of ['real', 'hostile'])
    for (const group of ['finance', 'böard'])
      (
        await roleMappings.add(
          { idpId, group, projectId: 'invoicing', roleKeys: ['accountant'] },
          context,
        )
      )._unsafeUnwrap()
})

const signInWith = (options: Partial<SignInOptions> = {}) =>
  openIdSignIn({
    iam,
    caller,
    redirectUri,
    key: new Uint8Array(32),
    lookup: false,
    allowHttpLoopback: true,
    userIdOf: ({ subject }) => `user of ${subject}`,
    groups: { claim: 'groups' },
    ...options,
  })

describe('The groups of a user of oidc-provider', () => {
  const signedIn = async () => {
    const signIn = signInWith()
    const input = { orgId: 'acme', idpId: 'real', projectId: 'invoicing' }
    const { url, attempt } = (await signIn.begin(input))._unsafeUnwrap()
    const back = await throughProvider(url, redirectUri)
    return (await signIn.finish({ url: back, attempt }))._unsafeUnwrap()
  }

  it('give roles in the same answer, until the first sign-in without the group', async () => {
    claims = { groups: ['staff', 'finance'] }
    const user = await signedIn()
    expect(user).toMatchObject({ userId: 'user of ann', groups: ['staff', 'finance'] })
    expect(user.access).toMatchObject({ roleKeys: ['accountant'] })
    claims = { groups: ['staff'] }
    expect((await signedIn()).access).toMatchObject({ roleKeys: [] })
    claims = { groups: 'finance' }
    expect((await signedIn()).access).toMatchObject({ roleKeys: ['accountant'] })
    claims = {}
    expect((await signedIn()).access).toMatchObject({ roleKeys: [] })
  })

  it('are nothing to the roles that were given by hand', async () => {
    claims = {}
    const grant = { projectId: 'invoicing', userId: 'user of ann' }
    const given = { ...grant, roles: [{ roleKey: 'accountant' }] }
    ;(await iam.userGrants.add(given, context))._unsafeUnwrap()
    expect((await signedIn()).access).toMatchObject({ roleKeys: ['accountant'] })
    ;(await iam.userGrants.remove(grant, context))._unsafeUnwrap()
  })
})

describe('The groups of a user', () => {
  let users = 0
  /** The answer of a sign-in of `subject` with these claims. */
  const finished = async (
    given: Readonly<Record<string, unknown>>,
    { subject = `user-${++users}`, ...options }: Partial<SignInOptions> & { subject?: string } = {},
  ) => {
    const signIn = signInWith(options)
    const input = { orgId: 'acme', idpId: 'hostile', projectId: 'invoicing' }
    const begun = await signIn.begin(options.userIdOf === undefined ? input : input)
    const { url, attempt } = begun._unsafeUnwrap()
    const asked = new URL(url).searchParams
    hostile.state.nonce = asked.get('nonce') ?? ''
    const sub = { sub: subject }
    hostile.state.attack = {
      claims: { ...given, ...sub },
      info: (response) =>
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ ...sub, groups: given['info'] })),
    }
    const back = new URLSearchParams({ code: 'c', iss: hostile.issuer })
    back.set('state', asked.get('state') ?? '')
    return signIn.finish({ url: `/callback?${back}`, attempt })
  }
  const membership = async (subject: string) => {
    const found = await iam.memberships.get(
      { idpId: 'hostile', userId: `user of ${subject}` },
      context,
    )
    return found.match(
      ({ groups }) => groups,
      ({ kind }) => kind,
    )
  }

  const many = (count: number) => Array.from({ length: count }, (_, n) => `group ${n}`)

  it.each<readonly [object, readonly string[]]>([
    [{ groups: ['finance', 'staff', 'finance'] }, ['finance', 'staff']],
    [{ groups: 'finance' }, ['finance']],
    [{ info: ['finance'] }, ['finance']],
    [{ groups: ['böard', '', 'x'.repeat(201), '\0'] }, ['böard']],
    [{ groups: ['CN=staff,OU=Groups', 'finance'] }, ['CN=staff,OU=Groups', 'finance']],
    [{ groups: ['finance', 'Domain Users'] }, ['finance', 'Domain Users']],
    [{ groups: [...many(999), 'finance'] }, [...many(999), 'finance']],
    [{ groups: ['finance'], _claim_names: { roles: 'src1' } }, ['finance']],
  ])('are reported: %j', async (given, groups) => {
    const subject = `reported-${++users}`
    const user = (await finished({ ...given }, { subject }))._unsafeUnwrap()
    expect(user.groups).toEqual(groups)
    expect(user.access?.roleKeys).toEqual(['accountant'])
    expect(await membership(subject)).toEqual(groups.filter((each) => /finance|böard/.test(each)))
  })

  it.each([{}, { groups: null }, { groups: [] }, { groups: '' }])('are none: %j', async (given) => {
    const subject = `none-${++users}`
    await finished({ groups: ['finance'] }, { subject })
    const user = (await finished(given, { subject }))._unsafeUnwrap()
    expect(user).toMatchObject({ groups: [], access: { roleKeys: [] } })
    expect(await membership(subject)).toEqual([])
  })

  it.each([
    { _claim_names: { groups: 'src1' }, _claim_sources: { src1: { endpoint: 'https://graph' } } },
    { _claim_names: { groups: 'src1' }, groups: ['staff'] },
    { groups: 5 },
    { groups: false },
    { groups: { finance: true } },
    { groups: [['finance']] },
    { groups: ['staff', 5] },
    { groups: ['staff', null] },
    { groups: [{ value: '7f3c', display: 'staff' }] },
    { groups: ['staff', { name: 'finance' }] },
    { groups: 'staff,finance' },
    { groups: 'staff; finance' },
    { groups: 'staff|finance' },
    { groups: 'staff\nfinance' },
    { groups: '["staff","finance"]' },
    { groups: ' {"staff":true}' },
    { groups: '[staff, finance]' },
    { groups: many(1_001) },
  ])('are unavailable, and what was reported before stays: %j', async (given) => {
    const subject = `overage-${++users}`
    await finished({ groups: ['finance'] }, { subject })
    const user = (await finished(given, { subject }))._unsafeUnwrap()
    expect(user).toMatchObject({ groups: 'unavailable', access: { roleKeys: ['accountant'] } })
    expect(await membership(subject)).toEqual(['finance'])
  })

  it('are of the claim that the host names, and no property of an object', async () => {
    const claim = 'https://acme.test/groups'
    const groups = { claim }
    const named = (await finished({ [claim]: ['finance'] }, { groups }))._unsafeUnwrap()
    expect(named.groups).toEqual(['finance'])
    const odd = (await finished({}, { groups: { claim: 'constructor' } }))._unsafeUnwrap()
    expect(odd.groups).toEqual([])
  })

  it.each<readonly [object, readonly string[] | 'unavailable']>([
    [{ realm_access: { roles: ['finance'] } }, ['finance']],
    [{ 'realm_access.roles': ['finance'], realm_access: { roles: ['staff'] } }, ['finance']],
    [{ realm_access: { roles: [] } }, []],
    [{ realm_access: {} }, []],
    [{ realm_access: null }, []],
    [{}, []],
    [{ realm_access: ['finance'] }, 'unavailable'],
    [{ realm_access: 'finance' }, 'unavailable'],
    [{ realm_access: '{"roles":["finance"]}' }, 'unavailable'],
    [{ realm_access: { roles: { finance: {} } } }, 'unavailable'],
    [{ _claim_names: { realm_access: 'src1' } }, 'unavailable'],
  ])('are within another claim, if a path names them: %j', async (given, expected) => {
    const groups = { claim: 'realm_access.roles' }
    expect((await finished({ ...given }, { groups }))._unsafeUnwrap().groups).toEqual(expected)
  })

  it('are not reported of a user whom the host does not know', async () => {
    const options = { subject: 'stranger', userIdOf: () => undefined }
    const user = (await finished({ groups: ['finance'] }, options))._unsafeUnwrap()
    expect(user).toMatchObject({ groups: ['finance'] })
    expect(user).not.toHaveProperty('access')
    expect(await membership('stranger')).toBe('NotFound')
  })

  it('are not looked at without the option', async () => {
    const options = { subject: 'unasked', groups: undefined }
    const user = (await finished({ groups: ['finance'] }, options))._unsafeUnwrap()
    expect(user).not.toHaveProperty('groups')
    expect(await membership('unasked')).toBe('NotFound')
  })

  it('are reported before access is answered: a report that is refused signs nobody in', async () => {
    const permissions = ['identity_provider.read', 'identity_provider.secret.read'] as const
    const limited = { ...caller, permissions: [...permissions, 'user.grant.read' as const] }
    const refused = await finished({ groups: ['finance'] }, { caller: limited })
    const denied = { kind: 'PermissionDenied', permission: 'membership.write' }
    expect(refused._unsafeUnwrapErr()).toMatchObject(denied)
  })

  it('are not reported for a provider that was removed meanwhile', async () => {
    const memberships: typeof iam.memberships = {
      ...iam.memberships,
      report: (...given) => iam.memberships.report({ ...given[0], idpId: 'gone' }, given[1]),
    }
    const refused = await finished({ groups: ['finance'] }, { iam: { ...iam, memberships } })
    expect(refused._unsafeUnwrapErr()).toEqual({ kind: 'ProviderRemoved' })
  })
})
