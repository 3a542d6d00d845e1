import { inspect } from 'node:util'
import { orThrow } from 'claviger'
import type { SignInFault } from 'claviger/oidc'
import { afterAll, describe, expect, it } from 'vitest'
import { oneProvider, own } from './one-provider.js'

const { host, callback, close, context } = await oneProvider()
afterAll(close)

const claims = { groups: ['finance', 'staff'], hd: 'corp.example', name: 'Ann' }
const settings = {
  groups: { claim: 'groups' },
  admit: [
    { claim: 'hd', values: ['corp.example'] },
    { claim: 'tid', values: ['t'] },
  ],
}
const asPreview = { preview: true }

describe('A preview of a sign-in', () => {
  it('shows claims, groups, unmet rules and mappings, and records nothing', async () => {
    const asked: unknown[] = []
    const options = { userIdOf: (user: unknown) => void asked.push(user) }
    const { iam, signIn } = await host({ settings, options })
    const mapping = { idpId: 'own', group: 'legal', projectId: 'app', roleKeys: ['reader'] }
    await orThrow(iam.roleMappings.add(mapping, context))
    const before = await iam.head()
    const back = await callback(signIn, { attack: { claims } }, asPreview)
    const shown = (await signIn.preview(back))._unsafeUnwrap()
    expect(shown).toMatchObject({
      user: { subject: 'ann', displayName: 'Ann', groups: ['finance', 'staff'], claims },
      unmetRules: [{ claim: 'tid', values: ['t'] }],
      mappings: [{ group: 'finance', projectId: 'app', roleKeys: ['reader'] }],
    })
    expect(shown.mappings).toHaveLength(1)
    expect(inspect(shown, { depth: 9 })).not.toMatch(/canary|id_token|tokens/)
    expect(asked).toEqual([])
    expect(await iam.head()).toEqual(before)
  })

  it('is of an inactive provider too, which no sign-in is', async () => {
    const { iam, signIn } = await host({ settings })
    await orThrow(iam.identityProviders.deactivate({ idpId: 'own' }, context))
    expect((await signIn.begin(own))._unsafeUnwrapErr()).toEqual({ kind: 'ProviderInactive' })
    const back = await callback(signIn, { attack: { claims } }, asPreview)
    expect((await signIn.preview(back)).isOk()).toBe(true)
  })

  it('signs nobody in: finish refuses its attempt', async () => {
    const { signIn } = await host()
    const back = await callback(signIn, { attack: { claims } }, asPreview)
    expect((await signIn.finish(back))._unsafeUnwrapErr()).toEqual({
      kind: 'AttemptMismatch',
      field: 'preview',
    })
    expect((await signIn.preview(back)).isOk()).toBe(true)
  })

  it('says that groups are unavailable, and has no mapping then', async () => {
    const { signIn } = await host({ settings })
    const attack = { claims: { ...claims, groups: 'finance,staff' } }
    const shown = (
      await signIn.preview(await callback(signIn, { attack }, asPreview))
    )._unsafeUnwrap()
    expect(shown).toMatchObject({ user: { groups: 'unavailable' }, mappings: [] })
  })

  it('is refused as a sign-in is, with the cause for onFault', async () => {
    const faults: SignInFault[] = []
    const { signIn } = await host({ options: { onFault: (fault) => faults.push(fault) } })
    const attack = { claims: { nonce: 'other' } }
    const refused = await signIn.preview(await callback(signIn, { attack }, asPreview))
    expect(refused._unsafeUnwrapErr()).toEqual({ kind: 'NonceMismatch' })
    expect(faults).toMatchObject([{ during: 'preview', refusal: { kind: 'NonceMismatch' } }])
  })
})
