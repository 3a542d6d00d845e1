import { aesGcmCipher, createIam, type DesiredAccess, memoryEventStore, orThrow } from 'claviger'
import { describe, expect, it } from 'vitest'

const context = { caller: { userId: 'u1', orgId: 'acme' } }
const admit = [{ claim: 'hd', values: ['example.com'] }]
const idp = {
  idpId: 'google',
  name: 'Google',
  clientId: 'c',
  clientSecret: 's',
  issuer: 'https://a',
}

const opened = () => {
  const iam = createIam({
    store: memoryEventStore(),
    secrets: aesGcmCipher({ current: 'k', keys: { k: new Uint8Array(32) } }),
    authorize: () => true,
  })
  const declare = (more: object): DesiredAccess => ({ identityProviders: [{ ...idp, ...more }] })
  const signIn = async () =>
    (await orThrow(iam.identityProviders.get({ idpId: 'google' }, context))).signIn
  return { iam, declare, signIn }
}

describe('The settings of a sign-in in a desired state', () => {
  it('are there when the provider is added, replaced as a whole, and kept where absent', async () => {
    const { iam, declare, signIn } = opened()
    const groups = { claim: 'realm_access', path: ['roles'] }
    await orThrow(iam.apply(declare({ signIn: { admit, groups } }), context))
    expect(await signIn()).toEqual({ admit, groups })
    await orThrow(iam.apply(declare({ name: 'Other' }), context))
    expect(await signIn()).toEqual({ admit, groups })
    await orThrow(iam.apply(declare({ signIn: { addresses: 'verified' } }), context))
    expect(await signIn()).toEqual({ addresses: 'verified' })
    await orThrow(iam.apply(declare({ signIn: {} }), context))
    expect(await signIn()).toBeUndefined()
  })

  it('are a change of the plan, and none when they are as declared', async () => {
    const { iam, declare, signIn } = opened()
    await orThrow(iam.apply(declare({ signIn: { admit } }), context))
    const same = await orThrow(iam.plan(declare({ signIn: { admit } }), context))
    expect(same.changes).toMatchObject([{ action: 'unchanged' }])
    const desired = declare({ signIn: { addresses: 'domain' } })
    const plan = await orThrow(iam.plan(desired, context))
    const [from, to] = [{ admit }, { addresses: 'domain' }].map((each) => JSON.stringify(each))
    expect(plan.changes).toMatchObject([
      { action: 'update', fields: expect.arrayContaining([{ field: 'signIn', from, to }]) },
    ])
    await orThrow(iam.apply(plan, context))
    expect(await signIn()).toEqual({ addresses: 'domain' })
  })

  it('are refused by field', async () => {
    const { iam, declare } = opened()
    const refused = await iam.plan(declare({ signIn: { admit: [{ claim: 'hd' }] } }), context)
    expect(refused._unsafeUnwrapErr()).toMatchObject({
      kind: 'InvalidArgument',
      violations: [
        { field: 'identityProviders[0].signIn.admit[0].values', description: 'is required' },
      ],
    })
  })
})
