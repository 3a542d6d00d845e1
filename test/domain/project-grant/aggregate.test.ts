import { describe, expect, test } from 'vitest'
import { projectGrants, projectGrantView } from '../../../src/domain/project-grant/aggregate.js'
import type { ProjectGrantEvent } from '../../../src/domain/project-grant/events.js'
import {
  added,
  deactivated,
  editorOnly,
  id,
  narrowed,
  reactivated,
  removed,
  widened,
} from './examples.js'

const active = { ...id, projectOrgId: 'acme', roleKeys: ['editor'], state: 'active' } as const
const inactive = { ...active, state: 'inactive' } as const
const bothRoles = { roleKeys: ['editor', 'viewer'] }

describe('The view of a grant of a project', () => {
  test('is active at first, with the roles that were added and the owner of the project.', () => {
    expect(projectGrantView(undefined, added, 'acme')).toEqual(active)
  })

  test.each([
    ['has the roles that it was updated to', active, widened, { ...active, ...bothRoles }],
    ['stays inactive when updated', inactive, widened, { ...inactive, ...bothRoles }],
    ['is inactive once deactivated', active, deactivated, inactive],
    ['is active again once reactivated', inactive, reactivated, active],
    ['is active again once added over', inactive, added, active],
    ['ends with the removal', active, removed, undefined],
  ] as const)('%s.', (_, view, event, after) => {
    expect(projectGrantView(view, event, 'acme')).toEqual(after)
  })

  test.each<[string, ProjectGrantEvent]>(
    [widened, deactivated, reactivated, removed].map((event) => [event.type, event]),
  )('does not come to be by %s.', (_, event) => {
    expect(projectGrantView(undefined, event, 'acme')).toBeUndefined()
  })

  test('has its fields in one order, independent of the event.', () => {
    const data = Object.fromEntries(Object.entries(editorOnly).toReversed()) as typeof editorOnly
    const view = projectGrantView(undefined, { type: 'project_grant.added', data }, 'acme')
    expect(Object.keys(view ?? {})).toEqual([
      'projectId',
      'projectOrgId',
      'grantedOrgId',
      'roleKeys',
      'state',
    ])
  })
})

describe('A grant of a project', () => {
  test('has the assignments in its scope that organization and the users of it have of the project.', () => {
    const range = { projectOrgId: 'acme', projectId: 'portal', orgId: 'globex' }
    expect(projectGrants.assignments.assignmentScope(editorOnly, 'acme')).toStrictEqual(range)
  })

  test('assigns the roles of the events that replace them, and of no others.', () => {
    const { rolesIn } = projectGrants.assignments.assigns
    expect(rolesIn(added)).toStrictEqual([{ roleKey: 'editor' }])
    expect(rolesIn(widened)).toStrictEqual([{ roleKey: 'editor' }, { roleKey: 'viewer' }])
    expect(rolesIn(narrowed)).toStrictEqual([{ roleKey: 'editor' }])
    for (const event of [deactivated, reactivated, removed]) expect(rolesIn(event)).toBeUndefined()
  })

  test('is shown with some of its roles, and all else as it is.', () => {
    const { rolesOf, withRoles } = projectGrants.assignments.assigns
    const view = { ...inactive, ...bothRoles }
    expect(rolesOf(view)).toStrictEqual([{ roleKey: 'editor' }, { roleKey: 'viewer' }])
    expect(withRoles(view, [{ roleKey: 'viewer' }])).toEqual({ ...view, roleKeys: ['viewer'] })
  })

  test('is found again by its key and its project.', () => {
    const ref = { type: 'project_grant', ...id }
    expect(projectGrants.refOfKey(projectGrants.key(id, 'acme'), 'portal')).toEqual(ref)
  })
})
