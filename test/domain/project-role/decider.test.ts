import { err, ok } from 'neverthrow'
import { describe, expect, it } from 'vitest'
import { fold } from '../../../src/domain/decider.js'
import { projectRole } from '../../../src/domain/project-role/aggregate.js'
import { given } from '../../../src/testing/index.js'
import {
  addEditor,
  author,
  authorAdded,
  editor,
  editorAdded,
  editorRemoved,
  id,
  patchEditor,
  removeEditor,
  updatedToAuthor,
  updateToAuthor,
} from './examples.js'

const object = { type: 'project_role', ...id }
const notFound = err({ kind: 'NotFound', object })
const alreadyExists = err({ kind: 'AlreadyExists', object })

const absent = { status: 'absent' } as const
const active = {
  status: 'active',
  since: 5,
  displayName: 'Editor',
  group: 'content',
  permissions: ['article.edit', 'article.read'],
} as const
const asAuthor = {
  status: 'active',
  since: 5,
  displayName: 'Author',
  group: 'text',
  permissions: ['article.read'],
}

describe('AddProjectRole', () => {
  it('adds a role that is not there', () => {
    expect(given(projectRole, []).when(addEditor)).toEqual(ok([editorAdded]))
  })

  it('adds a role again that was removed', () => {
    const past = [authorAdded, editorRemoved]
    expect(given(projectRole, past).when(addEditor)).toEqual(ok([editorAdded]))
  })

  it('refuses a key that is there, even with the same values', () => {
    expect(given(projectRole, [editorAdded]).when(addEditor)).toEqual(alreadyExists)
    expect(given(projectRole, [authorAdded]).when(addEditor)).toEqual(alreadyExists)
  })

  it('records permissions in the order of code points', () => {
    const permissions = ['b', 'a:b', 'Z', '0', 'a.b', 'a', 'a/b']
    const command = { type: 'AddProjectRole', data: { ...editor, permissions } } as const
    const sorted = ['0', 'Z', 'a', 'a.b', 'a/b', 'a:b', 'b']
    expect(given(projectRole, []).when(command)).toEqual(
      ok([{ type: 'project_role.added', data: { ...editor, permissions: sorted } }]),
    )
  })

  it('adds a role without permissions if they are absent', () => {
    for (const none of [{}, { permissions: undefined }]) {
      const data = { ...id, displayName: 'Editor', group: '', ...none }
      expect(given(projectRole, []).when({ type: 'AddProjectRole', data })).toEqual(
        ok([{ type: 'project_role.added', data: { ...data, permissions: [] } }]),
      )
    }
  })
})

describe('UpdateProjectRole', () => {
  it('replaces display name, group and permissions, and records all in full', () => {
    expect(given(projectRole, [editorAdded]).when(updateToAuthor)).toEqual(ok([updatedToAuthor]))
  })

  it.each([
    { displayName: 'Author', group: 'content' },
    { displayName: 'Editor', group: 'text' },
    { displayName: 'Editor', group: '' },
    { displayName: 'Editor', group: 'content', permissions: ['article.read'] },
  ])('sees a change of one field: $displayName, $group, $permissions', (shown) => {
    const data = { ...editor, ...shown }
    expect(given(projectRole, [editorAdded]).when({ type: 'UpdateProjectRole', data })).toEqual(
      ok([{ type: 'project_role.updated', data }]),
    )
  })

  it('records nothing when nothing changes', () => {
    const command = { type: 'UpdateProjectRole', data: editor } as const
    expect(given(projectRole, [editorAdded]).when(command)).toEqual(ok([]))
    const data = { ...editor, permissions: editor.permissions.toReversed() }
    expect(given(projectRole, [editorAdded]).when({ ...command, data })).toEqual(ok([]))
    const past = [editorAdded, updatedToAuthor]
    expect(given(projectRole, past).when(updateToAuthor)).toEqual(ok([]))
  })

  it('removes all permissions if they are absent', () => {
    const { permissions: _, ...data } = editor
    expect(given(projectRole, [editorAdded]).when({ type: 'UpdateProjectRole', data })).toEqual(
      ok([{ type: 'project_role.updated', data: { ...data, permissions: [] } }]),
    )
  })

  it('finds no role that never was or was removed', () => {
    expect(given(projectRole, []).when(updateToAuthor)).toEqual(notFound)
    expect(given(projectRole, [editorAdded, editorRemoved]).when(updateToAuthor)).toEqual(notFound)
  })
})

describe('PatchProjectRole', () => {
  it('replaces all that is given', () => {
    expect(given(projectRole, [editorAdded]).when(patchEditor)).toEqual(ok([updatedToAuthor]))
  })

  it.each([
    { displayName: 'Author' },
    { group: 'text' },
    { group: '' },
    { permissions: ['article.read'] },
    { permissions: [] },
  ])('keeps the rest: %o', (change) => {
    const command = { type: 'PatchProjectRole', data: { ...id, ...change } } as const
    expect(given(projectRole, [editorAdded]).when(command)).toEqual(
      ok([{ type: 'project_role.updated', data: { ...editor, ...change } }]),
    )
  })

  it('records nothing when nothing changes', () => {
    const command = { type: 'PatchProjectRole', data: id } as const
    expect(given(projectRole, [editorAdded]).when(command)).toEqual(ok([]))
  })

  it('finds no role that never was or was removed', () => {
    expect(given(projectRole, []).when(patchEditor)).toEqual(notFound)
    expect(given(projectRole, [editorAdded, editorRemoved]).when(patchEditor)).toEqual(notFound)
  })
})

describe('RemoveProjectRole', () => {
  it('removes a role', () => {
    expect(given(projectRole, [editorAdded]).when(removeEditor)).toEqual(ok([editorRemoved]))
  })

  it('removes a role that was added again', () => {
    const past = [editorAdded, editorRemoved, authorAdded]
    expect(given(projectRole, past).when(removeEditor)).toEqual(ok([editorRemoved]))
  })

  it('finds no role that never was or was removed', () => {
    expect(given(projectRole, []).when(removeEditor)).toEqual(notFound)
    expect(given(projectRole, [editorAdded, editorRemoved]).when(removeEditor)).toEqual(notFound)
  })
})

describe('evolve', () => {
  it('begins with a role that is absent', () => {
    expect(projectRole.initialState).toEqual(absent)
  })

  it.each([
    { from: absent, event: editorAdded, to: { ...active, since: 7 } },
    { from: active, event: authorAdded, to: asAuthor },
    { from: absent, event: updatedToAuthor, to: absent },
    { from: active, event: updatedToAuthor, to: asAuthor },
    { from: absent, event: editorRemoved, to: absent },
    { from: active, event: editorRemoved, to: absent },
  ])('makes $from.status $to.status by $event.type', ({ from, event, to }) => {
    expect(projectRole.evolve(from, event, 7)).toEqual(to)
  })

  it('keeps what a role shows, and not its names', () => {
    expect(
      Object.keys(projectRole.evolve(absent, { type: 'project_role.added', data: author }, 1)),
    ).toEqual(['status', 'since', 'displayName', 'group', 'permissions'])
  })

  it('begins a generation with each event that adds a role that is absent', () => {
    const past = [editorAdded, updatedToAuthor, editorRemoved, authorAdded, updatedToAuthor]
    expect(fold(projectRole, past.slice(0, 2))).toMatchObject({ since: 1 })
    expect(fold(projectRole, past)).toMatchObject({ since: 4 })
  })
})
