import { describe, expect, test } from 'vitest'
import { viewsOf } from '../shown.js'
import { author, editor, editorAdded, editorRemoved, updatedToAuthor } from './examples.js'

const projectRoleView = viewsOf('project_role', editorAdded)

const active = { ...editor, state: 'active' } as const

describe('The view of a role', () => {
  test('is active at first, with the fields that were added.', () => {
    expect(projectRoleView(undefined, editorAdded)).toEqual(active)
  })

  test.each([
    ['has what it was updated to', updatedToAuthor, { ...author, state: 'active' }],
    ['ends with the removal', editorRemoved, undefined],
  ] as const)('%s.', (_, event, after) => {
    expect(projectRoleView(active, event)).toEqual(after)
  })

  test.each([updatedToAuthor, editorRemoved])('does not come to be by $type.', (event) => {
    expect(projectRoleView(undefined, event)).toBeUndefined()
  })

  test('has its fields in one order, independent of the event.', () => {
    const data = Object.fromEntries(Object.entries(editor).toReversed()) as typeof editor
    const view = projectRoleView(undefined, { type: 'project_role.added', data })
    expect(Object.keys(view ?? {})).toEqual([...Object.keys(editor), 'state'])
  })
})
