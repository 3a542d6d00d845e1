import { err, ok } from 'neverthrow'
import { describe, expect, it } from 'vitest'
import { fold } from '../../../src/domain/decider.js'
import { identityProvider, isSecretFor } from '../../../src/domain/identity-provider/aggregate.js'
import type { PatchIdentityProvider } from '../../../src/domain/identity-provider/command-schemas.js'
import { given } from '../../../src/testing/index.js'
import {
  addGoogle,
  appearance,
  appearanceUpdated,
  configureSignIn,
  deactivated,
  deactivateGoogle,
  firstSeal,
  google,
  googleAdded,
  id,
  oidc,
  oidcUpdated,
  oidcUpdatedKeepingSecret,
  otherAppearance,
  otherOidc,
  patchGoogle,
  reactivated,
  reactivateGoogle,
  removed,
  removeGoogle,
  reseal,
  resealed,
  secondSeal,
  settings,
  signInConfigured,
  thirdSeal,
  updateAppearance,
  updateOidc,
  updateOidcKeepingSecret,
} from './examples.js'

const object = { type: 'identity_provider', ...id }
const notFound = err({ kind: 'NotFound', object })
const alreadyExists = err({ kind: 'AlreadyExists', object })
const nothing = ok([])

/** A past of each state in which a provider exists. */
const existing = {
  active: [googleAdded],
  inactive: [googleAdded, deactivated],
  'active again': [googleAdded, deactivated, reactivated],
}
const pasts = Object.entries(existing)

describe('AddOidcIdentityProvider', () => {
  it('adds a provider with its sealed secret', () => {
    expect(given(identityProvider, []).when(addGoogle)).toEqual(ok([googleAdded]))
  })

  it.each([...pasts, ['removed', [googleAdded, removed]] as const])(
    'refuses the id of a provider that is %s',
    (_, past) => {
      expect(given(identityProvider, past).when(addGoogle)).toEqual(alreadyExists)
    },
  )
})

describe('UpdateOidcConfig', () => {
  const update = (change: Partial<typeof oidc | typeof otherOidc>) =>
    ({ type: 'UpdateOidcConfig', data: { ...id, ...oidc, ...change } }) as const

  it.each(pasts)('replaces the configuration and the secret of an %s provider', (_, past) => {
    expect(given(identityProvider, past).when(updateOidc)).toEqual(ok([oidcUpdated]))
  })

  it.each(pasts)('records no secret when that of an %s provider is kept', (_, past) => {
    const decision = given(identityProvider, past).when(updateOidcKeepingSecret)
    expect(decision).toStrictEqual(ok([oidcUpdatedKeepingSecret]))
  })

  it.each([
    { clientId: 'client-2' },
    { issuer: 'https://login.example.com' },
    { displayNameMapping: 'OIDC_MAPPING_FIELD_UNSPECIFIED' },
    { usernameMapping: 'OIDC_MAPPING_FIELD_UNSPECIFIED' },
    { scopes: [] },
  ] as const)('sees a change of one field: %o', (change) => {
    const command = update(change)
    expect(given(identityProvider, [googleAdded]).when(command)).toEqual(
      ok([{ type: 'identity_provider.oidc_config_updated', data: command.data }]),
    )
  })

  it.each([
    ['another order', ['profile', 'email']],
    ['one more', ['email', 'profile', 'profile']],
    ['one less', ['email']],
    ['one other', ['email', 'groups']],
  ])('sees a change of scopes: %s', (_, scopes) => {
    const command = { type: 'UpdateOidcConfig', data: { ...id, ...oidc, scopes } } as const
    expect(given(identityProvider, [googleAdded]).when(command)).toEqual(
      ok([{ type: 'identity_provider.oidc_config_updated', data: command.data }]),
    )
  })

  it.each(pasts)('records nothing when nothing of an %s provider changes', (_, past) => {
    expect(given(identityProvider, past).when(update({}))).toEqual(nothing)
    expect(given(identityProvider, past).when(update({ scopes: ['email', 'profile'] }))).toEqual(
      nothing,
    )
  })

  it.each([firstSeal, secondSeal])('treats any sealed secret as a change: %s', (seal) => {
    const data = { ...id, ...oidc, clientSecret: seal }
    expect(given(identityProvider, [googleAdded]).when({ type: 'UpdateOidcConfig', data })).toEqual(
      ok([{ type: 'identity_provider.oidc_config_updated', data }]),
    )
  })

  it('compares with the last update, not with the first values', () => {
    const past = [googleAdded, oidcUpdated]
    expect(given(identityProvider, past).when(updateOidcKeepingSecret)).toEqual(nothing)
    expect(given(identityProvider, past).when(update({})).isOk()).toBe(true)
    expect(given(identityProvider, past).when(update({}))).not.toEqual(nothing)
  })
})

