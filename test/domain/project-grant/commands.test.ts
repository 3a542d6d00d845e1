import { describe } from 'vitest'
import {
  AddProjectGrant,
  DeactivateProjectGrant,
  ProjectGrantCommand,
  ReactivateProjectGrant,
  RemoveProjectGrant,
  UpdateProjectGrant,
} from '../../../src/domain/project-grant/command-schemas.js'
import { describeCommand } from '../command-laws.js'
import { describeId } from '../field-laws.js'
import { describeGrantedRoles } from '../granted-role-laws.js'
import { addGrant, deactivate, reactivate, remove, role, widen } from './examples.js'

describe.each([
  { schema: AddProjectGrant, valid: addGrant },
  { schema: UpdateProjectGrant, valid: widen },
])('$valid.type', ({ schema, valid }) => {
  describeCommand(schema, ProjectGrantCommand, valid)
  describeId({ schema, valid, field: 'projectId' })
  describeId({ schema, valid, field: 'grantedOrgId' })
  describeGrantedRoles({ schema, valid, field: 'roles' }, role)
})

describe.each([
  { schema: DeactivateProjectGrant, valid: deactivate },
  { schema: ReactivateProjectGrant, valid: reactivate },
  { schema: RemoveProjectGrant, valid: remove },
])('$valid.type', ({ schema, valid }) => {
  describeCommand(schema, ProjectGrantCommand, valid)
  describeId({ schema, valid, field: 'projectId' })
  describeId({ schema, valid, field: 'grantedOrgId' })
})
