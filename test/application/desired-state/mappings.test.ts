import { describe, expect, test } from 'vitest'
import {
  accessJsonSchema,
  createIam,
  type DesiredAccess,
  type DesiredMapping,
  formatPlan,
  type Permission,
} from '../../../src/index.js'
import { badFields } from '../host.js'
import { STORES } from '../stores.js'
import {
  ALL,
  allEvents,
  cipher,
  contextOf,
  done,
  instanceOn,
  onEmpty,
  refused,
} from './organization.js'

const permissions: readonly Permission[] = [
  ...ALL,
  'role_mapping.read',
  'role_mapping.write',
  'membership.write',
  'user.grant.read',
]
const context = contextOf(permissions)

const inPortal = { projectId: 'portal' }
const role = (roleKey: string) => ({ roleKey, displayName: roleKey })
const entra = {
  idpId: 'entra',
  name: 'Entra ID',
  clientId: 'client',
  clientSecret: 'secret',
  issuer: 'https://idp.example',
}
const staff = { idpId: 'entra', group: 'staff', roleKeys: ['editor', 'viewer'] }
const refOf = (group: string) => ({
  type: 'role_mapping',
  idpId: 'entra',
  ...inPortal,
  projectOrgId: 'acme',
  group,
})

/** A project with two roles and some mappings, and their provider. */
const withMappings = (
  mappings: readonly DesiredMapping[] | undefined,
  options: Partial<DesiredAccess> = {},
): DesiredAccess => ({
  managedBy: 'code',
  prune: true,
  projects: [
    {
      id: 'portal',
      name: 'Portal',
      roles: ['editor', 'viewer'].map(role),
      ...(mappings && { mappings }),
    },
  ],
  identityProviders: [entra],
  ...options,
})

type World = Parameters<Parameters<typeof onEmpty>[1]>[0]

const mappingsOf = async ({ iam }: World) => {
  const { items } = await done(iam.roleMappings.list({}, context))
  return items.map(({ group, roleKeys, validFor, protectedBy }) => ({
    group,
    roleKeys,
    ...(validFor !== undefined && { validFor }),
    ...(protectedBy !== undefined && { protectedBy }),
  }))
}

const mappingChanges = async ({ iam }: World, desired: DesiredAccess) => {
  const { changes } = await done(iam.plan(desired, context))
  return changes.filter(({ object }) => object.type === 'role_mapping')
}

