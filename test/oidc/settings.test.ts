import type { ServerResponse } from 'node:http'
import { orThrow, type SignInSettingsInput } from 'claviger'
import type { SignInFault } from 'claviger/oidc'
import { afterAll, describe, expect, it } from 'vitest'
import type { Attack } from './hostile-provider.js'
import { info, oneProvider, own } from './one-provider.js'

const { host, callback, signedIn, close, context, state } = await oneProvider()
afterAll(close)

const groups = { claim: 'groups' }

describe('Groups by provider', () => {
  it.each<readonly [object, NonNullable<SignInSettingsInput['groups']>, unknown]>([
    [{ roles: ['finance'] }, { claim: 'roles' }, ['finance']],
    [{ 'https://app.test/roles': ['finance'] }, { claim: 'https://app.test/roles' }, ['finance']],
    [{ realm_access: { roles: ['finance'] } }, { claim: 'realm_access.roles' }, ['finance']],
    [
      { resource_access: { 'app.test': { roles: ['finance'] } } },
      { claim: 'resource_access', path: ['app.test', 'roles'] },
      ['finance'],
    ],
    [{ a: { 'b.c': { d: ['finance'] } } }, { claim: 'a.b.c.d' }, 'none'],
    [{ a: { 'b.c': ['finance'] } }, { claim: 'a.b.c' }, ['finance']],
    [{ 'a.b': { c: ['finance'] } }, { claim: 'a.b', path: ['c'] }, ['finance']],
    [{ a: { b: { c: ['finance'] } } }, { claim: 'a.b', path: ['c'] }, ['finance']],
    [
      { groups: [{ value: 'finance', display: 'Finance' }] },
      { claim: 'groups', item: 'value' },
      ['finance'],
    ],
    [{ groups: [] }, { claim: 'groups', item: 'value' }, 'none'],
    [{ groups: 'finance, staff,' }, { claim: 'groups', separator: ',' }, ['finance', 'staff']],
    [{ groups: 'finance staff' }, { claim: 'groups', separator: ' ' }, ['finance', 'staff']],
    [
      { groups: 'CN=a,OU=b;finance' },
      { claim: 'groups', separator: ';' },
      ['CN=a,OU=b', 'finance'],
    ],
    [{ groups: ['finance'] }, { claim: 'groups', separator: ',' }, ['finance']],
    [{ groups: '' }, { claim: 'groups', separator: ',' }, 'none'],
    [{}, { claim: 'groups', item: 'value' }, 'none'],
  ])('are read of %j by %j', async (claims, of, found) => {
    const user = (
      await signedIn({ attack: { claims: { ...claims } }, settings: { groups: of } })
    )._unsafeUnwrap()
    expect(user.groups).toEqual(found === 'none' ? [] : found)
  })

  it.each<readonly [object, Omit<NonNullable<SignInSettingsInput['groups']>, 'claim'>]>([
    [{ groups: ['finance'] }, { item: 'value' }],
    [{ groups: 'finance' }, { item: 'value' }],
    [{ groups: { value: 'finance' } }, { item: 'value' }],
    [{ groups: [{ display: 'finance' }] }, { item: 'value' }],
    [{ groups: [{ value: 7 }] }, { item: 'value' }],
    [{ groups: [{ value: 'finance' }, null] }, { item: 'value' }],
    [{ groups: [{ value: ['finance'] }] }, { item: 'value' }],
    [{ groups: ['finance'] }, { path: ['roles'] }],
    [{ groups: 'finance' }, { path: ['roles'] }],
    [{ groups: { roles: { finance: true } } }, { path: ['roles'] }],
    [{ _claim_names: { groups: 'src1' } }, { path: ['roles'] }],
    [{ groups: ['finance,staff'] }, { separator: ',' }],
    [{ groups: '["finance","staff"]' }, { separator: ',' }],
    [{ groups: ' , ,' }, { separator: ',' }],
    [{ groups: { finance: true } }, { separator: ',' }],
  ])('of another shape take no role away: %j by %j', async (claims, of) => {
    const { iam, signIn } = await host({ options: { groups } })
    await signIn.finish(await callback(signIn, { attack: { claims: { groups: ['finance'] } } }))
    const settings = { idpId: 'own', groups: { claim: 'groups', ...of } }
    await orThrow(iam.identityProviders.configureSignIn(settings, context))
    const back = await callback(signIn, { attack: { claims: { ...claims } } })
    expect((await signIn.finish(back))._unsafeUnwrap().groups).toBe('unavailable')
    const question = { userId: 'user of ann', projectId: 'app', roleKey: 'reader' }
    expect((await orThrow(iam.access.check(question, context))).allowed).toBe(true)
  })

  it('go before the option of the host, and give roles without it', async () => {
    const claims = { groups: ['staff'], roles: ['finance'] }
    for (const options of [{}, { groups }, { groups: () => groups }]) {
      const { iam, signIn } = await host({ options, settings: { groups: { claim: 'roles' } } })
      ;(await signIn.finish(await callback(signIn, { attack: { claims } })))._unsafeUnwrap()
      const question = { userId: 'user of ann', projectId: 'app', roleKey: 'reader' }
      expect((await orThrow(iam.access.check(question, context))).allowed).toBe(true)
    }
  })

  it('may be named by a function of the provider', async () => {
    const attack = { claims: { own: ['finance'] } }
    const asked: unknown[] = []
    const found = async (named: unknown) => {
      const groupsOf = (ids: unknown) => {
        asked.push(ids)
        return named as undefined
      }
      return signedIn({ attack, options: { groups: groupsOf } })
    }
    expect((await found({ claim: 'own' }))._unsafeUnwrap().groups).toEqual(['finance'])
    expect((await found(undefined))._unsafeUnwrap()).not.toHaveProperty('groups')
    expect((await found({ claim: 7 }))._unsafeUnwrapErr()).toMatchObject({ kind: 'Unavailable' })
    expect(asked).toEqual([own, own, own])
  })
})

