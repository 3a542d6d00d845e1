import { describe, expect, it } from 'vitest'
import {
  AddUserGrant,
  AddUserGrantRoles,
  DeactivateUserGrant,
  ReactivateUserGrant,
  RemoveUserGrant,
  RemoveUserGrantRoles,
  UpdateUserGrant,
  UserGrantCommand,
} from '../../../src/domain/user-grant/command-schemas.js'
import { describeCommand } from '../command-laws.js'
import { describeId } from '../field-laws.js'
import { describeGrantedRoles, describeRoleKeys } from '../granted-role-laws.js'
import { objections, withField } from '../objections.js'
import { describeRequiredText } from '../text-laws.js'
import {
  addGrant,
  addViewer,
  deactivate,
  newYear,
  reactivate,
  remove,
  role,
  takeEditor,
  updateToBoth,
} from './examples.js'

const describeIds = (of: Pick<Parameters<typeof describeId>[0], 'schema' | 'valid'>) => {
  describeRequiredText({ ...of, field: 'userId' })
  describeId({ ...of, field: 'projectOrgId' })
  describeId({ ...of, field: 'projectId' })
}

describe.each([
  { schema: AddUserGrant, valid: addGrant },
  { schema: UpdateUserGrant, valid: updateToBoth },
  { schema: AddUserGrantRoles, valid: addViewer },
])('$valid.type', ({ schema, valid }) => {
  describeCommand(schema, UserGrantCommand, valid)
  describeIds({ schema, valid })
  describeGrantedRoles({ schema, valid, field: 'roles' }, role)

  const objectionsTo = (role: object) => objections(schema, withField(valid, 'roles', [role]))

  it('keeps times with milliseconds in UTC', () => {
    for (const expiresAt of [newYear, '0001-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z'])
      expect(objectionsTo(role('editor', expiresAt))).toEqual([])
  })

  it.each([
    '',
    '2027-01-01',
    '2027-01-01T00:00:00Z',
    '2027-01-01T00:00:00.000',
    '2027-01-01T00:00:00.000+00:00',
    '2027-02-30T00:00:00.000Z',
    'never',
    0,
    null,
    new Date(newYear),
  ])('refuses an end in any other form: %j', (expiresAt) => {
    expect(objectionsTo({ ...role('editor'), expiresAt })).toEqual([
      expect.stringMatching('^data.roles.0.expiresAt: '),
    ])
  })

  it('accepts a role of the own organization, which has no generation in a grant', () => {
    const { grantSince: _, ...own } = role('editor')
    expect(objectionsTo(own)).toEqual([])
    for (const grantSince of ['1', 1.5, null])
      expect(objectionsTo({ ...own, grantSince })).toHaveLength(1)
  })
})

describe('RemoveUserGrantRoles', () => {
  const of = { schema: RemoveUserGrantRoles, valid: takeEditor }
  describeCommand(of.schema, UserGrantCommand, of.valid)
  describeIds(of)
  describeRoleKeys({ ...of, field: 'roleKeys' })
})

describe.each([
  { schema: DeactivateUserGrant, valid: deactivate },
  { schema: ReactivateUserGrant, valid: reactivate },
  { schema: RemoveUserGrant, valid: remove },
])('$valid.type', ({ schema, valid }) => {
  describeCommand(schema, UserGrantCommand, valid)
  describeIds({ schema, valid })
})