describe.each(STORES)('mappings in desired states on $name', ({ open }) => {
  test('come after the grants in a plan, with role keys', () =>
    onEmpty(open, async (world) => {
      const plan = await done(world.iam.plan(withMappings([{ ...staff, validFor: 24 }]), context))
      expect(plan.changes.map(({ object }) => object.type)).toEqual([
        'project',
        'project_role',
        'project_role',
        'role_mapping',
        'identity_provider',
      ])
      expect(plan.changes[3]).toEqual({
        action: 'add',
        object: refOf('staff'),
        fields: [
          { field: 'validFor', to: 24 },
          { field: 'roleKeys', to: ['editor', 'viewer'] },
        ],
      })
      expect(formatPlan(plan)).toContain('+ role mapping')
    }))

  test.each(['a state', 'a stored plan'])(
    'are recorded by %s after their new provider, once',
    (given) =>
      onEmpty(open, async (world) => {
        const { iam, plain } = world
        const desired = withMappings([staff])
        const plan = JSON.parse(JSON.stringify(await done(iam.plan(desired, context))))
        const { changes } = await done(iam.apply(given === 'a state' ? desired : plan, context))
        const key = { idpId: 'entra', group: 'staff', ...inPortal }
        const { details } = await done(iam.roleMappings.get(key, context))
        expect(changes[3]?.details).toEqual(details)
        const events = await allEvents(plain)
        const types = events.map(({ type }) => type)
        expect([types[0], types.at(-1)]).toEqual([
          'identity_provider.oidc_added',
          'role_mapping.added',
        ])
        expect(events.at(-1)).toMatchObject({
          data: { roles: [{ roleKey: 'editor', roleSince: 1 }, { roleKey: 'viewer' }] },
          metadata: { managedBy: 'code' },
        })
        const reordered = withMappings([{ ...staff, roleKeys: ['viewer', 'editor'] }])
        for (const again of [desired, reordered])
          expect((await done(iam.apply(again, context))).counts).toMatchObject({ unchanged: 5 })
        expect(await plain.lastPosition()).toBe(events.at(-1)?.position)
      }),
  )

  test('replace roles and validity, and show both', () =>
    onEmpty(open, async (world) => {
      const { iam } = world
      await done(iam.apply(withMappings([{ ...staff, validFor: 24 }]), context))
      const narrower = withMappings([{ ...staff, roleKeys: ['viewer'] }])
      expect(await mappingChanges(world, narrower)).toMatchObject([
        {
          action: 'update',
          fields: [
            { field: 'roleKeys', from: ['editor', 'viewer'], to: ['viewer'] },
            { field: 'validFor', from: 24 },
          ],
        },
      ])
      const plan = JSON.parse(JSON.stringify(await done(iam.plan(narrower, context))))
      await done(iam.apply(plan, context))
      expect(await mappingsOf(world)).toEqual([{ group: 'staff', roleKeys: ['viewer'] }])
    }))

  test('are pruned with the mark alone, and only where mappings are declared', () =>
    onEmpty(open, async (world) => {
      const { iam } = world
      await done(iam.apply(withMappings([staff]), context))
      const byHand = { idpId: 'entra', group: 'admins', ...inPortal, roleKeys: ['editor'] }
      await done(iam.roleMappings.add(byHand, context))
      for (const each of [withMappings(undefined), { ...withMappings([]), prune: false }])
        await done(iam.apply(each, context))
      expect(await mappingsOf(world)).toHaveLength(2)
      await done(iam.apply(withMappings([]), context))
      expect(await mappingsOf(world)).toEqual([{ group: 'admins', roleKeys: ['editor'] }])
    }))

  test('show which members lose and gain roles', () =>
    onEmpty(open, async (world) => {
      const { iam } = world
      await done(iam.apply(withMappings([{ ...staff, roleKeys: ['viewer'] }]), context))
      for (const userId of ['anna', 'bob'])
        await done(iam.memberships.report({ idpId: 'entra', userId, groups: ['staff'] }, context))
      const [change] = await mappingChanges(
        world,
        withMappings([{ ...staff, roleKeys: ['editor'] }]),
      )
      const affected = (roleKey: string) => ({
        count: 2,
        first: ['anna', 'bob'].map((userId) => ({ orgId: 'acme', userId, roleKey })),
      })
      expect(change?.impact).toEqual({ loses: affected('viewer'), gains: affected('editor') })
      const [removal] = await mappingChanges(world, withMappings([]))
      expect(removal?.impact).toMatchObject({ loses: affected('viewer'), gains: { count: 0 } })
      const pruned = withMappings([{ ...staff, roleKeys: ['editor'] }], {
        projects: [
          {
            id: 'portal',
            name: 'Portal',
            roles: [role('editor')],
            mappings: [{ ...staff, roleKeys: ['editor'] }],
          },
        ],
      })
      // The end of the role is counted at the role.
      const { changes } = await done(iam.plan(pruned, context))
      expect(changes.map(({ object, impact }) => [object.type, impact?.loses.count])).toEqual([
        ['project', undefined],
        ['project_role', undefined],
        ['project_role', 2],
        ['role_mapping', 0],
        ['identity_provider', undefined],
      ])
    }))

  test('count a member of two groups once, at the change that ends or gives the role', () =>
    onEmpty(open, async (world) => {
      const { iam } = world
      const one = { ...staff, roleKeys: ['viewer'] }
      const two = { ...one, group: 'admins' }
      await done(iam.apply(withMappings([one, two]), context))
      const groups = ['staff', 'admins']
      await done(iam.memberships.report({ idpId: 'entra', userId: 'anna', groups }, context))
      const countsOf = async (mappings: Parameters<typeof withMappings>[0]) =>
        (await mappingChanges(world, withMappings(mappings))).map(({ impact }) => [
          impact?.loses.count,
          impact?.gains.count,
        ])
      const none = [0, 0]
      expect((await countsOf([])).toSorted()).toEqual([none, [1, 0]])
      const both = { roleKeys: ['viewer', 'editor'] }
      expect(await countsOf([one, two].map((each) => ({ ...each, ...both })))).toEqual([
        [0, 1],
        none,
      ])
      // The role moves from one group to the other.
      await done(iam.apply(withMappings([{ ...one, ...both }, two]), context))
      const moved = [{ ...two, ...both }, one]
      expect(await countsOf(moved)).toEqual([none, none])
      expect(await countsOf(moved.toReversed())).toEqual([
        [1, 0],
        [0, 1],
      ])
    }))

  test('are protected, and protected no longer once they are not declared', () =>
    onEmpty(open, async (world) => {
      const { iam } = world
      await done(iam.apply(withMappings([staff], { protect: true }), context))
      const protectedMapping = { group: 'staff', roleKeys: staff.roleKeys, protectedBy: 'code' }
      expect(await mappingsOf(world)).toEqual([protectedMapping])
      const key = { idpId: 'entra', group: 'staff', ...inPortal }
      expect(await refused(iam.roleMappings.remove(key, context))).toMatchObject({
        kind: 'Protected',
        managedBy: 'code',
      })
      await done(iam.apply(withMappings([], { protect: true, prune: false }), context))
      expect(await mappingsOf(world)).toEqual([{ group: 'staff', roleKeys: staff.roleKeys }])
      await done(iam.apply(withMappings([staff], { protect: true }), context))
      expect(await mappingsOf(world)).toEqual([protectedMapping])
      await done(iam.apply(withMappings(undefined, { projects: [] }), context))
      expect(await mappingsOf(world)).toEqual([{ group: 'staff', roleKeys: staff.roleKeys }])
      await done(iam.roleMappings.remove(key, context))
    }))

  test('are blocked with a removed provider and a removed project', () =>
    onEmpty(open, async (world) => {
      const { iam } = world
      const desired = withMappings([staff])
      await done(iam.apply(desired, context))
      await done(iam.identityProviders.remove({ idpId: 'entra' }, context))
      const blockedMapping = { action: 'blocked', object: refOf('staff'), reason: 'removed' }
      expect(await mappingChanges(world, desired)).toMatchObject([blockedMapping])
      expect((await done(iam.apply(desired, context))).counts).toMatchObject({ blocked: 2 })
      await done(iam.projects.remove({ id: 'portal' }, context))
      expect(await mappingChanges(world, desired)).toMatchObject([blockedMapping])
      expect(formatPlan(await done(iam.plan(desired, context)))).toContain(
        'is blocked: its project or identity provider was removed',
      )
    }))

  test('are superseded with a role that a newer version removed', () =>
    onEmpty(open, async (world) => {
      const { iam, plain } = world
      const older = withMappings([staff], { version: 1 })
      await done(iam.apply(older, context))
      const newer = withMappings([{ ...staff, roleKeys: ['viewer'] }], { version: 2 })
      await done(iam.apply(newer, context))
      const head = await plain.lastPosition()
      expect(await mappingChanges(world, older)).toMatchObject([{ action: 'superseded' }])
      await done(iam.apply(older, context))
      expect(await plain.lastPosition()).toBe(head)
    }))

  test.each([
    [
      'role',
      [{ ...staff, roleKeys: ['ghost'] }],
      { type: 'project_role', ...inPortal, roleKey: 'ghost' },
    ],
    ['provider', [{ ...staff, idpId: 'ghost' }], { type: 'identity_provider', idpId: 'ghost' }],
  ])('of an unknown %s are refused before anything is recorded', (_, mappings, object) =>
    onEmpty(open, async ({ iam, plain }) => {
      const desired = withMappings(mappings)
      expect(await refused(iam.apply(desired, context))).toEqual({ kind: 'NotFound', object })
      expect(await plain.lastPosition()).toBe(0n)
    }),
  )

  test('make a plan outdated when they have changed, or their provider is gone', () =>
    onEmpty(open, async (world) => {
      const { iam } = world
      await done(iam.apply(withMappings([staff]), context))
      const narrower = withMappings([{ ...staff, roleKeys: ['viewer'] }])
      const more = withMappings([staff, { ...staff, group: 'admins' }])
      const [changed, added] = [
        await done(iam.plan(narrower, context)),
        await done(iam.plan(more, context)),
      ]
      const key = { idpId: 'entra', group: 'staff', ...inPortal }
      await done(iam.roleMappings.update({ ...key, roleKeys: ['editor'] }, context))
      expect(await refused(iam.apply(changed, context))).toEqual({
        kind: 'PlanOutdated',
        moved: [{ object: refOf('staff'), change: 'changed' }],
      })
      await done(iam.identityProviders.remove({ idpId: 'entra' }, context))
      expect(await refused(iam.apply(added, context))).toMatchObject({ kind: 'PlanOutdated' })
    }))

  test('are decided again when another writer is faster', () =>
    onEmpty(open, async (world) => {
      const { iam } = world
      await done(iam.apply(withMappings([staff]), context))
      const key = { idpId: 'entra', group: 'staff', ...inPortal }
      const other = instanceOn(world.plain)
      world.meanwhile = async () => {
        world.meanwhile = undefined
        await done(other.roleMappings.update({ ...key, roleKeys: ['editor'] }, context))
      }
      await done(iam.apply(withMappings([{ ...staff, roleKeys: ['viewer'] }]), context))
      expect(await mappingsOf(world)).toEqual([{ group: 'staff', roleKeys: ['viewer'] }])
    }))

  test('need the permissions for mappings, and for each role that changes', () =>
    onEmpty(open, async ({ iam }) => {
      const desired = withMappings([staff])
      for (const permission of ['role_mapping.read', 'role_mapping.write'] as const) {
        const without = contextOf(permissions.filter((each) => each !== permission))
        expect(await refused(iam.apply(desired, without))).toMatchObject({
          kind: 'PermissionDenied',
          permission,
        })
      }
    }))

  test('need the permission for every role when their validity alone changes, before anything is recorded', () =>
    onEmpty(open, async ({ iam, store, plain }) => {
      await done(iam.apply(withMappings([staff]), context))
      const before = await allEvents(plain)
      const asked: unknown[] = []
      const careful = createIam({
        store,
        secrets: cipher(),
        authorize: ({ permission, roleKeys = [] }) => {
          if (permission !== 'role_mapping.write' || roleKeys.length === 0) return true
          asked.push(roleKeys.toSorted())
          return false
        },
      })
      const { projects = [] } = withMappings([{ ...staff, validFor: 24 }])
      const desired = withMappings([], { projects: [{ id: 'shop', name: 'Shop' }, ...projects] })
      expect(await refused(careful.apply(desired, context))).toMatchObject({
        kind: 'PermissionDenied',
        permission: 'role_mapping.write',
      })
      expect(asked).toEqual([['editor', 'viewer']])
      expect(await allEvents(plain)).toEqual(before)
    }))
})

test('a desired state with mappings that are wrong names the fields', async () => {
  const wrong = [
    { ...staff, group: '' },
    { ...staff, roleKeys: [] },
    { ...staff, validFor: 0 },
  ]
  await onEmpty(STORES[0]?.open ?? (() => Promise.reject()), async ({ iam }) => {
    expect(await badFields(iam.plan(withMappings(wrong), context))).toEqual([
      'projects[0].mappings[0].group',
      'projects[0].mappings[1].roleKeys',
      'projects[0].mappings[2].validFor',
    ])
    expect(await badFields(iam.plan(withMappings([staff, staff]), context))).toEqual([
      'projects[0].mappings[1].group',
    ])
    const undeclared = withMappings([{ ...staff, roleKeys: ['viewer', 'ghost'] }], {
      protect: true,
    })
    expect(await badFields(iam.plan(undeclared, context))).toEqual([
      'projects[0].mappings[0].roleKeys[1]',
    ])
  })
  expect(JSON.stringify(accessJsonSchema())).toContain('"mappings"')
})