describe('UpdateIdentityProvider', () => {
  it.each(pasts)('replaces name, styling and registration of an %s provider', (_, past) => {
    expect(given(identityProvider, past).when(updateAppearance)).toEqual(ok([appearanceUpdated]))
  })

  it.each([
    { name: 'google' },
    { stylingType: 'STYLING_TYPE_UNSPECIFIED' },
    { autoRegister: false },
  ] as const)('sees a change of one field: %o', (change) => {
    const data = { ...id, ...appearance, ...change }
    const command = { type: 'UpdateIdentityProvider', data } as const
    expect(given(identityProvider, [googleAdded]).when(command)).toEqual(
      ok([{ type: 'identity_provider.updated', data }]),
    )
  })

  it.each(pasts)('records nothing when nothing of an %s provider changes', (_, past) => {
    const command = { type: 'UpdateIdentityProvider', data: { ...id, ...appearance } } as const
    expect(given(identityProvider, past).when(command)).toEqual(nothing)
  })
})

describe('PatchIdentityProvider', () => {
  const patch = (data: Omit<PatchIdentityProvider['data'], 'idpId'>) =>
    ({ type: 'PatchIdentityProvider', data: { ...id, ...data } }) as const

  it.each(pasts)('replaces all that is given of an %s provider', (_, past) => {
    expect(given(identityProvider, past).when(patchGoogle)).toEqual(
      ok([appearanceUpdated, oidcUpdated]),
    )
  })

  it.each([
    { name: 'Work account' },
    { stylingType: 'STYLING_TYPE_UNSPECIFIED' },
    { autoRegister: false },
  ] as const)('keeps the rest of what is not OIDC configuration: %o', (change) => {
    expect(given(identityProvider, [googleAdded]).when(patch(change))).toEqual(
      ok([{ type: 'identity_provider.updated', data: { ...id, ...appearance, ...change } }]),
    )
  })

  it.each([
    { clientId: 'client-2' },
    { issuer: 'https://login.example.com' },
    { scopes: [] },
    { displayNameMapping: 'OIDC_MAPPING_FIELD_UNSPECIFIED' },
    { usernameMapping: 'OIDC_MAPPING_FIELD_UNSPECIFIED' },
    { clientSecret: secondSeal },
  ] as const)('keeps the rest of the OIDC configuration: %o', (change) => {
    expect(given(identityProvider, [googleAdded]).when(patch(change))).toStrictEqual(
      ok([{ type: 'identity_provider.oidc_config_updated', data: { ...id, ...oidc, ...change } }]),
    )
  })

  it.each(pasts)('records nothing when nothing of an %s provider changes', (_, past) => {
    expect(given(identityProvider, past).when(patch({}))).toEqual(nothing)
    expect(given(identityProvider, past).when(patch({ ...appearance, ...oidc }))).toEqual(nothing)
  })

  it('is refused for a provider that is not there', () => {
    expect(given(identityProvider, []).when(patchGoogle)).toEqual(notFound)
    expect(given(identityProvider, [googleAdded, removed]).when(patchGoogle)).toEqual(notFound)
  })
})

