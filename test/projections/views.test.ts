import { expect, test } from 'vitest'
import type { RecordedEvent } from '../../src/ports/event-store.js'
import type { KnownEvent } from '../../src/ports/known-event.js'
import type { IdentityProvider } from '../../src/ports/read-model.js'
import { identityProviderView } from '../../src/projections/identity-provider-view.js'
import { readEvent } from '../../src/projections/read-event.js'

const data = {
  usernameMapping: 'OIDC_MAPPING_FIELD_EMAIL',
  displayNameMapping: 'OIDC_MAPPING_FIELD_EMAIL',
  scopes: ['openid'],
  issuer: 'https://accounts.example.com',
  clientId: 'client',
  clientSecret: 'sealed',
  autoRegister: false,
  stylingType: 'STYLING_TYPE_GOOGLE',
  name: 'Google',
  idpId: 'google',
}

const added: RecordedEvent = {
  appendId: '01J0000000000000000000000A',
  stream: 'identity_provider-acme+google',
  version: 1,
  position: 7n,
  metadata: { actor: { userId: 'u1', orgId: 'acme' }, resourceOwner: 'acme' },
  type: 'identity_provider.oidc_added',
  schemaVersion: 1,
  data,
}

const { usernameMapping, displayNameMapping, issuer, clientId, idpId } = data
const updated: RecordedEvent = {
  ...added,
  version: 2,
  position: 8n,
  type: 'identity_provider.oidc_config_updated',
  data: { usernameMapping, displayNameMapping, scopes: ['email'], issuer, clientId, idpId },
}

const isOfProvider = (event: KnownEvent) => event.type.startsWith('identity_provider.')

const viewOf = (events: readonly RecordedEvent[]): IdentityProvider | undefined =>
  events
    .map((event) => readEvent(event)._unsafeUnwrap())
    .filter((event): event is Parameters<typeof identityProviderView>[1] => isOfProvider(event))
    .reduce<IdentityProvider | undefined>(identityProviderView, undefined)

test.each([[[added]], [[added, updated]]])('Fields are shown in one order.', (events) => {
  expect(Object.keys(viewOf(events) ?? {})).toEqual([
    'idpId',
    'name',
    'stylingType',
    'autoRegister',
    'clientId',
    'issuer',
    'scopes',
    'displayNameMapping',
    'usernameMapping',
    'state',
    'details',
  ])
})

test.each([[[added]], [[added, updated]]])('A list cannot be altered.', (events) => {
  const shown = viewOf(events)?.scopes
  expect(Object.isFrozen(shown)).toBe(true)
})
