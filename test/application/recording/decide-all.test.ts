import { err, ok } from 'neverthrow'
import { expect, test } from 'vitest'
import { decideAll } from '../../../src/application/recording/decide-all.js'
import { projectRole } from '../../../src/domain/project-role/decider.js'
import { ProjectId, RoleKey } from '../../../src/domain/values.js'

const role = { projectId: ProjectId.parse('portal'), roleKey: RoleKey.parse('editor') }
const shown = { ...role, displayName: 'Editor', group: '' }
const add = { type: 'AddProjectRole', data: shown } as const
const remove = { type: 'RemoveProjectRole', data: role } as const

test('each command is decided on what those before it lead to', () => {
  expect(decideAll(projectRole, [add, remove, add], projectRole.initialState)).toEqual(
    ok([
      { type: 'project_role.added', data: shown },
      { type: 'project_role.removed', data: role },
      { type: 'project_role.added', data: shown },
    ]),
  )
})

test('when one command is refused, nothing happens', () => {
  const object = { type: 'project_role', ...role }
  expect(decideAll(projectRole, [add, add], projectRole.initialState)).toEqual(
    err({ kind: 'AlreadyExists', object }),
  )
})
