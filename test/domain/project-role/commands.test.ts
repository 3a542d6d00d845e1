import { describe } from 'vitest'
import {
  AddProjectRole,
  PatchProjectRole,
  ProjectRoleCommand,
  RemoveProjectRole,
  UpdateProjectRole,
} from '../../../src/domain/project-role/commands.js'
import { describeCommand, itMayBeLeftOut } from '../command-laws.js'
import { describeId } from '../field-laws.js'
import { describeOptionalText, describeRequiredText } from '../text-laws.js'
import { addEditor, patchEditor, removeEditor, updateToAuthor } from './examples.js'

describe.each([
  { schema: AddProjectRole, valid: addEditor },
  { schema: UpdateProjectRole, valid: updateToAuthor },
])('$valid.type', ({ schema, valid }) => {
  describeCommand(schema, ProjectRoleCommand, valid)
  describeId({ schema, valid, field: 'projectId' })
  describeRequiredText({ schema, valid, field: 'roleKey' })
  describeRequiredText({ schema, valid, field: 'displayName' })
  describeOptionalText({ schema, valid, field: 'group' }, '')
})

describe('PatchProjectRole', () => {
  const of = { schema: PatchProjectRole, valid: patchEditor }
  describeCommand(of.schema, ProjectRoleCommand, of.valid)
  describeId({ ...of, field: 'projectId' })
  describeRequiredText({ ...of, field: 'roleKey' })
  itMayBeLeftOut(of.schema, of.valid, ['displayName', 'group'])
})

describe('RemoveProjectRole', () => {
  const of = { schema: RemoveProjectRole, valid: removeEditor }
  describeCommand(of.schema, ProjectRoleCommand, of.valid)
  describeId({ ...of, field: 'projectId' })
  describeRequiredText({ ...of, field: 'roleKey' })
})
