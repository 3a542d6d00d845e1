import { describe } from 'vitest'
import {
  AddProject,
  DeactivateProject,
  PatchProject,
  ProjectCommand,
  ReactivateProject,
  RemoveProject,
  UpdateProject,
} from '../../../src/domain/project/command-schemas.js'
import { describeCommand, itMayBeLeftOut } from '../command-laws.js'
import { describeChoice, describeFlag, describeId } from '../field-laws.js'
import { describeRequiredText } from '../text-laws.js'
import {
  addPortal,
  deactivatePortal,
  patchPortal,
  reactivatePortal,
  removePortal,
  updateToGateway,
} from './examples.js'

describe.each([
  { schema: AddProject, valid: addPortal },
  { schema: UpdateProject, valid: updateToGateway },
])('$valid.type', ({ schema, valid }) => {
  describeCommand(schema, ProjectCommand, valid)
  describeId({ schema, valid, field: 'id' })
  describeRequiredText({ schema, valid, field: 'name' })
  describeFlag({ schema, valid, field: 'projectRoleAssertion' })
  describeFlag({ schema, valid, field: 'projectRoleCheck' })
  describeFlag({ schema, valid, field: 'hasProjectCheck' })
  describeChoice({ schema, valid, field: 'privateLabelingSetting' }, [
    'PRIVATE_LABELING_SETTING_UNSPECIFIED',
    'PRIVATE_LABELING_SETTING_ENFORCE_PROJECT_RESOURCE_OWNER_POLICY',
    'PRIVATE_LABELING_SETTING_ALLOW_LOGIN_USER_RESOURCE_OWNER_POLICY',
  ])
})

describe.each([
  { schema: DeactivateProject, valid: deactivatePortal },
  { schema: ReactivateProject, valid: reactivatePortal },
  { schema: RemoveProject, valid: removePortal },
])('$valid.type', ({ schema, valid }) => {
  describeCommand(schema, ProjectCommand, valid)
  describeId({ schema, valid, field: 'id' })
})

describe('PatchProject', () => {
  describeCommand(PatchProject, ProjectCommand, patchPortal)
  describeId({ schema: PatchProject, valid: patchPortal, field: 'id' })
  itMayBeLeftOut(PatchProject, patchPortal, [
    'name',
    'projectRoleAssertion',
    'projectRoleCheck',
    'hasProjectCheck',
    'privateLabelingSetting',
  ])
})
