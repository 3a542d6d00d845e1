import { describe, expect, test } from 'vitest'
import { exists } from '../../../src/domain/aggregate.js'
import { fold } from '../../../src/domain/decider.js'
import {
  identityProvider,
  identityProviders,
} from '../../../src/domain/identity-provider/aggregate.js'
import { IdentityProviderEvent } from '../../../src/domain/identity-provider/events.js'
import type { KnownEvent } from '../../../src/ports/known-event.js'
import { stateAfter } from '../../../src/projections/project.js'
import { factAfter, viewsOf } from '../shown.js'
import {
  appearance,
  appearanceUpdated,
  deactivated,
  googleAdded,
  id,
  oidc,
  oidcUpdated,
  oidcUpdatedKeepingSecret,
  otherAppearance,
  otherOidc,
  reactivated,
  removed,
  resealed,
  settings,
  signInConfigured,
} from './examples.js'

const identityProviderView = viewsOf('identity_provider', googleAdded, deactivated)

const shownAfter = (...events: readonly IdentityProviderEvent[]) => {
  const state = fold(identityProvider, [googleAdded, ...events])
  if (!exists(state)) throw new Error('The provider is gone')
  return identityProviders.show(state)
}

const active = { ...id, ...appearance, ...oidc, state: 'active' } as const
const inactive = { ...active, state: 'inactive' } as const

describe('The view of an identity provider', () => {
  test('begins active, with what was added but for the secret.', () => {
    expect(identityProviderView(undefined, googleAdded)).toEqual(active)
  })

  test.each([
    ['has the configuration it was updated to', inactive, oidcUpdated, otherOidc],
    ['has it also where the secret was kept', inactive, oidcUpdatedKeepingSecret, otherOidc],
    ['has the appearance it was updated to', inactive, appearanceUpdated, otherAppearance],
    ['is inactive once deactivated', active, deactivated, { state: 'inactive' }],
    ['is active again once reactivated', inactive, reactivated, { state: 'active' }],
    ['has the settings that were configured', inactive, signInConfigured, { signIn: settings }],
    ['is the same under another seal', inactive, resealed, {}],
  ] as const)('%s.', (_, view, event, changes) => {
    expect(identityProviderView(view, event)).toEqual({ ...view, ...changes })
  })

  test('has no settings once all have their defaults.', () => {
    const event = {
      type: 'identity_provider.sign_in_configured',
      data: { ...id, admit: [] },
    } as const
    expect(shownAfter(signInConfigured, event)).toStrictEqual(active)
  })

  test('keeps the settings of its sign-in where the specification replaces all fields.', () => {
    for (const event of [oidcUpdated, appearanceUpdated])
      expect(shownAfter(signInConfigured, event)).toMatchObject({ signIn: settings })
  })

  test('has settings that no reader can change, apart from those of the event.', () => {
    const { signIn } = shownAfter(signInConfigured)
    const [rule] = signIn?.admit ?? []
    for (const part of [signIn, signIn?.groups, signIn?.admit, rule, rule?.values, rule?.path])
      expect(Object.isFrozen(part)).toBe(true)
    expect(signIn?.admit).not.toBe(settings.admit)
  })

  test('has its state as the fact that its groups are judged by.', () => {
    const state = { in: 'provider', orgId: 'acme', ...id } as const
    expect(factAfter('identity_provider', [googleAdded])).toEqual({ ...state, state: 'active' })
    expect(factAfter('identity_provider', [googleAdded, deactivated])).toEqual({
      ...state,
      state: 'inactive',
    })
  })

  test('is kept without its secret, and without the issuer that the secret is for.', () => {
    const event = { ...googleAdded, version: 1 } as KnownEvent
    const kept = stateAfter(undefined, event)
    expect(identityProvider.evolve(identityProvider.initialState, googleAdded, 1)).toMatchObject({
      clientSecret: googleAdded.data.clientSecret,
      secretIssuer: googleAdded.data.issuer,
    })
    expect(kept).toMatchObject({ status: 'active', clientId: oidc.clientId })
    for (const secret of ['clientSecret', 'secretIssuer']) expect(kept).not.toHaveProperty(secret)
  })

  test.each(['client_secret_basic', 'client_secret_post', 'raw_basic'] as const)(
    'is stored with the authentication %s.',
    (clientAuthentication) => {
      const data = { ...signInConfigured.data, clientAuthentication }
      const event = { ...signInConfigured, data }
      expect(IdentityProviderEvent.parse(event)).toEqual(event)
    },
  )

  test('ends with the removal.', () => {
    expect(identityProviderView(active, removed)).toBeUndefined()
  })

  test.each([
    oidcUpdated,
    appearanceUpdated,
    deactivated,
    reactivated,
    resealed,
    signInConfigured,
    removed,
  ])('does not come to be by $type.', (event) => {
    expect(identityProviderView(undefined, event)).toBeUndefined()
  })

  test.each([googleAdded, oidcUpdated])('has a list of its own that is frozen: $type', (event) => {
    const view = identityProviderView(active, event)
    const scopes = view && 'scopes' in view ? view.scopes : undefined
    expect(Object.isFrozen(scopes)).toBe(true)
    expect(scopes).not.toBe('scopes' in event.data && event.data.scopes)
  })
})