describe('DeactivateIdentityProvider and ReactivateIdentityProvider', () => {
  const { active, inactive } = existing

  it('deactivate what is active and reactivate what is not', () => {
    expect(given(identityProvider, active).when(deactivateGoogle)).toEqual(ok([deactivated]))
    expect(given(identityProvider, inactive).when(reactivateGoogle)).toEqual(ok([reactivated]))
  })

  it('record nothing when the provider already is as asked for', () => {
    expect(given(identityProvider, active).when(reactivateGoogle)).toEqual(nothing)
    expect(given(identityProvider, inactive).when(deactivateGoogle)).toEqual(nothing)
  })
})

describe('RemoveIdentityProvider', () => {
  it.each(pasts)('removes an %s provider', (_, past) => {
    expect(given(identityProvider, past).when(removeGoogle)).toEqual(ok([removed]))
  })
})

describe('ResealClientSecret', () => {
  it.each(pasts)('puts the secret of an %s provider under another seal', (_, past) => {
    expect(given(identityProvider, past).when(reseal)).toEqual(ok([resealed]))
  })

  it('records nothing when the secret was replaced meanwhile', () => {
    expect(given(identityProvider, [googleAdded, oidcUpdated]).when(reseal)).toEqual(nothing)
    expect(given(identityProvider, [googleAdded, resealed]).when(reseal)).toEqual(nothing)
  })

  it('replaces the seal that an update left or a reseal made', () => {
    const again = { ...reseal, data: { ...id, replaces: secondSeal, clientSecret: thirdSeal } }
    const resealedAgain = { ...resealed, data: { ...id, clientSecret: thirdSeal } }
    for (const past of [
      [googleAdded, oidcUpdated],
      [googleAdded, resealed, oidcUpdatedKeepingSecret],
    ])
      expect(given(identityProvider, past).when(again)).toEqual(ok([resealedAgain]))
  })
})

describe.each([
  updateOidc,
  updateOidcKeepingSecret,
  updateAppearance,
  deactivateGoogle,
  reactivateGoogle,
  removeGoogle,
  reseal,
])('$type', (command) => {
  it.each([
    ['never was', []],
    ['was removed', [googleAdded, removed]],
    ['was removed when inactive', [googleAdded, deactivated, removed]],
  ])('finds no provider that %s', (_, past) => {
    expect(given(identityProvider, past).when(command)).toEqual(notFound)
  })
})

describe('isSecretFor', () => {
  const issuer = 'https://login.acme.example/realm'
  it.each([
    [issuer, true],
    ['https://login.acme.example/other', true],
    ['https://LOGIN.acme.example:443/', true],
    ['https://login.acme.example:8443/realm', false],
    ['http://login.acme.example/realm', false],
    ['https://login.acme.example.evil.example/realm', false],
    ['https://login.acme.example@evil.example/realm', false],
    ['', false],
    ['no URL', false],
  ])('of a secret for https://login.acme.example/realm, at %o: %s', (other, expected) => {
    expect(isSecretFor(other, { secretIssuer: issuer })).toBe(expected)
    expect(isSecretFor(issuer, { secretIssuer: other })).toBe(expected)
  })
})