describe('Rules of admission', () => {
  const admit = [{ claim: 'hd', values: ['corp.example', 'sub.corp.example'] }]

  it.each([
    [{ hd: 'corp.example' }, admit],
    [{ hd: ['other.example', 'sub.corp.example'] }, admit],
    [{ realm: { ids: [7] } }, [{ claim: 'realm.ids', values: ['7'] }]],
    [{ realm: { ids: [7] } }, [{ claim: 'realm', path: ['ids'], values: ['7'] }]],
    [{ staff: true }, [{ claim: 'staff', values: ['true'] }]],
    [{ hd: 'corp.example', tid: 't' }, [...admit, { claim: 'tid', values: ['t'] }]],
  ])('let in %j by %j', async (claims, rules) => {
    const ended = await signedIn({ attack: { claims: { ...claims } }, settings: { admit: rules } })
    expect(ended.isOk()).toBe(true)
  })

  it.each<readonly [object, string]>([
    [{}, 'hd'],
    [{ hd: null }, 'hd'],
    [{ hd: '' }, 'hd'],
    [{ hd: 'CORP.example' }, 'hd'],
    [{ hd: 'corp.example.evil.test' }, 'hd'],
    [{ hd: 'corp.example,sub.corp.example' }, 'hd'],
    [{ hd: [['corp.example']] }, 'hd'],
    [{ hd: { value: 'corp.example' } }, 'hd'],
    [{ hd: false }, 'hd'],
    [{ hd: 'corp.example', _claim_names: { hd: 'src1' } }, 'hd'],
    [{ tid: 't' }, 'hd'],
    [{ hd: 'corp.example', tid: 'other' }, 'tid'],
  ])('keep out %j, before the host is asked for a user', async (claims, claim) => {
    const faults: SignInFault[] = []
    const asked: unknown[] = []
    const options = {
      userIdOf: (user: unknown) => void asked.push(user),
      onFault: (fault: SignInFault) => void faults.push(fault),
    }
    const settings = { admit: [...admit, { claim: 'tid', values: ['t'] }] }
    const given = { hd: 'corp.example', tid: 't' }
    const attack = { claims: { ...(claim === 'tid' ? given : {}), ...claims } }
    const refusal = (await signedIn({ attack, settings, options }))._unsafeUnwrapErr()
    expect(refusal).toEqual({ kind: 'NotAdmitted', claim })
    expect(asked).toEqual([])
    const cause = { message: `The claim ${claim} has none of the admitted values` }
    expect(faults).toMatchObject([{ during: 'finish', refusal: { kind: 'NotAdmitted' }, cause }])
  })

  it('keep out a user whose claim the user info should have had', async () => {
    const attack = { info: info({ hd: 'corp.example' }) }
    expect((await signedIn({ attack, settings: { admit } })).isOk()).toBe(true)
    const failing = { info: (response: ServerResponse) => response.destroy() }
    const refusal = (await signedIn({ attack: failing, settings: { admit } }))._unsafeUnwrapErr()
    expect(refusal).toEqual({ kind: 'NotAdmitted', claim: 'hd' })
  })

  it('hold for a sign-in that had begun before they were set', async () => {
    const { iam, signIn } = await host()
    const back = await callback(signIn, {})
    await orThrow(iam.identityProviders.configureSignIn({ idpId: 'own', admit }, context))
    expect((await signIn.finish(back))._unsafeUnwrapErr()).toEqual({ kind: 'ProviderChanged' })
  })
})

