import { describe, expect, test } from 'vitest'
import { projectGrants } from '../../../src/domain/project-grant/aggregate.js'
import type { ProjectGrantEvent } from '../../../src/domain/project-grant/events.js'
import { factAfter, viewsOf } from '../shown.js'
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

const projectGrantView = viewsOf('project_grant', added, deactivated)

const active = { ...id, projectOrgId: 'acme', roleKeys: ['editor'], state: 'active' } as const
const inactive = { ...active, state: 'inactive' } as const
const bothRoles = { roleKeys: ['editor', 'viewer'] }

describe('The view of a grant of a project', () => {
  test('is active at first, with the roles that were added and the owner of the project.', () => {
    expect(projectGrantView(undefined, added)).toEqual(active)
  })

  test.each([
    ['has the roles that it was updated to', active, widened, { ...active, ...bothRoles }],
    ['stays inactive when updated', inactive, widened, { ...inactive, ...bothRoles }],
    ['is inactive once deactivated', active, deactivated, inactive],
    ['is active again once reactivated', inactive, reactivated, active],
    ['is active again once added over', inactive, added, active],
    ['ends with the removal', active, removed, undefined],
  ] as const)('%s.', (_, view, event, after) => {
    expect(projectGrantView(view, event)).toEqual(after)
  })

  test.each<[string, ProjectGrantEvent]>(
    [widened, deactivated, reactivated, removed].map((event) => [event.type, event]),
  )('does not come to be by %s.', (_, event) => {
    expect(projectGrantView(undefined, event)).toBeUndefined()
  })

  test('has its fields in one order, independent of the event.', () => {
    const data = Object.fromEntries(Object.entries(editorOnly).toReversed()) as typeof editorOnly
    const view = projectGrantView(undefined, { type: 'project_grant.added', data })
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
  test('says as a fact which roles the organization may give, and since when.', () => {
    const fact = { in: 'project_grant', projectOrgId: 'acme', projectId: 'portal', orgId: 'globex' }
    const since = (roles: readonly object[], version: number) =>
      roles.map((role) => ({ ...role, since: version }))
    const rolesIn = ({ data }: ProjectGrantEvent) => ('roles' in data ? data.roles : [])
    const [editor, viewer] = rolesIn(widened)
    expect(factAfter('project_grant', [added])).toEqual({
      ...fact,
      state: 'active',
      roles: since(rolesIn(added), 1),
    })
    expect(factAfter('project_grant', [added, deactivated, widened])).toEqual({
      ...fact,
      state: 'inactive',
      roles: [...since(editor ? [editor] : [], 1), ...since(viewer ? [viewer] : [], 3)],
    })
    expect(factAfter('project_grant', [added, narrowed])).toEqual(
      factAfter('project_grant', [added]),
    )
  })

  test('is found again by its key and its project.', () => {
    const ref = { type: 'project_grant', ...id }
    expect(projectGrants.refOfKey(projectGrants.key(id, 'acme'), 'portal')).toEqual(ref)
  })
})