describe('evolve', () => {
  const absent = { status: 'absent' } as const
  const gone = { status: 'removed' } as const
  const bound = { ...google, secretIssuer: google.issuer }
  const active = { status: 'active', ...bound } as const
  const inactive = { status: 'inactive', ...bound } as const
  const states = { absent, active, inactive, gone }

  it('begins with a provider that is absent', () => {
    expect(identityProvider.initialState).toEqual(absent)
  })

  it('accepts the addition as a fact in every state', () => {
    for (const state of Object.values(states))
      expect(identityProvider.evolve(state, googleAdded, 7)).toEqual(active)
  })

  it.each([
    {
      event: oidcUpdated,
      change: { ...otherOidc, clientSecret: secondSeal, secretIssuer: otherOidc.issuer },
    },
    { event: oidcUpdatedKeepingSecret, change: otherOidc },
    { event: appearanceUpdated, change: otherAppearance },
    { event: resealed, change: { clientSecret: secondSeal } },
  ])('changes by $event.type what it tells of, and nothing else', ({ event, change }) => {
    for (const state of [active, inactive])
      expect(identityProvider.evolve(state, event, 7)).toStrictEqual({ ...state, ...change })
  })

  it('changes only the status by deactivation and reactivation', () => {
    for (const state of [active, inactive]) {
      expect(identityProvider.evolve(state, deactivated, 7)).toEqual(inactive)
      expect(identityProvider.evolve(state, reactivated, 7)).toEqual(active)
    }
  })

  it('makes nothing of a change of what does not exist', () => {
    const changes = [oidcUpdated, appearanceUpdated, resealed, deactivated, reactivated]
    for (const state of [absent, gone])
      for (const event of changes) expect(identityProvider.evolve(state, event, 7)).toEqual(state)
  })

  it('keeps nothing of a provider that was removed', () => {
    for (const state of Object.values(states))
      expect(identityProvider.evolve(state, removed, 7)).toEqual(gone)
  })
})

describe('ConfigureSignIn', () => {
  it.each(pasts)('replaces the settings of a provider that is %s', (_, past) => {
    expect(given(identityProvider, past).when(configureSignIn)).toEqual(ok([signInConfigured]))
    const fewer = { ...configureSignIn, data: { ...id, addresses: 'domain' } } as const
    expect(given(identityProvider, [...past, signInConfigured]).when(fewer)).toEqual(
      ok([{ type: 'identity_provider.sign_in_configured', data: { ...id, addresses: 'domain' } }]),
    )
  })

  it.each([
    { past: [googleAdded], data: id },
    { past: [googleAdded], data: { ...id, admit: [], groups: undefined } },
    { past: [googleAdded, signInConfigured], data: { ...id, ...settings } },
    {
      past: [googleAdded, signInConfigured],
      data: { ...id, ...settings, groups: { item: 'value', path: [], claim: 'groups' } },
    },
  ])('records nothing where nothing changes: $data', ({ past, data }) => {
    const command = { type: 'ConfigureSignIn', data } as const
    expect(given(identityProvider, past).when(command)).toEqual(nothing)
  })

  it('records how groups are separated in one text', () => {
    const data = { ...id, groups: { claim: 'g', separator: ',' } }
    expect(given(identityProvider, [googleAdded]).when({ type: 'ConfigureSignIn', data })).toEqual(
      ok([{ type: 'identity_provider.sign_in_configured', data }]),
    )
  })

  it('records no setting that is undefined', () => {
    const unset = { path: undefined, item: undefined, separator: undefined }
    const data = { ...id, groups: { claim: 'g', ...unset } }
    const decided = given(identityProvider, [googleAdded]).when({ type: 'ConfigureSignIn', data })
    expect(decided._unsafeUnwrap()).toStrictEqual([
      { type: 'identity_provider.sign_in_configured', data: { ...id, groups: { claim: 'g' } } },
    ])
  })

  it.each([
    ['never was', []],
    ['is removed', [googleAdded, removed]],
  ] as const)('refuses a provider that %s', (_, past) => {
    expect(given(identityProvider, past).when(configureSignIn)).toEqual(notFound)
  })

  it.each([updateOidc, updateAppearance, patchGoogle])('is kept by $type', (command) => {
    const past = [googleAdded, signInConfigured]
    const events = given(identityProvider, past).when(command)._unsafeUnwrap()
    for (const { data } of events) expect(data).not.toHaveProperty('signIn')
    const state = fold(identityProvider, [...past, ...events])
    expect(state).toMatchObject({ signIn: settings })
  })
})
