import { describe, expect, it } from 'vitest'
import type * as z from 'zod/mini'
import {
  AddProjectRole,
  PatchProjectRole,
  ProjectRoleCommand,
  RemoveProjectRole,
  UpdateProjectRole,
} from '../../../src/domain/project-role/command-schemas.js'
import { describeCommand, itMayBeLeftOut } from '../command-laws.js'
import { describeId } from '../field-laws.js'
import { type Input, objections, withField } from '../objections.js'
import { describeOptionalText, describeRequiredText } from '../text-laws.js'
import { addEditor, patchEditor, removeEditor, updateToAuthor } from './examples.js'

const describePermissions = (schema: z.ZodMiniType, valid: Input): void => {
  const objectionsTo = (value: unknown) =>
    objections(schema, withField(valid, 'permissions', value))

  describe('permissions', () => {
    itMayBeLeftOut(schema, valid, ['permissions'])

    it('are up to 200 names of 1 to 100 characters', () => {
      const names = Array.from({ length: 199 }, (_, index) => `invoice:approve/${index}`)
      for (const permissions of [[], ['a'], ['0'], [...names, 'A._:/-'.padEnd(100, 'z')]])
        expect(objectionsTo(permissions)).toEqual([])
    })

    it('are refused item by item', () => {
      const malformed =
        '1 to 100 letters, digits or any of . _ : / -, starting with a letter or digit'
      for (const name of ['', '.a', '-a', ' a', 'a b', 'a*', 'ä', 'a+b', 'a\n', 'a'.repeat(101)])
        expect(objectionsTo(['good', name])).toEqual([`data.permissions.1: must be ${malformed}`])
      for (const name of [null, 1, ['a'], {}])
        expect(objectionsTo([name])).toEqual([`data.permissions.0: must be ${malformed}`])
      expect(objectionsTo([undefined])).toEqual(['data.permissions.0: is required'])
      expect(objectionsTo(['a', 'b', 'a'])).toEqual(['data.permissions.2: must not appear twice'])
    })

    it('are refused when they are too many or no list', () => {
      const names = Array.from({ length: 201 }, (_, index) => `p${index}`)
      expect(objectionsTo(names)).toEqual(['data.permissions: must have at most 200 items'])
      for (const value of [null, 'a', 1, {}, { length: 0 }])
        expect(objectionsTo(value)).toEqual(['data.permissions: must be a list'])
    })
  })
}

describe.each([
  { schema: AddProjectRole, valid: addEditor },
  { schema: UpdateProjectRole, valid: updateToAuthor },
])('$valid.type', ({ schema, valid }) => {
  describeCommand(schema, ProjectRoleCommand, valid)
  describeId({ schema, valid, field: 'projectId' })
  describeRequiredText({ schema, valid, field: 'roleKey' })
  describeRequiredText({ schema, valid, field: 'displayName' })
  describeOptionalText({ schema, valid, field: 'group' }, '')
  describePermissions(schema, valid)
})

describe('PatchProjectRole', () => {
  const of = { schema: PatchProjectRole, valid: patchEditor }
  describeCommand(of.schema, ProjectRoleCommand, of.valid)
  describeId({ ...of, field: 'projectId' })
  describeRequiredText({ ...of, field: 'roleKey' })
  itMayBeLeftOut(of.schema, of.valid, ['displayName', 'group'])
  describePermissions(of.schema, of.valid)
})

describe('RemoveProjectRole', () => {
  const of = { schema: RemoveProjectRole, valid: removeEditor }
  describeCommand(of.schema, ProjectRoleCommand, of.valid)
  describeId({ ...of, field: 'projectId' })
  describeRequiredText({ ...of, field: 'roleKey' })
})

describe.each([
  { schema: AddProjectRole, valid: addEditor },
  { schema: UpdateProjectRole, valid: updateToAuthor },
])('Permissions of $valid.type', ({ schema, valid }) => {
  it('are read as absent when there are none, so that a repeat may leave them out', () => {
    const read = (permissions: readonly string[]) =>
      schema.parse(withField(valid, 'permissions', permissions)).data.permissions
    expect([read([]), read(['a'])]).toEqual([undefined, ['a']])
  })
})