describe('Client authentication', () => {
  const secret = 'ä:b+c d/e%~.!'
  /** What the token endpoint was sent. */
  const sent = async (settings: SignInSettingsInput, offered?: unknown, clientSecret = secret) => {
    let seen = { authorization: '', body: '' }
    const { signIn } = await host({ settings, idp: { clientSecret, clientId: 'c1' } })
    const discovery =
      offered === undefined ? {} : { token_endpoint_auth_methods_supported: offered }
    const back = await callback(signIn, { attack: { discovery } })
    state.seenRequest = (request, body) => {
      seen = { authorization: request.headers.authorization ?? '', body }
    }
    ;(await signIn.finish(back))._unsafeUnwrap()
    const basic = Buffer.from(seen.authorization.replace('Basic ', ''), 'base64').toString()
    return { basic, post: new URLSearchParams(seen.body).get('client_secret') }
  }

  it.each([
    [{}, undefined],
    [{}, ['client_secret_post', 'client_secret_basic']],
    [{ clientAuthentication: 'client_secret_basic' }, ['client_secret_post']],
  ] as const)('encodes the secret as a form does: %j, offered %j', async (settings, offered) => {
    const { basic, post } = await sent(settings, offered)
    expect(post).toBeNull()
    expect(new URLSearchParams(`secret=${basic.replace('c1:', '')}`).get('secret')).toBe(secret)
    expect(basic).not.toContain(secret)
  })

  it('writes the secret of Entra ID as it is, for providers that do not decode', async () => {
    const entra = 'ab8Q~x-y.z_1'
    expect(await sent({}, undefined, entra)).toEqual({ basic: `c1:${entra}`, post: null })
  })

  it('sends the secret as it is with raw_basic', async () => {
    expect(await sent({ clientAuthentication: 'raw_basic' }, ['client_secret_post'])).toEqual({
      basic: `c1:${secret}`,
      post: null,
    })
  })

  it.each([
    [{}, ['client_secret_post']],
    [{ clientAuthentication: 'client_secret_post' }, undefined],
    [{ clientAuthentication: 'client_secret_post' }, ['client_secret_basic']],
  ] as const)('sends the secret in the form: %j, offered %j', async (settings, offered) => {
    expect(await sent(settings, offered)).toEqual({ basic: '', post: secret })
  })
})

describe('Addresses', () => {
  const email = 'ann@corp.example'
  const owned = async (attack: Attack, addresses?: 'domain' | 'verified', idpId = 'own') => {
    const { iam } = await host({ settings: { addresses } })
    const domains: typeof iam.domains = {
      ...iam.domains,
      route: (input) => iam.domains.route(input).map(() => ({ orgId: 'acme', idpId })),
    }
    const user = await signedIn({ attack, settings: { addresses }, domains })
    return user._unsafeUnwrap().emailIsOwn
  }

  it.each<readonly [string, Attack, boolean, boolean]>([
    ['no email_verified (Entra ID)', { claims: { email } }, true, false],
    ['a text', { claims: { email, email_verified: 'true' } }, true, true],
    ['true', { claims: { email, email_verified: true } }, true, true],
    ['null', { claims: { email, email_verified: null } }, true, false],
    ['false', { claims: { email, email_verified: false } }, false, false],
    ['false as a text', { claims: { email, email_verified: 'false' } }, false, false],
    ['a number', { claims: { email, email_verified: 1 } }, false, false],
    ['a list', { claims: { email, email_verified: [] } }, false, false],
    [
      'false in the user info',
      { claims: { email }, info: info({ email_verified: false }) },
      false,
      false,
    ],
    [
      'true of another address in the user info',
      { claims: { email }, info: info({ email: 'bo@corp.example', email_verified: true }) },
      true,
      false,
    ],
    [
      'false in the ID token, the address in the user info',
      { claims: { email_verified: false }, info: info({ email }) },
      false,
      false,
    ],
    [
      'true in the ID token, the address in the user info',
      { claims: { email_verified: true }, info: info({ email }) },
      true,
      false,
    ],
    ['no address', { claims: {} }, false, false],
  ])('with %s are own by domain, by verified: %#', async (_, attack, byDomain, byVerified) => {
    expect(await owned(attack)).toBe(byDomain)
    expect(await owned(attack, 'domain')).toBe(byDomain)
    expect(await owned(attack, 'verified')).toBe(byVerified)
    expect(await owned(attack, 'domain', 'other')).toBe(false)
  })
})

describe('The claim that identifies users', () => {
  const settings = { subjectClaim: 'oid' }
  it('replaces sub', async () => {
    const attack = { claims: { oid: 'o-1' } }
    const user = (await signedIn({ attack, settings }))._unsafeUnwrap()
    expect(user).toMatchObject({ subject: 'o-1', userId: 'user of o-1' })
    const numbered = await signedIn({ attack: { claims: { oid: 42 } }, settings })
    expect(numbered._unsafeUnwrap().subject).toBe('42')
  })

  it.each([{}, { oid: '' }, { oid: null }, { oid: ['o-1'] }, { oid: 1.5 }, { oid: true }])(
    'is missing in %j',
    async (claims) => {
      const faults: SignInFault[] = []
      const options = { onFault: (fault: SignInFault) => void faults.push(fault) }
      const ended = await signedIn({ attack: { claims: { ...claims } }, settings, options })
      expect(ended._unsafeUnwrapErr()).toEqual({ kind: 'InvalidResponse' })
      expect(faults).toMatchObject([
        { cause: { message: 'The claim oid, which identifies users, is missing or no text' } },
      ])
    },
  )
})
