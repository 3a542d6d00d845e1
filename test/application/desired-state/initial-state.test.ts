import { expect, it } from 'vitest'
import { formatPlan } from '../../../src/application/desired-state/plan/plan.js'
import { memoryEventStore } from '../../../src/index.js'
import { badFields } from '../host.js'
import { allEvents, context, done, instanceOn, refused } from './organization.js'

const okta = { idpId: 'okta', name: 'Okta', clientId: 'c1', issuer: 'https://okta.test' }
const inactive = { ...okta, initialState: 'inactive' as const }
const declared = (...identityProviders: (typeof okta)[]) => ({ identityProviders })

const started = () => {
  const store = memoryEventStore()
  return { store, iam: instanceOn(store) }
}

it('adds a provider without a secret as inactive, in one append that the plan shows', async () => {
  const { store, iam } = started()
  const plan = await done(iam.plan(declared(inactive), context))
  expect(formatPlan(plan)).toContain('    state: "inactive"\n    clientSecret: (set)')
  await done(iam.apply(JSON.parse(JSON.stringify(plan)), context))

  const events = await allEvents(store)
  expect(events.map(({ type }) => type)).toEqual([
    'identity_provider.oidc_added',
    'identity_provider.deactivated',
  ])
  expect(new Set(events.map(({ appendId }) => appendId)).size).toBe(1)
  const { state } = await done(iam.identityProviders.get({ idpId: 'okta' }, context))
  expect(state).toBe('inactive')
  const { clientSecret } = await done(
    iam.identityProviders.revealClientSecret({ idpId: 'okta' }, context),
  )
  expect(clientSecret).toBe('not set')
})

it('keeps the state and secret of a provider that is there', async () => {
  const { store, iam } = started()
  await done(iam.apply(declared(inactive), context))
  await done(iam.identityProviders.patch({ idpId: 'okta', clientSecret: 'real' }, context))
  await done(iam.identityProviders.reactivate({ idpId: 'okta' }, context))
  const head = await store.lastPosition()

  const { counts } = await done(iam.apply(declared(inactive), context))
  expect(counts).toMatchObject({ unchanged: 1, update: 0 })
  expect(await allEvents(store, head)).toEqual([])
})

it('needs a secret for a provider that is added as active', async () => {
  const { iam } = started()
  for (const provider of [okta, { ...okta, initialState: 'active' }])
    expect(await refused(iam.plan(declared(provider), context))).toMatchObject({
      violations: [{ field: 'identityProviders[0].clientSecret' }],
    })
  const stray = { ...okta, initialState: 'removed' }
  expect(await refused(iam.plan(declared(stray), context))).toMatchObject({
    violations: [{ field: 'identityProviders[0].initialState' }],
  })
})

it('refuses a plan that deactivates a provider which it does not add', async () => {
  const { iam } = started()
  const added = await done(iam.plan(declared(inactive), context))
  const hidden = JSON.parse(JSON.stringify(added))
  hidden.changes[0].fields = [{ field: 'name', to: 'Okta' }]
  expect(await badFields(iam.apply(hidden, context))).toEqual(['changes[0].fields'])

  const withSecret = { ...okta, clientSecret: 'secret' }
  await done(iam.apply(declared(withSecret), context))
  const updated = JSON.parse(
    JSON.stringify(await done(iam.plan(declared({ ...withSecret, name: 'New' }), context))),
  )
  updated.changes[0].fields.push({ field: 'state', to: 'inactive' })
  expect(await badFields(iam.apply(updated, context))).toEqual(['changes[0].fields'])
})
