import { expect, test } from 'vitest'
import { formatPlan } from '../../../src/application/desired-state/plan/plan.js'
import type { DesiredAccess } from '../../../src/index.js'
import type { OpenStore } from '../stores.js'
import { allEvents, context, done, instanceOn, onEmpty, refused } from './organization.js'

const inPortal = { projectId: 'portal' }
const role = (roleKey: string) => ({ roleKey, displayName: roleKey })
const grant = (grantedOrgId: string, ...roleKeys: string[]) => ({ grantedOrgId, roleKeys })
type Grant = ReturnType<typeof grant>

/** A project with some roles and grants, in one version of a desired state. */
export const portalWith = (
  roles: readonly string[] | undefined,
  grants: readonly Grant[] | undefined,
  options: Partial<DesiredAccess> = {},
): DesiredAccess => ({
  managedBy: 'code',
  prune: true,
  projects: [
    {
      id: 'portal',
      name: 'Portal',
      ...(roles && { roles: roles.map(role) }),
      ...(grants && { grants }),
    },
  ],
  ...options,
})

export const grantRef = (grantedOrgId: string) => ({
  type: 'project_grant',
  ...inPortal,
  grantedOrgId,
})
export const roleRef = (roleKey: string) => ({ type: 'project_role', ...inPortal, roleKey })

type Iam = ReturnType<typeof instanceOn>

export const grantsOf = async (iam: Iam) => {
  const { items } = await done(iam.projectGrants.list(inPortal, context))
  return items.map(({ grantedOrgId, roleKeys }) => grant(grantedOrgId, ...roleKeys))
}

const actionsOf = async (iam: Iam, desired: DesiredAccess) => {
  const { changes } = await done(iam.plan(desired, context))
  return changes.map(({ action }) => action).join(' ')
}

const desired = portalWith(['editor', 'viewer'], [grant('globex', 'viewer', 'editor')])
const narrower = portalWith(['editor', 'viewer'], [grant('globex', 'viewer')])

