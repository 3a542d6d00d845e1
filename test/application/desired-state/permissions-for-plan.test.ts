import { expect, test } from 'vitest'
import {
  permissionsToApply,
  permissionsToApplyPlan,
  permissionsToPlan,
} from '../../../src/application/desired-state/permissions-for-plan.js'

const portal = { type: 'project', id: 'portal' }
const google = { type: 'identity_provider', id: 'google' }
const desired = {
  projects: [{ id: 'portal', roles: [] }, { id: 'shop' }],
  identityProviders: [{ idpId: 'google' }],
}

test('to plan, what is declared must be readable, each for its own object', () => {
  expect(permissionsToPlan(desired)).toEqual([
    { permission: 'project.read', object: portal },
    { permission: 'project.read', object: { type: 'project', id: 'shop' } },
    { permission: 'project.role.read', object: portal },
    { permission: 'identity_provider.read', object: google },
  ])
})

test('roles that are no list must be readable all the same', () => {
  expect(permissionsToPlan({ projects: [{ id: 'portal', roles: 'all' }] })).toEqual([
    { permission: 'project.read', object: portal },
    { permission: 'project.role.read', object: portal },
  ])
})

test('to apply, it must be writable as well', () => {
  const asked = permissionsToApply(desired).map(({ permission, object }) => [
    permission,
    object?.id,
  ])
  expect(asked).toEqual([
    ['project.read', 'portal'],
    ['project.write', 'portal'],
    ['project.read', 'shop'],
    ['project.write', 'shop'],
    ['project.role.read', 'portal'],
    ['project.role.write', 'portal'],
    ['identity_provider.read', 'google'],
    ['identity_provider.write', 'google'],
  ])
})

test('of a plan, each object is asked for once, roles as their project', () => {
  const role = (roleKey: string) => ({
    object: { type: 'project_role', projectId: 'portal', roleKey },
  })
  expect(permissionsToApplyPlan({ changes: [role('editor'), role('viewer')] })).toEqual([
    { permission: 'project.role.read', object: portal },
    { permission: 'project.role.write', object: portal },
  ])
})

test.each([
  ['a project without a proper id', { projects: [{ id: '+' }] }],
  ['a project that is none', { projects: [null] }],
  ['projects that are no list', { projects: 5 }],
  ['more projects than may be declared', { projects: Array(1001).fill({ id: 'portal' }) }],
])('%s is asked for as all of the organization', (_, input) => {
  expect(permissionsToPlan(input)).toEqual([{ permission: 'project.read' }])
})

test('as many as may be declared are asked for one by one, and the changes of a plan however many', () => {
  const ids = Array.from({ length: 1001 }, (_, index) => `p${index}`)
  const projects = ids.map((id) => ({ id }))
  expect(permissionsToPlan({ projects: projects.slice(1) })).toHaveLength(1000)
  const changes = ids.map((id) => ({ object: { type: 'project', id } }))
  expect(permissionsToApplyPlan({ changes })).toHaveLength(2002)
})

test('a plan that says nothing proper of an object needs every permission', () => {
  expect(permissionsToApplyPlan({ changes: [{}] }).map(({ permission }) => permission)).toEqual([
    'project.read',
    'project.write',
    'project.role.read',
    'project.role.write',
    'identity_provider.read',
    'identity_provider.write',
  ])
})

test.each([undefined, null, 'text', {}])('nothing is asked for what declares nothing', (input) => {
  expect(permissionsToApply(input)).toEqual([])
})
