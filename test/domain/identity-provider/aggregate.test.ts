import { describe, expect, test } from 'vitest'
import { viewsOf } from '../shown.js'
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
} from './examples.js'

const identityProviderView = viewsOf('identity_provider', googleAdded, deactivated)

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
    ['is the same under another seal', inactive, resealed, {}],
  ] as const)('%s.', (_, view, event, changes) => {
    expect(identityProviderView(view, event)).toEqual({ ...view, ...changes })
  })

  test('ends with the removal.', () => {
    expect(identityProviderView(active, removed)).toBeUndefined()
  })

  test.each([oidcUpdated, appearanceUpdated, deactivated, reactivated, resealed, removed])(
    'does not come to be by $type.',
    (event) => {
      expect(identityProviderView(undefined, event)).toBeUndefined()
    },
  )

  test.each([googleAdded, oidcUpdated])('has a list of its own that is frozen: $type', (event) => {
    const view = identityProviderView(active, event)
    const scopes = view && 'scopes' in view ? view.scopes : undefined
    expect(Object.isFrozen(scopes)).toBe(true)
    expect(scopes).not.toBe('scopes' in event.data && event.data.scopes)
  })
})
