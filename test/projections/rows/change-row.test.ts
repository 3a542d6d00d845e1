import { expect, test } from 'vitest'
import { fieldOf, IdpId } from '../../../src/domain/values.js'
import type { RecordedEvent } from '../../../src/ports/event-store.js'
import type { Views, ViewType } from '../../../src/ports/read-model.js'
import { project, type Row, shown } from '../../../src/projections/project.js'
import { readEvent } from '../../../src/projections/read-events.js'

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

const rowOf = (events: readonly RecordedEvent[]): Views[ViewType] | undefined => {
  const row = events
    .map((event) => readEvent(event)._unsafeUnwrap())
    .reduce<Row | undefined>(project, undefined)
  return row && shown({ type: 'identity_provider', idpId: IdpId.parse(idpId) }, row)
}

test.each([[[added]], [[added, updated]]])('Fields are shown in one order.', (events) => {
  expect(Object.keys(rowOf(events) ?? {})).toEqual([
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
  const shown = fieldOf(rowOf(events), 'scopes')
  expect(Object.isFrozen(shown)).toBe(true)
})