/** What desired states do with grants of projects, on any store. */
export const grantsSuite = (open: OpenStore): void => {
  test('a plan lists grants after the roles, with role keys and no generations', () =>
    onEmpty(open, async ({ iam }) => {
      const plan = await done(iam.plan(desired, context))
      expect(plan.changes.slice(3)).toEqual([
        {
          action: 'add',
          object: grantRef('globex'),
          fields: [{ field: 'roleKeys', to: ['viewer', 'editor'] }],
        },
      ])
      expect(formatPlan(plan)).toContain(
        '+ project grant portal "globex"\n    roleKeys: ["viewer","editor"]\n4 to add',
      )
    }))

  test.each(['a state', 'a stored plan'])('%s records the grant, once', (given) =>
    onEmpty(open, async (world) => {
      const { iam, plain } = world
      const plan = JSON.parse(JSON.stringify(await done(iam.plan(desired, context))))
      const { changes } = await done(iam.apply(given === 'a state' ? desired : plan, context))
      expect(changes[3]?.details).toEqual(
        (await done(iam.projectGrants.get({ ...inPortal, grantedOrgId: 'globex' }, context)))
          .details,
      )
      const events = await allEvents(plain)
      expect(events.at(-1)).toMatchObject({
        type: 'project_grant.added',
        data: {
          roles: [
            { roleKey: 'viewer', roleSince: 1 },
            { roleKey: 'editor', roleSince: 1 },
          ],
        },
        metadata: { managedBy: 'code' },
      })
      const { appends } = world
      const reordered = portalWith(['editor', 'viewer'], [grant('globex', 'editor', 'viewer')])
      for (const again of [desired, reordered]) {
        const { counts } = await done(iam.apply(again, context))
        expect(counts).toEqual({ add: 0, update: 0, remove: 0, unchanged: 4 })
      }
      expect(world.appends).toBe(appends)
    }),
  )

  test('an update shows the roles before and after, and keeps the state of the grant', () =>
    onEmpty(open, async ({ iam }) => {
      await done(iam.apply(desired, context))
      await done(iam.projectGrants.deactivate({ ...inPortal, grantedOrgId: 'globex' }, context))
      const { changes } = await done(iam.apply(narrower, context))
      expect(changes[3]).toMatchObject({
        action: 'update',
        fields: [{ field: 'roleKeys', from: ['viewer', 'editor'], to: ['viewer'] }],
      })
      const { items } = await done(iam.projectGrants.list(inPortal, context))
      expect(items).toMatchObject([{ roleKeys: ['viewer'], state: 'inactive' }])
    }))

  test('a prune removes grants with the mark, and only where grants are declared', () =>
    onEmpty(open, async ({ iam }) => {
      await done(iam.apply(desired, context))
      await done(iam.projectGrants.add({ ...inPortal, ...grant('initech', 'viewer') }, context))
      const keeping = [
        portalWith(['editor', 'viewer'], undefined),
        { ...portalWith(['editor', 'viewer'], []), prune: false },
        { ...portalWith(['editor', 'viewer'], []), managedBy: 'elsewhere' },
      ]
      for (const each of keeping) await done(iam.apply(each, context))
      expect(await grantsOf(iam)).toHaveLength(2)
      const { changes } = await done(iam.apply(portalWith(undefined, []), context))
      expect(changes.slice(1)).toMatchObject([
        {
          action: 'remove',
          object: grantRef('globex'),
          fields: [{ field: 'roleKeys', from: ['viewer', 'editor'] }],
        },
      ])
      expect(await grantsOf(iam)).toEqual([grant('initech', 'viewer')])
    }))

  test('a role that was added again since is given anew', () =>
    onEmpty(open, async ({ iam, plain }) => {
      await done(iam.apply(desired, context))
      await done(iam.projectRoles.remove({ ...inPortal, roleKey: 'viewer' }, context))
      expect(await actionsOf(iam, desired)).toBe('unchanged unchanged add update')
      await done(iam.projectRoles.add({ ...inPortal, ...role('viewer') }, context))
      const { changes } = await done(iam.apply(desired, context))
      expect(changes[3]).toMatchObject({
        action: 'update',
        fields: [{ from: ['editor'], to: ['viewer', 'editor'] }],
      })
      expect((await allEvents(plain)).at(-1)).toMatchObject({
        type: 'project_grant.updated',
        data: { roles: [{ roleKey: 'viewer', roleSince: 3 }, { roleSince: 1 }] },
      })
      expect(await actionsOf(iam, desired)).toBe('unchanged unchanged unchanged unchanged')
    }))

  test('a grant loses a role that is pruned without an event of its own', () =>
    onEmpty(open, async ({ iam, plain }) => {
      await done(iam.apply(desired, context))
      const head = await plain.lastPosition()
      const pruning = portalWith(['viewer'], [grant('globex', 'viewer')])
      expect(await actionsOf(iam, pruning)).toBe('unchanged unchanged remove unchanged')
      await done(iam.apply(pruning, context))
      expect((await allEvents(plain, head)).map(({ type }) => type)).toEqual([
        'project_role.removed',
      ])
      expect(await grantsOf(iam)).toEqual([grant('globex', 'viewer')])
    }))

  test('a grant without a current role is updated', () =>
    onEmpty(open, async ({ iam }) => {
      await done(iam.apply(narrower, context))
      await done(iam.projectRoles.remove({ ...inPortal, roleKey: 'viewer' }, context))
      expect(await actionsOf(iam, narrower)).toBe('unchanged unchanged add update')
      await done(
        iam.apply(JSON.parse(JSON.stringify(await done(iam.plan(narrower, context)))), context),
      )
      expect(await grantsOf(iam)).toEqual([grant('globex', 'viewer')])
    }))

  test('a grant of a role that exists and is not declared is recorded', () =>
    onEmpty(open, async ({ iam }) => {
      await done(iam.apply(portalWith(['editor'], undefined), context))
      await done(iam.apply(portalWith(undefined, [grant('globex', 'editor')]), context))
      await done(iam.projectRoles.add({ ...inPortal, ...role('by hand') }, context))
      await done(iam.apply(portalWith(['editor'], [grant('globex', 'by hand')]), context))
      expect(await grantsOf(iam)).toEqual([grant('globex', 'by hand')])
    }))

  test.each([
    [
      'neither exists nor is declared',
      portalWith(['editor'], [grant('globex', 'editor', 'ghost')]),
    ],
    ['does not exist in a new project', portalWith(undefined, [grant('globex', 'ghost')], {})],
    ['is pruned', portalWith(['editor'], [grant('globex', 'ghost')])],
  ])('a grant of a role that %s is refused before anything is recorded', (why, state) =>
    onEmpty(open, async ({ iam, plain }) => {
      if (why === 'is pruned') await done(iam.apply(portalWith(['ghost'], undefined), context))
      if (why.startsWith('neither')) await done(iam.apply(portalWith([], undefined), context))
      const head = await plain.lastPosition()
      const error = { kind: 'NotFound', object: roleRef('ghost') }
      expect(await refused(iam.plan(state, context))).toEqual(error)
      expect(await refused(iam.apply(state, context))).toEqual(error)
      expect(await plain.lastPosition()).toBe(head)
    }),
  )

  test('a grant to the owner is refused', () =>
    onEmpty(open, async ({ iam }) => {
      const state = portalWith(['editor'], [grant('globex', 'editor'), grant('acme', 'editor')])
      expect(await refused(iam.plan(state, context))).toEqual({
        kind: 'InvalidArgument',
        violations: [
          {
            field: 'projects[0].grants[1].grantedOrgId',
            description: 'must not be the organization that owns the project',
          },
        ],
      })
    }))

  test('grants of a removed project are blocked with it', () =>
    onEmpty(open, async ({ iam }) => {
      await done(iam.apply(desired, context))
      await done(iam.projects.remove({ id: 'portal' }, context))
      const plan = await done(iam.plan(desired, context))
      expect(plan.changes.at(-1)).toEqual({
        action: 'blocked',
        reason: 'removed',
        object: grantRef('globex'),
        fields: [],
      })
      expect(formatPlan(plan)).toContain(
        '! project grant portal "globex" is blocked: its project was removed',
      )
      for (const given of [desired, JSON.parse(JSON.stringify(plan))])
        expect((await done(iam.apply(given, context))).counts).toMatchObject({ blocked: 4 })
    }))

  test('an older version leaves the grants of a newer one as they are', () =>
    onEmpty(open, async ({ iam, plain }) => {
      await done(iam.apply({ ...desired, version: 11 }, context))
      const newer = portalWith(['editor', 'viewer'], [grant('initech', 'viewer')])
      await done(iam.apply({ ...newer, version: 12 }, context))
      const head = await plain.lastPosition()
      const older = { ...desired, version: 11 }
      const plan = await done(iam.plan(older, context))
      expect(plan.changes.slice(3)).toMatchObject([
        { action: 'superseded', object: grantRef('globex') },
        { action: 'superseded', object: grantRef('initech') },
      ])
      for (const given of [older, JSON.parse(JSON.stringify(plan))])
        await done(iam.apply(given, context))
      expect(await plain.lastPosition()).toBe(head)
    }))

  test('a grant of a role that a newer version removed is superseded', () =>
    onEmpty(open, async ({ iam, plain }) => {
      const older = { ...narrower, version: 11 }
      await done(iam.apply(older, context))
      await done(iam.apply({ ...portalWith(['editor'], undefined), version: 12 }, context))
      const head = await plain.lastPosition()
      const plan = await done(iam.plan(older, context))
      expect(plan.changes.map(({ action }) => action)).toEqual([
        'unchanged',
        'unchanged',
        'superseded',
        'superseded',
      ])
      for (const given of [older, JSON.parse(JSON.stringify(plan))])
        expect((await done(iam.apply(given, context))).counts).toEqual(plan.counts)
      expect(await plain.lastPosition()).toBe(head)
    }))

  test('a plan is outdated when a grant has changed since', () =>
    onEmpty(open, async ({ iam, plain }) => {
      await done(iam.apply(desired, context))
      const state = portalWith(
        ['editor', 'viewer'],
        [grant('globex', 'viewer'), grant('initech', 'viewer')],
      )
      const plan = await done(iam.plan(state, context))
      await done(iam.projectGrants.add({ ...inPortal, ...grant('initech', 'editor') }, context))
      await done(iam.projectGrants.update({ ...inPortal, ...grant('globex', 'editor') }, context))
      const head = await plain.lastPosition()
      expect(await refused(iam.apply(plan, context))).toEqual({
        kind: 'PlanOutdated',
        moved: [
          { object: grantRef('globex'), change: 'changed' },
          { object: grantRef('initech'), change: 'added' },
        ],
      })
      expect(await plain.lastPosition()).toBe(head)
    }))

  test('a plan is outdated when a role that it grants was removed since', () =>
    onEmpty(open, async ({ iam, plain }) => {
      await done(iam.apply(portalWith(['editor'], undefined), context))
      const plan = await done(iam.plan(portalWith(undefined, [grant('globex', 'editor')]), context))
      await done(iam.projectRoles.remove({ ...inPortal, roleKey: 'editor' }, context))
      const head = await plain.lastPosition()
      expect(await refused(iam.apply(plan, context))).toEqual({
        kind: 'PlanOutdated',
        moved: [{ object: roleRef('editor'), change: 'removed' }],
      })
      expect(await plain.lastPosition()).toBe(head)
    }))

  test('a plan is outdated when a role of a grant was removed since, even if it was added again', () =>
    onEmpty(open, async ({ iam, plain }) => {
      await done(iam.apply(portalWith(['editor', 'viewer'], [grant('globex', 'editor')]), context))
      const more = portalWith(undefined, [grant('globex', 'editor', 'viewer')])
      const plan = await done(iam.plan(more, context))
      await done(iam.projectRoles.remove({ ...inPortal, roleKey: 'editor' }, context))
      await done(iam.projectRoles.add({ ...inPortal, ...role('editor') }, context))
      const head = await plain.lastPosition()
      expect(await refused(iam.apply(plan, context))).toEqual({
        kind: 'PlanOutdated',
        moved: [{ object: grantRef('globex'), change: 'changed' }],
      })
      expect(await plain.lastPosition()).toBe(head)
      expect(await grantsOf(iam)).toEqual([grant('globex')])
    }))

  test('a grant is planned again when another writer changes it, or removes a role, just before its append', () =>
    onEmpty(open, async (world) => {
      const other = instanceOn(world.plain)
      await done(other.apply(portalWith(['editor', 'viewer'], []), context))
      const once = (meanwhile: () => Promise<unknown>) => {
        world.meanwhile = async () => {
          world.meanwhile = undefined
          await meanwhile()
        }
      }
      once(() =>
        done(other.projectGrants.add({ ...inPortal, ...grant('globex', 'viewer') }, context)),
      )
      const applied = await done(world.iam.apply(desired, context))
      expect(applied.changes[3]).toMatchObject({ action: 'update', fields: [{ from: ['viewer'] }] })
      once(() => done(other.projectRoles.remove({ ...inPortal, roleKey: 'viewer' }, context)))
      const { counts } = await done(world.iam.apply(narrower, context))
      expect(counts).toMatchObject({ add: 1, update: 1 })
      expect(await grantsOf(world.iam)).toEqual([grant('globex', 'viewer')])
      once(() => done(other.projectRoles.remove({ ...inPortal, roleKey: 'editor' }, context)))
      const undeclared = portalWith(undefined, [grant('globex', 'editor')])
      expect(await refused(world.iam.apply(undeclared, context))).toEqual({
        kind: 'NotFound',
        object: roleRef('editor'),
      })
    }))

  test('a plan is outdated by a role that is removed just before the append of its grant', () =>
    onEmpty(open, async (world) => {
      const other = instanceOn(world.plain)
      await done(other.apply(portalWith(['editor'], []), context))
      const plan = await done(
        world.iam.plan(portalWith(undefined, [grant('globex', 'editor')]), context),
      )
      world.meanwhile = async () => {
        world.meanwhile = undefined
        await done(other.projectRoles.remove({ ...inPortal, roleKey: 'editor' }, context))
      }
      expect(await refused(world.iam.apply(plan, context))).toEqual({
        kind: 'PlanOutdated',
        moved: [{ object: roleRef('editor'), change: 'removed' }],
      })
      expect(await grantsOf(world.iam)).toEqual([])
    }))

  test('grants with many roles, including ended ones, take as many appends as they need', () =>
    onEmpty(open, async (world) => {
      const keys = (letter: string) =>
        Array.from({ length: 400 }, (_, index) => `${letter}${index}`)
      const orgs = ['globex', 'initech', 'hooli']
      const all = (letter: string) => orgs.map((org) => grant(org, ...keys(letter)))
      const { iam } = world
      await done(iam.apply(portalWith(keys('a'), all('a')), context))
      // The roles and the project share an append with the grants, which guard these roles.
      expect(world.appends).toBe(1)
      const split = [grant('globex', ...keys('b')), grant('initech', ...keys('c'))]
      await done(iam.apply(portalWith([...keys('b'), ...keys('c')], split), context))
      // 1,000 of the 1,200 roles with the project; the others with one grant, which 800 roles guard; the second grant.
      expect(world.appends).toBe(1 + 3)
      expect((await grantsOf(iam)).map(({ roleKeys }) => roleKeys.length)).toEqual([400, 400])
    }))
}
