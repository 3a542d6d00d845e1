import { aesGcmCipher, type Caller, createIam, type Iam, memoryEventStore } from 'claviger'
import { type BeginInput, type FinishInput, openIdSignIn, type SignInOptions } from 'claviger/oidc'
import { describe, expect, it } from 'vitest'

const iam = createIam({
  store: memoryEventStore(),
  secrets: aesGcmCipher({ current: 'k', keys: { k: new Uint8Array(32) } }),
  authorize: () => true,
})
const options: SignInOptions = {
  iam,
  caller: { userId: 'sign-in', orgId: 'acme' },
  redirectUri: 'https://host.test/callback',
  key: new Uint8Array(32),
  lookup: false,
}

describe('openIdSignIn', () => {
  it.each([
    [{ key: new Uint8Array(31) }, RangeError, 'key'],
    [{ key: 'x'.repeat(32) }, TypeError, 'key'],
    [{ redirectUri: '/callback' }, TypeError, 'redirectUri'],
    [{ redirectUri: 'https://host.test/#x' }, TypeError, 'redirectUri'],
    [{ redirectUri: 'javascript:x' }, TypeError, 'redirectUri'],
    [{ iam: undefined }, TypeError, 'iam'],
    [{ caller: 'me' }, TypeError, 'caller'],
    [{ timeout: 0 }, TypeError, 'timeout'],
    [{ groups: { claim: 'groups' } }, TypeError, 'groups needs the option userIdOf'],
    [{ groups: 'groups' }, TypeError, 'groups must be { claim, path?, item?, separator? }'],
    [{ groups: { claim: '' } }, TypeError, 'groups must be { claim, path?, item?, separator? }'],
    [
      { groups: { claim: 'groups', scope: 'groups' } },
      TypeError,
      'groups must be { claim, path?, item?, separator? }',
    ],
    [{ redirectUri: 5 }, TypeError, 'redirectUri must be an absolute URL'],
    [{ alowPrivateNetwork: true }, TypeError, 'openIdSignIn has no option alowPrivateNetwork'],
    [
      { lookup: undefined, fetch },
      TypeError,
      /^lookup must be a function .*\(name\) => lookup.*, or false/,
    ],
    [{ lookup: true }, TypeError, /^lookup must be a function/],
  ])('throws for %o', (wrong, error, name) => {
    const opened = () => openIdSignIn({ ...options, ...wrong } as SignInOptions)
    expect(opened).toThrow(error)
    expect(opened).toThrow(name)
  })
})

const provider = { orgId: 'acme', idpId: 'own' }
const refused = (...fields: readonly string[]) => ({
  kind: 'InvalidArgument',
  violations: fields.map((field) => expect.objectContaining({ field })),
})

describe('begin', () => {
  it.each([
    'https://evil.test',
    '//evil.test',
    '/\\evil.test',
    '/.//evil.test',
    '/\t/evil.test',
    'home',
    '',
    `/${'x'.repeat(1000)}`,
  ])('returns to no %o', async (returnTo) => {
    const begun = await openIdSignIn(options).begin({ ...provider, returnTo })
    expect(begun._unsafeUnwrapErr()).toEqual(refused('returnTo'))
  })

  it.each([
    [{}, ['orgId', 'idpId']],
    [undefined, ['orgId', 'idpId']],
    [{ ...provider, returnUrl: '/' }, ['returnUrl']],
    [{ ...provider, email: 'ann@acme.test' }, ['email']],
    [{ ...provider, prompt: 1 }, ['prompt']],
    [{ email: 'ann' }, ['email']],
    [{ ...provider, projectId: 'p1' }, ['projectId']],
  ])('refuses %o', async (input, fields) => {
    const begun = await openIdSignIn(options).begin(input as BeginInput)
    expect(begun._unsafeUnwrapErr()).toEqual(refused(...fields))
  })

  it('says that no provider is there for an address', async () => {
    const begun = await openIdSignIn(options).begin({ email: 'ann@acme.test' })
    expect(begun._unsafeUnwrapErr()).toEqual({ kind: 'NoProviderForEmail' })
  })

  it('ends with Aborted when the provider changes between all its reads', async () => {
    const idp = { idpId: 'own', name: 'Own', clientId: 'c', issuer: 'https://idp.test' }
    const context = { caller: options.caller as Caller }
    await iam.identityProviders.addOidc({ ...idp, clientSecret: 's' }, context)
    let changes = 0
    const identityProviders: Iam['identityProviders'] = {
      ...iam.identityProviders,
      get: (...given) =>
        iam.identityProviders
          .patch({ idpId: 'own', name: `Own ${++changes}` }, context)
          .mapErr((error): never => {
            throw new Error(error.kind)
          })
          .andThen(() => iam.identityProviders.get(...given)),
    }
    const begun = await openIdSignIn({ ...options, iam: { ...iam, identityProviders } }).begin(
      provider,
    )
    expect(begun._unsafeUnwrapErr()).toEqual({ kind: 'Aborted', attempts: changes })
    expect(changes).toBeLessThanOrEqual(10)
  })

  it('uses the route of an address, and returns exceptions of the host as errors', async () => {
    const cause = new Error('down')
    const asked: string[] = []
    const signIn = openIdSignIn({
      ...options,
      iam: { ...iam, domains: { ...iam.domains, route: routed } },
      caller: (orgId) => {
        asked.push(orgId)
        throw cause
      },
    })
    const begun = await signIn.begin({ email: 'ann@acme.test' })
    const unavailable = { kind: 'Unavailable', outcome: 'not_recorded', cause }
    expect(begun._unsafeUnwrapErr()).toEqual(unavailable)
    expect(asked).toEqual(['acme'])
  })
})

const routed: typeof iam.domains.route = () =>
  iam.domains.route({ email: 'a@b.test' }).map(() => provider)

describe('finish', () => {
  it.each([
    [{ attempt: 'x' }, ['url']],
    [{ attempt: 'x', url: 'https://[' }, ['url']],
    [{ attempt: 'x', request: {} }, ['request']],
    [{ attempt: 'x', url: '/', state: 'x' }, ['state']],
  ])('refuses %o', async (input, fields) => {
    const finished = await openIdSignIn(options).finish(input as FinishInput)
    expect(finished._unsafeUnwrapErr()).toEqual(refused(...fields))
  })

  it('refuses without an attempt', async () => {
    const request = new Request('https://host.test/callback?code=c')
    const finished = await openIdSignIn(options).finish({ request, attempt: undefined })
    expect(finished._unsafeUnwrapErr()).toEqual({ kind: 'AttemptTampered' })
  })
})
