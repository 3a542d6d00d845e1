import { describe, expect, it } from 'vitest'
import {
  AddRoleMapping,
  AddRoleMappingRoles,
  RemoveRoleMapping,
  RemoveRoleMappingRoles,
  RoleMappingCommand,
  UpdateRoleMapping,
} from '../../../src/domain/role-mapping/command-schemas.js'
import { describeCommand } from '../command-laws.js'
import { describeId } from '../field-laws.js'
import { describeGrantedRoles, describeRoleKeys } from '../granted-role-laws.js'
import { objections, withField, withoutField } from '../objections.js'
import { describeRequiredText } from '../text-laws.js'
import { added, editor, id, updatedToBoth } from './examples.js'

const describeIds = (of: Pick<Parameters<typeof describeId>[0], 'schema' | 'valid'>) => {
  describeId({ ...of, field: 'idpId' })
  describeId({ ...of, field: 'projectOrgId' })
  describeId({ ...of, field: 'projectId' })
  describeRequiredText({ ...of, field: 'group' })
}

describe.each([
  { schema: AddRoleMapping, valid: { type: 'AddRoleMapping', data: added.data } },
  { schema: UpdateRoleMapping, valid: { type: 'UpdateRoleMapping', data: added.data } },
])('$valid.type', ({ schema, valid }) => {
  describeCommand(schema, RoleMappingCommand, valid)
  describeIds({ schema, valid })
  describeGrantedRoles({ schema, valid, field: 'roles' }, (roleKey) => ({ ...editor, roleKey }))

  const objectionsTo = (validFor: unknown) =>
    objections(schema, withField(valid, 'validFor', validFor))

  it('keeps hours up to a year, or none', () => {
    expect([1, 8_760].flatMap(objectionsTo)).toEqual([])
    expect(objections(schema, withoutField(valid, 'validFor'))).toEqual([])
  })

  it('refuses other hours', () => {
    for (const validFor of [0, -1, 1.5, 8_761, Number.NaN, '24', null])
      expect(objectionsTo(validFor)).toEqual([
        'data.validFor: must be a whole number of hours from 1 to 8760',
      ])
  })
})

describe('AddRoleMappingRoles', () => {
  const valid = { type: 'AddRoleMappingRoles', data: updatedToBoth.data }
  const of = { schema: AddRoleMappingRoles, valid }
  describeCommand(of.schema, RoleMappingCommand, valid)
  describeIds(of)
  describeGrantedRoles({ ...of, field: 'roles' }, (roleKey) => ({ ...editor, roleKey }))
})

describe('RemoveRoleMappingRoles', () => {
  const valid = { type: 'RemoveRoleMappingRoles', data: { ...id, roleKeys: [editor.roleKey] } }
  const of = { schema: RemoveRoleMappingRoles, valid }
  describeCommand(of.schema, RoleMappingCommand, valid)
  describeIds(of)
  describeRoleKeys({ ...of, field: 'roleKeys' })
})

describe('RemoveRoleMapping', () => {
  const of = { schema: RemoveRoleMapping, valid: { type: 'RemoveRoleMapping', data: id } }
  describeCommand(of.schema, RoleMappingCommand, of.valid)
  describeIds(of)
})
