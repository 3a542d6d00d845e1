import { err, ok } from 'neverthrow'
import { describe, expect, it } from 'vitest'
import type { ProjectState } from '../../src/domain/project/aggregate.js'
import type { ProjectGrantState } from '../../src/domain/project-grant/aggregate.js'
import { isCurrent, type ProjectRoleState } from '../../src/domain/project-role/aggregate.js'
import {
  type AssignableProject,
  changedRoleKeys,
  isExpired,
  isStillGranted,
  rolesToGive,
} from '../../src/domain/role-generations.js'
import { ProjectId, RoleKey } from '../../src/domain/values.js'
import { PROJECT_DEFAULTS } from '../defaults.js'

const projectId = ProjectId.parse('portal')
const [editor, viewer] = [RoleKey.parse('editor'), RoleKey.parse('viewer')]

const absent = { status: 'absent' } as const
const project: ProjectState = {
  status: 'active',
  ...PROJECT_DEFAULTS,
  id: projectId,
  name: 'Portal',
}
const roleSince = (since: number): ProjectRoleState => ({
  status: 'active',
  since,
  displayName: 'Role',
  group: '',
  permissions: [],
})
const grant = (...roles: [roleKey: RoleKey, roleSince: number, since: number][]) =>
  ({
    status: 'active',
    roles: roles.map(([roleKey, since, inGrant]) => ({
      roleKey,
      roleSince: since,
      since: inGrant,
    })),
  }) satisfies ProjectGrantState

const own: AssignableProject = {
  projectId,
  project,
  projectGrant: undefined,
  roleState: (roleKey) => (roleKey === editor ? roleSince(3) : absent),
}

const noProject = err({ kind: 'NotFound', object: { type: 'project', id: projectId } })
const noRole = (roleKey: RoleKey) =>
  err({ kind: 'NotFound', object: { type: 'project_role', projectId, roleKey } })

describe('rolesToGive', () => {
  it('gives the current generation of a role of an own project, and its end', () => {
    const expiresAt = new Date('2030-01-01T00:00:00Z')
    expect(rolesToGive(own, [{ roleKey: editor }])).toEqual(ok([{ roleKey: editor, roleSince: 3 }]))
    expect(rolesToGive(own, [{ roleKey: editor, expiresAt }])).toEqual(
      ok([{ roleKey: editor, roleSince: 3, expiresAt: '2030-01-01T00:00:00.000Z' }]),
    )
  })

  it('gives a role of another organization as the project is granted', () => {
    const granted = { ...own, projectGrant: grant([viewer, 1, 2], [editor, 3, 5]) }
    expect(rolesToGive(granted, [{ roleKey: editor }])).toEqual(
      ok([{ roleKey: editor, roleSince: 3, grantSince: 5 }]),
    )
  })

  it('gives neither a role that was added again since it was granted, nor one that was not granted', () => {
    for (const projectGrant of [grant([editor, 1, 2]), grant([viewer, 3, 2])])
      expect(rolesToGive({ ...own, projectGrant }, [{ roleKey: editor }])).toEqual(noRole(editor))
  })

  it('refuses with the first role that does not exist', () => {
    const inputs = [{ roleKey: editor }, { roleKey: viewer }, { roleKey: RoleKey.parse('other') }]
    expect(rolesToGive(own, inputs)).toEqual(noRole(viewer))
  })

  it('refuses a project that does not exist, or is not granted, before its roles', () => {
    const inputs = [{ roleKey: viewer }]
    expect(rolesToGive({ ...own, project: absent }, inputs)).toEqual(noProject)
    expect(rolesToGive({ ...own, projectGrant: absent }, inputs)).toEqual(noProject)
  })
})

describe('isCurrent', () => {
  it('holds for a role that exists since the recorded version', () => {
    expect(isCurrent({ roleSince: 3 }, roleSince(3))).toBe(true)
    expect(isCurrent({ roleSince: 1 }, roleSince(3))).toBe(false)
    expect(isCurrent({ roleSince: 3 }, absent)).toBe(false)
  })
})

describe('isStillGranted', () => {
  const given = { roleKey: editor, roleSince: 3, grantSince: 5 }

  it('holds while the grant of the project has the role since the recorded version', () => {
    expect(isStillGranted(given, grant([viewer, 1, 2], [editor, 3, 5]))).toBe(true)
    expect(isStillGranted(given, grant([editor, 3, 7]))).toBe(false)
    expect(isStillGranted(given, grant([viewer, 3, 5]))).toBe(false)
    expect(isStillGranted(given, absent)).toBe(false)
  })

  it('holds for every role of an own project', () => {
    expect(isStillGranted({ roleKey: editor, roleSince: 3 }, undefined)).toBe(true)
  })
})

describe('What has an end', () => {
  const now = new Date('2026-01-31T12:00:00Z')
  it('has ended from that moment on', () => {
    expect(isExpired({}, now)).toBe(false)
    expect(isExpired({ expiresAt: new Date(now.getTime() + 1) }, now)).toBe(false)
    expect(isExpired({ expiresAt: now }, now)).toBe(true)
    expect(isExpired({ expiresAt: new Date(now.getTime() - 1) }, now)).toBe(true)
  })
})

describe('A change of a grant', () => {
  const role = (key: string, fields: object = {}) => ({
    roleKey: RoleKey.parse(key),
    roleSince: 1,
    ...fields,
  })
  const mapping = (roles: readonly ReturnType<typeof role>[], validFor?: number) =>
    ({ status: 'active', roles, validFor }) as const
  const before = mapping([role('a'), role('b')])

  it('is about the roles that it adds, removes or gives in another generation or until another time', () => {
    expect(changedRoleKeys(before, mapping([role('a'), role('c')]))).toEqual(['b', 'c'])
    expect(changedRoleKeys(before, mapping([role('b'), role('a')]))).toEqual([])
    for (const other of [
      { roleSince: 2 },
      { grantSince: 1 },
      { expiresAt: '2027-01-01T00:00:00Z' },
    ])
      expect(changedRoleKeys(before, mapping([role('a', other), role('b')]))).toEqual(['a'])
  })

  it('is about all roles when the grant begins or ends, or its reports count for another time', () => {
    expect(changedRoleKeys(absent, before)).toEqual(['a', 'b'])
    expect(changedRoleKeys(before, absent)).toEqual(['a', 'b'])
    expect(changedRoleKeys(before, mapping([role('a'), role('c')], 24))).toEqual(['a', 'b', 'c'])
    expect(changedRoleKeys(absent, absent)).toEqual([])
    const given = grant([editor, 1, 2], [viewer, 1, 2])
    expect(changedRoleKeys(given, { ...given, status: 'inactive' })).toEqual([editor, viewer])
  })
})
