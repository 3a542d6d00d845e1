import { err, ok } from 'neverthrow'
import { describe, expect, test } from 'vitest'
import { roleMapping, roleMappings } from '../../../src/domain/role-mapping/aggregate.js'
import type { RoleMappingCommand } from '../../../src/domain/role-mapping/command-schemas.js'
import type { RoleMappingEvent } from '../../../src/domain/role-mapping/events.js'
import { RoleKey } from '../../../src/domain/values.js'
import { given } from '../../../src/testing/index.js'
import { factAfter, viewsOf } from '../shown.js'
import { added, editor, id, removed, updatedToBoth, viewer } from './examples.js'

const roleMappingView = viewsOf('role_mapping', added, undefined, 'globex')

const ref = { type: 'role_mapping', ...id } as const
const decide = (past: readonly RoleMappingEvent[], command: RoleMappingCommand) =>
  given(roleMapping, past).when(command)

const bothFor24Hours = { ...updatedToBoth.data, validFor: 24 }

describe('A mapping', () => {
  const add = { type: 'AddRoleMapping', data: added.data } as const
  const update = { type: 'UpdateRoleMapping', data: updatedToBoth.data } as const

  test('is added once.', () => {
    expect(decide([], add)).toEqual(ok([added]))
    expect(decide([added, removed], add)).toEqual(ok([added]))
    expect(decide([added], add)).toEqual(err({ kind: 'AlreadyExists', object: ref }))
  })

  test('begins anew when all its roles have ended.', () => {
    const state = { status: 'active', roles: [], validFor: 24 } as const
    expect(roleMapping.decide(add, state)).toEqual(ok([removed, added]))
  })

  test('is replaced with its roles and the time that a report counts.', () => {
    expect(decide([added], update)).toEqual(ok([updatedToBoth]))
    expect(decide([updatedToBoth, added, updatedToBoth], update)).toEqual(ok([]))
    const turned = { ...updatedToBoth.data, roles: [viewer, editor] }
    expect(decide([added, updatedToBoth], { ...update, data: turned })).toEqual(ok([]))
    const longer = { ...added.data, validFor: 48 }
    expect(decide([added], { ...update, data: longer })).toEqual(
      ok([{ type: 'role_mapping.updated', data: longer }]),
    )
    const other = {
      ...updatedToBoth.data,
      roles: [editor, { ...viewer, roleKey: RoleKey.parse('owner') }],
    }
    expect(decide([added, updatedToBoth], { ...update, data: other })).toEqual(
      ok([{ type: 'role_mapping.updated', data: other }]),
    )
  })

  test('gains roles, and keeps the time that a report counts.', () => {
    const command = { type: 'AddRoleMappingRoles', data: { ...id, roles: [viewer] } } as const
    expect(decide([added], command)).toEqual(
      ok([{ type: 'role_mapping.updated', data: bothFor24Hours }]),
    )
    expect(decide([added, updatedToBoth], command)).toEqual(ok([]))
  })

  test('loses roles, and is removed with the last.', () => {
    const remove = (...roleKeys: readonly (typeof editor.roleKey)[]) =>
      ({ type: 'RemoveRoleMappingRoles', data: { ...id, roleKeys } }) as const
    expect(decide([added, updatedToBoth], remove(editor.roleKey))).toStrictEqual(
      ok([{ type: 'role_mapping.updated', data: { ...id, roles: [viewer] } }]),
    )
    expect(decide([added], remove(viewer.roleKey))).toEqual(ok([]))
    expect(decide([added], remove(editor.roleKey))).toEqual(ok([removed]))
  })

  test('stays when all its roles have ended and one of them is taken away.', () => {
    const data = { ...id, roleKeys: [editor.roleKey] }
    const state = { status: 'active', roles: [], validFor: 24 } as const
    expect(roleMapping.decide({ type: 'RemoveRoleMappingRoles', data }, state)).toEqual(ok([]))
  })

  test('is removed.', () => {
    expect(decide([added], { type: 'RemoveRoleMapping', data: id })).toEqual(ok([removed]))
  })

  test.each<RoleMappingCommand>([
    update,
    { type: 'AddRoleMappingRoles', data: { ...id, roles: [viewer] } },
    { type: 'RemoveRoleMappingRoles', data: { ...id, roleKeys: [viewer.roleKey] } },
    { type: 'RemoveRoleMapping', data: id },
  ])('that does not exist refuses $type.', (command) => {
    expect(decide([], command)).toEqual(err({ kind: 'NotFound', object: ref }))
  })

  test('is shown with what its last event has.', () => {
    const view = roleMappingView(undefined, added)
    expect(view).toEqual({ ...id, roleKeys: ['editor'], validFor: 24, state: 'active' })
    expect(roleMappingView(view, updatedToBoth)).toEqual({
      ...id,
      roleKeys: ['editor', 'viewer'],
      state: 'active',
    })
    expect(roleMappingView(undefined, updatedToBoth)).toBeUndefined()
    expect(roleMappingView(view, removed)).toBeUndefined()
    expect(Object.keys(roleMappingView(view, updatedToBoth) ?? {})).not.toContain('validFor')
  })

  test('says as a fact which roles its group holds, and how long a report counts.', () => {
    const { idpId, group, ...project } = id
    const fact = { in: 'held', ...project, orgId: 'globex', holder: { idpId, group } }
    expect(factAfter('role_mapping', [added], 'globex')).toEqual({
      ...fact,
      state: 'active',
      roles: added.data.roles,
      validFor: 24,
    })
    expect(factAfter('role_mapping', [added, removed], 'globex')).toBeUndefined()
  })

  test('is written by those who may write it, and read by those who may read its provider.', () => {
    const { projectOrgId: _, ...ofOwnProject } = id
    expect(roleMappings.target(id, 'globex')).toEqual({ type: 'identity_provider', id: 'google' })
    const target = { type: 'role_mapping', ...id }
    expect(roleMappings.writeTarget?.(id, 'globex')).toEqual(target)
    expect(roleMappings.writeTarget?.(ofOwnProject, 'globex')).toEqual({
      ...target,
      projectOrgId: 'globex',
    })
  })

  test('takes an update of what is absent for nothing.', () => {
    expect(roleMapping.evolve({ status: 'absent' }, updatedToBoth, 2)).toEqual({ status: 'absent' })
  })
})
