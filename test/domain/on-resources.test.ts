import { describe, expect, it } from 'vitest'
import { identityProviders } from '../../src/domain/identity-provider/aggregate.js'
import { projectGrants } from '../../src/domain/project-grant/aggregate.js'
import { projectRoles } from '../../src/domain/project-role/aggregate.js'
import { roleMappings } from '../../src/domain/role-mapping/aggregate.js'
import { userGrants } from '../../src/domain/user-grant/aggregate.js'
import {
  GroupName,
  IdpId,
  OrgId,
  ProjectId,
  Resource,
  RoleKey,
  UserId,
} from '../../src/domain/values.js'

const inPortal = { projectId: ProjectId.parse('portal'), projectOrgId: OrgId.parse('acme') }
const ada = { userId: UserId.parse('ada'), ...inPortal }
const admins = { idpId: IdpId.parse('okta'), group: GroupName.parse('admins'), ...inPortal }
const on = { resource: Resource.parse('workspace:42') }
const active = { status: 'active', roles: [] } as const

describe('What gives roles on a resource', () => {
  it('is shown with it, and for the whole project without one', () => {
    expect(userGrants.show(active, { ...ada, ...on }, 'acme')).toMatchObject(on)
    expect(userGrants.show(active, ada, 'acme')).not.toHaveProperty('resource')
    const mapping = { ...active, validFor: undefined }
    expect(roleMappings.show(mapping, { ...admins, ...on }, 'acme')).toMatchObject(on)
    expect(roleMappings.show(mapping, admins, 'acme')).not.toHaveProperty('resource')
  })

  it('is what authorize is asked about', () => {
    const mapping = { type: 'role_mapping', ...admins }
    expect(roleMappings.writeTarget?.({ ...admins, ...on }, 'acme')).toEqual({ ...mapping, ...on })
    expect(roleMappings.writeTarget?.(admins, 'acme')).toStrictEqual(mapping)
    const project = { type: 'project', id: 'portal' }
    expect(userGrants.target({ ...ada, ...on }, 'acme')).toEqual({ ...project, ...on })
    expect(userGrants.target(ada, 'acme')).toStrictEqual(project)
    const granted = { type: 'granted_project', id: 'portal', orgId: 'acme' }
    expect(userGrants.target({ ...ada, ...on }, 'globex')).toEqual({ ...granted, ...on })
    expect(userGrants.target(ada, 'globex')).toStrictEqual(granted)
  })
})

it('gives a role as the fact that is asked for when access is judged', () => {
  const roleKey = RoleKey.parse('editor')
  const state = {
    status: 'active',
    since: 3,
    displayName: 'Editor',
    group: '',
    permissions: [],
  } as const
  const { projectId } = inPortal
  expect(projectRoles.fact(state, { projectId, roleKey }, 'acme')).toEqual({
    ...{ in: 'role', projectOrgId: 'acme', projectId, roleKey, since: 3, permissions: [] },
  })
})

it.each([
  ['project grants', projectGrants.fields.roleKey],
  ['role mappings', roleMappings.fields.roleKey],
  ['user grants', userGrants.fields.roleKey],
  ['project roles', projectRoles.fields.permission],
])('finds %s by what they give', (_, field) => {
  expect(field).toMatchObject({ filterable: true })
})

it.each([
  ['a mapping', 'a time', roleMappings.fields.validFor, 'number'],
  ['a role', 'permissions', projectRoles.fields.permissions, 'list'],
  ['a provider', 'settings of its sign-in', identityProviders.fields.signIn, 'settings'],
])('knows that %s may be without %s', (_, __, field, holds) => {
  expect(field).toEqual({ holds, isOptional: true })
})
