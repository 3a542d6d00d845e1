import { beforeEach, describe, expect, it } from 'vitest'
import { memoryReadModel } from '../../../src/index.js'
import {
  badFields,
  context,
  good,
  type Iam,
  iamOn,
  inGlobex,
  oidc,
  refusal,
  start,
} from '../host.js'
import { fakeDns } from './dns.js'

let dns: ReturnType<typeof fakeDns>
let iam: Iam
let store: ReturnType<typeof start>['store']

beforeEach(async () => {
  dns = fakeDns()
  ;({ iam, store } = start({ domains: dns.domains }))
  await good(iam.identityProviders.addOidc(oidc, context))
  const { challenge, domain } = await good(iam.domains.add({ domain: 'bücher.example' }, context))
  dns.publish(domain, challenge)
})

const domain = 'xn--bcher-kva.example'
const routeOf = (email: string) => good(iam.domains.route({ email }))
const acme = { orgId: 'acme', idpId: 'google' }

const verify = () => good(iam.domains.verify({ domain }, context))
const setGoogle = () => good(iam.domains.setProvider({ domain, idpId: 'google' }, context))

describe('domains.route', () => {
  it('finds the provider of a verified domain for any form of the address.', async () => {
    await verify()
    await setGoogle()
    for (const email of [
      'anna@xn--bcher-kva.example',
      'ANNA@XN--BCHER-KVA.EXAMPLE',
      'anna@bücher.example',
      "o'brien+x/y.z@bücher.example",
      '.@bücher.example',
      `${'a'.repeat(64)}@bücher.example`,
    ])
      expect([email, await routeOf(email)]).toEqual([email, acme])
  })

  it('tells alike what is unknown, pending, without a provider, and out of use.', async () => {
    const anna = 'anna@bücher.example'
    expect(await routeOf(anna)).toBeUndefined()
    await setGoogle()
    expect(await routeOf(anna)).toBeUndefined()
    await verify()
    expect(await routeOf(anna)).toEqual(acme)
    for (const email of [
      'a@sub.bücher.example',
      'a@example',
      'a@localhost',
      'a@com',
      'a@co.uk',
      'a@127.0.0.1',
      'a@1.2',
      `a@${'b'.repeat(63)}.example`,
    ])
      expect([email, await routeOf(email)]).toEqual([email, undefined])
    await good(iam.identityProviders.deactivate({ idpId: 'google' }, context))
    expect(await routeOf(anna)).toBeUndefined()
    await good(iam.identityProviders.reactivate({ idpId: 'google' }, context))
    expect(await routeOf(anna)).toEqual(acme)
    await good(iam.domains.setProvider({ domain }, context))
    expect(await routeOf(anna)).toBeUndefined()
    await setGoogle()
    await good(iam.identityProviders.remove({ idpId: 'google' }, context))
    expect(await routeOf(anna)).toBeUndefined()
  })

  it('follows a domain to the organization that verifies it next.', async () => {
    await verify()
    await setGoogle()
    await good(iam.identityProviders.addOidc({ ...oidc, idpId: 'okta' }, inGlobex))
    const { challenge } = await good(iam.domains.add({ domain }, inGlobex))
    await good(iam.domains.setProvider({ domain, idpId: 'okta' }, inGlobex))
    expect(await routeOf(`a@${domain}`)).toEqual(acme)
    await good(iam.domains.remove({ domain }, context))
    expect(await routeOf(`a@${domain}`)).toBeUndefined()
    dns.publish(domain, challenge)
    await good(iam.domains.verify({ domain }, inGlobex))
    expect(await routeOf(`a@${domain}`)).toEqual({ orgId: 'globex', idpId: 'okta' })
  })

  it.each([
    '',
    '@',
    'anna',
    'anna@',
    '@example.com',
    'anna@@example.com',
    'anna@example..com',
    'anna@example.com.',
    'anna@-a.example',
    `anna@${'a'.repeat(64)}.example`,
    'anna@[127.0.0.1]',
    'anna@[IPv6:::1]',
    '"anna"@example.com',
    '"a@b"@example.com',
    'anna(comment)@example.com',
    'Anna <anna@example.com>',
    ' anna@example.com',
    'anna@example.com ',
    'anna@example.com\n',
    'änna@example.com',
    'anna@exa_mple.com',
    'anna@example.com/x',
    'anna@example.com:80',
    `${'a'.repeat(320)}@example.com`,
    5,
    null,
    undefined,
  ])('refuses %j as an address.', async (email) => {
    expect(await badFields(iam.domains.route({ email: email as string }))).toEqual(['email'])
  })

  it('refuses unknown options and an invalid signal.', async () => {
    const email = 'a@example.com'
    const odd = { consistencyy: 'eventual' } as object
    expect(await badFields(iam.domains.route({ email }, odd))).toEqual(['consistencyy'])
    const wrong = { consistency: 'weak' as 'strong' }
    expect(await badFields(iam.domains.route({ email }, wrong))).toEqual(['consistency'])
    const signal = {} as AbortSignal
    expect(await badFields(iam.domains.route({ email }, { signal }))).toEqual(['signal'])
    expect(await badFields(iam.domains.route(null as never))).toEqual(['email'])
  })

  it('reads as its options say.', async () => {
    await verify()
    await setGoogle()
    const readModel = memoryReadModel()
    const fed = iamOn(store, { readModel })
    const route = (options?: Parameters<Iam['domains']['route']>[1]) =>
      fed.domains.route({ email: `a@${domain}` }, options)
    expect(await refusal(route({ consistency: 'eventual' }))).toMatchObject({ kind: 'Unavailable' })
    expect(await good(route())).toEqual(acme)
    await good(iam.domains.setProvider({ domain }, context))
    expect(await good(route({ consistency: 'eventual' }))).toEqual(acme)
    expect(await good(route({ consistency: 'strong' }))).toBeUndefined()
    expect(await refusal(route({ signal: AbortSignal.abort() }))).toEqual({ kind: 'Cancelled' })
  })

  it('is reported to hooks.', async () => {
    const calls: string[] = []
    const watched = iamOn(store, {
      hooks: { onCall: ({ method, verdict }) => calls.push(`${method} ${verdict}`) },
    })
    await watched.domains.route({ email: 'a@example.com' })
    await watched.domains.route({ email: '' })
    expect(calls).toEqual(['domains.route ok', 'domains.route InvalidArgument'])
  })
})
