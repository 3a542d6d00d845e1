import { expect, test } from 'vitest'
import {
  permissionsToApply,
  permissionsToApplyPlan,
  permissionsToPlan,
} from '../../../src/application/desired-state/permissions-for-plan.js'
import { createIam, memoryEventStore } from '../../../src/index.js'
import { cipher, context, instanceOn, refused, without } from './organization.js'

const portal = { type: 'project', id: 'portal' }
const google = { type: 'identity_provider', id: 'google' }
const desired = {
  projects: [{ id: 'portal', roles: [] }, { id: 'shop' }],
  identityProviders: [{ idpId: 'google' }],
}

test('a plan requires read permission for each declared object', () => {
  expect(permissionsToPlan(desired, 'acme')).toEqual([
    { permission: 'project.read', object: portal },
    { permission: 'project.read', object: { type: 'project', id: 'shop' } },
    { permission: 'project.role.read', object: portal },
    { permission: 'identity_provider.read', object: google },
  ])
})

test('malformed roles require read permission too', () => {
  expect(permissionsToPlan({ projects: [{ id: 'portal', roles: 'all' }] }, 'acme')).toEqual([
    { permission: 'project.read', object: portal },
    { permission: 'project.role.read', object: portal },
  ])
})

test('an apply requires write permission too', () => {
  const asked = permissionsToApply(desired, 'acme').map(({ permission, object }) => [
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

test('applying under a name requires the permission for the name, planning does not', () => {
  const named = { managedBy: 'code', projects: [] }
  expect(permissionsToPlan(named, 'acme')).toEqual([])
  const object = { type: 'desired_state', managedBy: 'code' }
  const needed = [{ permission: 'desired_state.write', object }]
  expect(permissionsToApply(named, 'acme')).toEqual(needed)
  expect(permissionsToApplyPlan({ desired: named }, 'acme')).toEqual(needed)
  for (const managedBy of ['', 5, null, '\uD800'])
    expect(permissionsToApply({ managedBy }, 'acme')).toEqual([
      { permission: 'desired_state.write' },
    ])
})

test('a given plan requires the permissions of its desired state, regardless of the changes it shows', () => {
  const changes = [{ object: { type: 'project', id: 'other' } }]
  expect(permissionsToApplyPlan({ desired, changes }, 'acme')).toEqual(
    permissionsToApply(desired, 'acme'),
  )
})

test.each([
  ['a project without a proper id', { projects: [{ id: '+' }] }],
  ['a malformed project', { projects: [null] }],
  ['a malformed list of projects', { projects: 5 }],
  ['more projects than may be declared', { projects: Array(1001).fill({ id: 'portal' }) }],
])('%s requires permission for the whole organization', (_, input) => {
  expect(permissionsToPlan(input, 'acme')).toEqual([{ permission: 'project.read' }])
})

test('permissions are for each object, up to the limit of a desired state', () => {
  const ids = Array.from({ length: 1001 }, (_, index) => `p${index}`)
  const projects = ids.map((id) => ({ id }))
  expect(permissionsToPlan({ projects: projects.slice(1) }, 'acme')).toHaveLength(1000)
  const plan = { desired: { projects: projects.slice(1) } }
  expect(permissionsToApplyPlan(plan, 'acme')).toHaveLength(2000)
})

test.each([
  ['a plan without', {}],
  ['a plan with a malformed', { desired: 'all' }],
  ['a plan with an unreadable', { desired: null, changes: [] }],
])('%s desired state requires every permission', (_, plan) => {
  expect(permissionsToApplyPlan(plan, 'acme').map(({ permission }) => permission)).toEqual([
    'project.read',
    'project.write',
    'project.role.read',
    'project.role.write',
    'project.grant.read',
    'project.grant.write',
    'identity_provider.read',
    'identity_provider.write',
  ])
})

test('grants require permissions on their project, in a state and in a plan', () => {
  const namesOf = (permissions: ReturnType<typeof permissionsToPlan>) =>
    permissions.map(({ permission, object }) => [permission, object?.id])
  const granting = { projects: [{ id: 'portal', grants: [] }] }
  expect(namesOf(permissionsToPlan(granting, 'acme'))).toEqual([
    ['project.read', 'portal'],
    ['project.grant.read', 'portal'],
  ])
  expect(namesOf(permissionsToApply(granting, 'acme'))).toEqual([
    ['project.read', 'portal'],
    ['project.write', 'portal'],
    ['project.grant.read', 'portal'],
    ['project.grant.write', 'portal'],
  ])
  expect(namesOf(permissionsToApplyPlan({ desired: granting }, 'acme'))).toEqual([
    ['project.read', 'portal'],
    ['project.write', 'portal'],
    ['project.grant.read', 'portal'],
    ['project.grant.write', 'portal'],
  ])
})

test.each([undefined, null, 'text', {}])(
  'an input that declares nothing requires no permission',
  (input) => {
    expect(permissionsToApply(input, 'acme')).toEqual([])
  },
)

test('A large plan of a caller without permission is refused before its changes are read', async () => {
  let isRead = false
  const plan = {
    orgId: 'acme',
    desired: { projects: [{ id: 'portal', name: 'Portal' }] },
    changes: Array.from({ length: 1_001 }, () => ({
      get object() {
        isRead = true
        return { type: 'project', id: 'portal' }
      },
    })),
  }
  const iam = instanceOn(memoryEventStore())
  const answer = await refused(iam.apply(plan as never, without('project.read')))
  expect(answer).toMatchObject({ kind: 'PermissionDenied' })
  expect(isRead).toBe(false)
})

test('A large plan is applied, and each permission is asked for once', async () => {
  const asked: string[] = []
  const iam = createIam({
    store: memoryEventStore(),
    secrets: cipher(),
    authorize: ({ permission, object }) =>
      asked.push(`${permission} ${object ? 'portal' : 'all'}`) > 0,
  })
  const roles = Array.from({ length: 1_001 }, (_, n) => ({ roleKey: `r${n}`, displayName: 'R' }))
  const plan = (
    await iam.plan({ projects: [{ id: 'portal', name: 'Portal', roles }] }, context)
  )._unsafeUnwrap()
  asked.length = 0
  const applied = (await iam.apply(plan, context))._unsafeUnwrap()
  expect(applied.changes.length).toBeGreaterThan(1_001)
  const ofPortal = ['project.read', 'project.role.read', 'project.role.write', 'project.write']
  // `apply` plans again, which also asks about the whole organization.
  expect(asked.toSorted()).toEqual([
    'project.read all',
    ...ofPortal.map((each) => `${each} portal`),
  ])
})

test('A large plan that changes while permissions are asked for needs those of its new state', async () => {
  const iam = instanceOn(memoryEventStore())
  const roles = Array.from({ length: 1_001 }, (_, n) => ({ roleKey: `r${n}`, displayName: 'R' }))
  const planOf = async (id: string) =>
    (await iam.plan({ projects: [{ id, name: 'Name', roles }] }, context))._unsafeUnwrap()
  const plan = await planOf('portal')
  const other = await planOf('shop')
  const changing = createIam({
    store: memoryEventStore(),
    secrets: cipher(),
    authorize: ({ object }) => {
      Object.assign(plan, other)
      return object?.type === 'project' && object.id === 'portal'
    },
  })
  expect(await refused(changing.apply(plan, context))).toMatchObject({
    kind: 'PermissionDenied',
    object: { type: 'project', id: 'shop' },
  })
})
