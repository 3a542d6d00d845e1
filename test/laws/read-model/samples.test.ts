import { expect, test } from 'vitest'
import { EVENT_TYPES } from '../../../src/domain/aggregates.js'
import { SCENARIOS, TYPES } from '../../../src/laws/read-model/samples.js'
import { isOfObject } from '../../../src/projections/read-events.js'
import { identityField, viewFields } from '../../../src/projections/rows.js'

test('The scenarios have events of every type.', () => {
  const types = SCENARIOS.flatMap(({ steps }) => steps.map(([{ type }]) => type))
  const ofObjects = EVENT_TYPES.filter((type) => isOfObject({ type }))
  expect(new Set(types)).toEqual(new Set(ofObjects))
})

test('Lists are sorted and filtered by these fields.', () => {
  const flags = (field: { readonly filterable?: boolean }) => (field.filterable ? ' (filter)' : '')
  const lines = TYPES.map((type) => {
    const fields = Object.entries(viewFields[type])
    const names = fields.map(([name, field]) => `${name}${flags(field)}`)
    return `${type}, by ${identityField[type]}: ${names.join(', ')}`
  })
  expect(lines).toMatchInlineSnapshot(`
    [
      "identity_provider, by idpId: idpId (filter), name (filter), stylingType, clientId (filter), issuer (filter), displayNameMapping, usernameMapping, autoRegister, state (filter), sequence, creationDate, changeDate",
      "project, by id: id (filter), name (filter), projectRoleAssertion, projectRoleCheck, hasProjectCheck, privateLabelingSetting, state (filter), sequence, creationDate, changeDate",
      "project_role, by roleKey: projectId, roleKey (filter), displayName (filter), group (filter), state (filter), sequence, creationDate, changeDate",
      "project_grant, by grantedOrgId: projectId (filter), projectOrgId (filter), grantedOrgId (filter), state (filter), sequence, creationDate, changeDate",
      "user_grant, by key: userId (filter), projectId (filter), projectOrgId (filter), resource (filter), key, state (filter), sequence, creationDate, changeDate",
      "domain, by domain: domain (filter), idpId (filter), state (filter), sequence, creationDate, changeDate",
      "role_mapping, by key: idpId (filter), group (filter), projectId (filter), projectOrgId (filter), resource (filter), key, state (filter), sequence, creationDate, changeDate",
      "membership, by key: idpId (filter), userId (filter), key, state (filter), sequence, creationDate, changeDate",
      "setup_link, by linkId: linkId (filter), note (filter), idpId (filter), domain (filter), state (filter), sequence, creationDate, changeDate",
    ]
  `)
})
