import fc from 'fast-check'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Plan } from '../../../src/application/desired-state/plan/plan.js'
import type { Iam } from '../../../src/application/iam.js'
import type { Detailed } from '../../../src/domain/aggregate.js'
import { aggregates } from '../../../src/domain/aggregates.js'
import type { ObjectRef } from '../../../src/domain/values.js'
import { streamOf } from '../../../src/projections/read-events.js'
import { PROJECT_DEFAULTS } from '../../defaults.js'
import { withReads } from '../host.js'
import type { OpenStore } from '../stores.js'
import { byHand, partial, whole } from './desired-states.js'
import { doByHand } from './do-by-hand.js'
import {
  ALL,
  allEvents,
  cipher,
  context,
  contextOf,
  done,
  instanceOn,
  onEmpty,
  refused,
  without,
} from './organization.js'

const portal = { id: 'portal', name: 'Portal' }
const editor = { roleKey: 'editor', displayName: 'Editor' }
const viewer = { roleKey: 'viewer', displayName: 'Viewer' }
const google = {
  idpId: 'google',
  name: 'Google',
  clientId: 'c1',
  issuer: 'https://accounts.test',
  clientSecret: 'top secret',
}
const desired = {
  managedBy: 'code',
  projects: [
    { ...portal, roles: [editor, viewer] },
    { id: 'shop', name: 'Shop' },
  ],
  identityProviders: [google],
}
const roleRef = (roleKey: string) => ({ type: 'project_role', projectId: 'portal', roleKey })

const manyRoles = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ roleKey: `r${index}`, displayName: 'R' }))

/** Roles, grants and settings of all projects, without their history. */
const rolesAndSettings = async (iam: Iam) => {
  const { items } = await done(iam.projects.list({}, context))
  return Promise.all(
    items.map(async ({ details: _, ...project }) => {
      const roles = await done(iam.projectRoles.list({ projectId: project.id }, context))
      const grants = await done(iam.projectGrants.list({ projectId: project.id }, context))
      return {
        ...project,
        roles: roles.items.map(({ details: _, ...role }) => role),
        // The same roles in another order change nothing.
        grants: grants.items.map(({ details: _, roleKeys, ...grant }) => ({
          ...grant,
          roleKeys: [...roleKeys].sort(),
        })),
      }
    }),
  )
}

const giving = contextOf([...ALL, 'user.grant.read', 'user.grant.write'])

/** Gives every role to one user. */
const giveEveryRole = async (iam: Iam) => {
  const given: { readonly projectId: string; readonly roleKey: string }[] = []
  for (const { id: projectId } of (await done(iam.projects.list({}, context))).items) {
    const { items } = await done(iam.projectRoles.list({ projectId }, context))
    const roles = items.map(({ roleKey }) => ({ roleKey }))
    if (roles.length > 0)
      await done(iam.userGrants.add({ userId: 'bob', projectId, roles }, giving))
    given.push(...roles.map(({ roleKey }) => ({ projectId, roleKey })))
  }
  return given
}

const CHANGING = ['add', 'update', 'remove']

/** The fields of every object that can be declared, by the name of its stream. */
const shownObjects = async (iam: Iam) => {
  const shown = new Map<string, Readonly<Record<string, unknown>>>()
  const add = (object: ObjectRef, { details: _, ...row }: Detailed) =>
    shown.set(streamOf('acme', object), row)
  for (const row of (await done(iam.identityProviders.list({}, context))).items)
    add(aggregates.identity_provider.ref(row), row)
  for (const row of (await done(iam.projects.list({}, context))).items) {
    add(aggregates.project.ref(row), row)
    const projectId = row.id
    for (const role of (await done(iam.projectRoles.list({ projectId }, context))).items)
      add(aggregates.project_role.ref(role), role)
    for (const grant of (await done(iam.projectGrants.list({ projectId }, context))).items)
      add(aggregates.project_grant.ref(grant), grant)
  }
  return shown
}

/** The objects of `before` as `plan` shows them changed: fields that it does not show stay, or are those of new objects. */
const shownAfter = (before: ReadonlyMap<string, object>, { changes }: Plan) => {
  const after = new Map<string, unknown>(before)
  const removed = changes.flatMap(({ action, object }) =>
    action === 'remove' && object.type === 'project_role' ? object : [],
  )
  // A grant loses a removed role without a change of its own.
  for (const { projectId, roleKey } of removed)
    for (const [name, row] of after)
      if (name.startsWith(`project_grant-acme+${projectId}+`)) {
        const roleKeys: readonly string[] = Reflect.get(row as object, 'roleKeys')
        after.set(name, { ...(row as object), roleKeys: roleKeys.filter((key) => key !== roleKey) })
      }
  for (const { action, object, fields } of changes) {
    const name = streamOf('acme', object)
    const own = after.get(name)
    const to = Object.fromEntries(
      fields.flatMap((field) => ('secret' in field ? [] : [[field.field, field.to]])),
    )
    if (action === 'remove') after.delete(name)
    if (action === 'update') after.set(name, { ...(own as object), ...to })
    if (action === 'add') after.set(name, expect.objectContaining(to))
  }
  return after
}

/** What `iam.apply` does on any store. Tries `share` of the random states. */
export const applySuite = (open: OpenStore, share = 1): void => {
  test('a state has the same result in an empty organization and after another state', () =>
    fc.assert(
      fc.asyncProperty(whole, whole, async (first, last) => {
        let expected: unknown
        await onEmpty(open, async ({ iam }) => {
          await done(iam.apply(last, context))
          expected = await rolesAndSettings(iam)
        })
        await onEmpty(open, async (world) => {
          await done(world.iam.apply(first, context))
          await done(world.iam.apply(last, context))
          expect(await rolesAndSettings(world.iam)).toEqual(expected)
          const { appends } = world
          const { counts } = await done(world.iam.apply(last, context))
          expect(counts).toMatchObject({ add: 0, update: 0, remove: 0 })
          expect(world.appends).toBe(appends)
        })
      }),
      { numRuns: Math.ceil(15 * share) },
    ))

  test('applying a plan changes exactly what it shows or is refused, and its state does the same', () =>
    fc.assert(
      fc.asyncProperty(
        partial,
        fc.array(byHand, { maxLength: 5 }),
        partial,
        fc.array(byHand, { maxLength: 2 }),
        async (before, deeds, after, since) =>
          onEmpty(open, async ({ iam, plain }) => {
            await done(iam.apply(before, context))
            for (const deed of deeds) await doByHand(iam, deed)
            const head = await plain.lastPosition()
            const planned = await iam.plan(after, context)
            if (planned.isErr()) {
              // Only what another name manages.
              expect(planned.error.kind).toBe('Protected')
              expect(await refused(iam.apply(after, context))).toEqual(planned.error)
              expect(await plain.lastPosition()).toBe(head)
              return
            }
            const plan = planned.value
            for (const deed of since) await doByHand(iam, deed)
            const start = await plain.lastPosition()
            const shownBefore = await shownObjects(iam)
            const given = JSON.parse(JSON.stringify(plan))
            const result = await iam.apply(since.length === 0 ? after : given, context)
            if (result.isErr()) {
              expect(result.error.kind).toBe('PlanOutdated')
              expect(start).toBeGreaterThan(head)
              expect(await plain.lastPosition()).toBe(start)
              return
            }
            const applied = result.value
            const recorded = await allEvents(plain, start)
            const named = new Set(recorded.map(({ stream }) => stream))
            const shown = plan.changes.filter(({ action }) => CHANGING.includes(action))
            expect(named).toEqual(new Set(shown.map(({ object }) => streamOf('acme', object))))
            expect(await shownObjects(iam)).toEqual(shownAfter(shownBefore, plan))
            expect(applied.counts).toEqual(plan.counts)
            expect(applied.undeclared).toEqual(plan.undeclared)
          }),
      ),
      { numRuns: Math.ceil(80 * share) },
    ))

  test('instances that apply six states in any order converge, and revive nothing that has ended', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(whole, { minLength: 6, maxLength: 6 }),
        fc.tuple(...[1, 2, 3].map(() => fc.shuffledSubarray([0, 1, 2, 3, 4, 5], { minLength: 6 }))),
        async (states, orders) => {
          const last = states[5] ?? {}
          let expected: unknown
          await onEmpty(open, async ({ iam }) => {
            await done(iam.apply(last, context))
            expected = await rolesAndSettings(iam)
          })
          await onEmpty(open, async ({ iam, plain }) => {
            await done(iam.apply(states[0] ?? {}, context))
            const given = await giveEveryRole(iam)
            const head = await plain.lastPosition()
            const instances = orders.map((order) => ({ order, each: instanceOn(plain) }))
            await Promise.all(
              instances.map(async ({ order, each }) => {
                for (const index of order) await done(each.apply(states[index] ?? {}, context))
              }),
            )
            await Promise.all(instances.map(({ each }) => done(each.apply(last, context))))
            expect(await rolesAndSettings(iam)).toEqual(expected)
            const ended = new Set(
              (await allEvents(plain, head))
                .filter(({ type }) => type === 'project_role.removed')
                .map(({ stream }) => stream),
            )
            for (const role of given) {
              const { allowed } = await done(iam.access.check({ ...role, userId: 'bob' }, giving))
              const stream = streamOf('acme', { type: 'project_role', ...role })
              expect([stream, allowed]).toEqual([stream, !ended.has(stream)])
            }
          })
        },
      ),
      { numRuns: Math.ceil(12 * share) },
    ))

  test('a project with its roles is one append, a provider another, and all are marked', () =>
    onEmpty(open, async ({ iam, plain }) => {
      await done(iam.apply(desired, context))
      const events = await allEvents(plain)
      const appends = Map.groupBy(events, ({ appendId }) => appendId)
      expect([...appends.values()].map((of) => of.map(({ type }) => type))).toEqual([
        ['project.added', 'project_role.added', 'project_role.added'],
        ['project.added'],
        ['identity_provider.oidc_added'],
      ])
      expect(events.every(({ metadata }) => metadata.managedBy === 'code')).toBe(true)
    }))

  test('a removed role is added again, by a plan and by a state', () =>
    onEmpty(open, async ({ iam, plain }) => {
      await done(iam.apply(desired, context))
      const removeEditor = () =>
        done(iam.projectRoles.remove({ projectId: 'portal', roleKey: 'editor' }, context))
      await removeEditor()
      const plan = await done(iam.plan(desired, context))
      const { counts } = await done(instanceOn(plain).apply(plan, context))
      expect(counts).toMatchObject({ add: 1 })
      await removeEditor()
      expect((await done(iam.apply(desired, context))).counts).toEqual(counts)
    }))

  test('the answer has the details of every object', () =>
    onEmpty(open, async ({ iam, plain }) => {
      await done(iam.apply(desired, context))
      const roles = [{ ...editor, displayName: 'Writer' }]
      const projects = [{ ...portal, roles }]
      const { changes } = await done(
        iam.apply({ projects, prune: true, managedBy: 'code' }, context),
      )
      const project = await done(iam.projects.get({ id: 'portal' }, context))
      const named = { projectId: 'portal', roleKey: 'editor' }
      const role = await done(iam.projectRoles.get(named, context))
      expect(changes).toMatchObject([
        { action: 'unchanged', details: project.details },
        { action: 'update', details: role.details },
        { action: 'remove', details: { resourceOwner: 'acme' } },
      ])
      const again = await done(instanceOn(plain).apply({ projects }, context))
      expect(again.changes).toMatchObject([
        { action: 'unchanged', details: project.details },
        { action: 'unchanged', details: role.details },
      ])
      expect(role.details.changeDate.getTime()).toBeGreaterThanOrEqual(
        role.details.creationDate.getTime(),
      )
    }))

  test('ten instances at once end in the desired state, each change recorded once', () =>
    onEmpty(open, async (world) => {
      const { plain } = world
      const instances = Array.from({ length: 10 }, () => instanceOn(world.store))
      // None may append before all of them have planned on the empty store.
      const allHavePlanned = Promise.withResolvers<void>()
      world.meanwhile = () => {
        if (world.appends === 10) allHavePlanned.resolve()
        return allHavePlanned.promise
      }
      const applied = await Promise.all(instances.map((iam) => iam.apply(desired, context)))
      for (const result of applied) expect(result.isOk()).toBe(true)
      const events = await allEvents(plain)
      expect(events.map(({ type }) => type).sort()).toEqual([
        'identity_provider.oidc_added',
        'project.added',
        'project.added',
        'project_role.added',
        'project_role.added',
      ])
      const added = applied.reduce((sum, of) => sum + of._unsafeUnwrap().counts.add, 0)
      expect(added).toBe(5)
    }))

  test('a plan is refused when an object has changed since, and the refusal names it', () =>
    onEmpty(open, async ({ iam, plain }) => {
      const roles = [editor, viewer]
      await done(iam.apply({ projects: [{ ...portal, roles }] }, context))
      const later = [{ ...editor, displayName: 'Writer' }, viewer, ...manyRoles(1)]
      const next = { projects: [{ ...portal, name: 'Gate', roles: later }] }
      const plan = await done(iam.plan(next, context))
      const inPortal = { projectId: 'portal' }
      await done(iam.projectRoles.update({ ...inPortal, ...editor, group: 'x' }, context))
      await done(iam.projectRoles.remove({ ...inPortal, roleKey: 'viewer' }, context))
      await done(iam.projectRoles.add({ ...inPortal, ...manyRoles(1)[0]! }, context))
      const head = await plain.lastPosition()
      expect(await refused(iam.apply(plan, context))).toEqual({
        kind: 'PlanOutdated',
        moved: [
          { object: roleRef('editor'), change: 'changed' },
          { object: roleRef('viewer'), change: 'removed' },
          { object: roleRef('r0'), change: 'added' },
        ],
      })
      expect(await plain.lastPosition()).toBe(head)
    }))

  test('a plan is refused when another writer is faster than its append', () =>
    onEmpty(open, async (world) => {
      const other = instanceOn(world.plain)
      await done(other.projects.add(portal, context))
      const plan = await done(
        world.iam.plan({ projects: [{ ...portal, roles: [editor] }] }, context),
      )
      world.meanwhile = async () => {
        world.meanwhile = undefined
        await done(
          other.projects.update({ ...PROJECT_DEFAULTS, id: 'portal', name: 'Gate' }, context),
        )
      }
      expect(await refused(world.iam.apply(plan, context))).toEqual({
        kind: 'PlanOutdated',
        moved: [{ object: { type: 'project', id: 'portal' }, change: 'changed' }],
      })
    }))

  test('a desired state is planned again when another writer is faster', () =>
    onEmpty(open, async (world) => {
      const other = instanceOn(world.plain)
      await done(other.projects.add(portal, context))
      world.meanwhile = async () => {
        world.meanwhile = undefined
        await done(
          other.projectRoles.add({ projectId: 'portal', ...editor, group: 'by hand' }, context),
        )
      }
      const { counts } = await done(
        world.iam.apply({ projects: [{ ...portal, roles: [editor, viewer] }] }, context),
      )
      expect(counts).toEqual({ add: 1, update: 0, remove: 0, unchanged: 2 })
    }))

  test('a desired state is refused when it cannot be planned again', () =>
    onEmpty(open, async (world) => {
      const other = instanceOn(world.plain)
      const early = { ...google, issuer: '' }
      await done(other.apply({ identityProviders: [early] }, context))
      world.meanwhile = async () => {
        world.meanwhile = undefined
        await done(other.apply({ identityProviders: [google] }, context))
      }
      const identityProviders = [{ ...early, name: 'Early' }]
      expect(await refused(world.iam.apply({ identityProviders }, context))).toEqual({
        kind: 'InvalidArgument',
        violations: [{ field: 'identityProviders[0].issuer', description: 'must not be empty' }],
      })
    }))

  test('a desired state is given up when other writers are always faster', () =>
    onEmpty(open, async (world) => {
      const other = instanceOn(world.plain)
      await done(other.projects.add(portal, context))
      let times = 0
      world.meanwhile = () =>
        done(
          other.projects.update(
            { ...PROJECT_DEFAULTS, id: 'portal', name: `By hand ${++times}` },
            context,
          ),
        )
      vi.useFakeTimers({ toFake: ['performance'] })
      onTestFinished(() => void vi.useRealTimers())
      const result = world.iam.apply({ projects: [{ ...portal, roles: [editor] }] }, context)
      await vi.waitFor(() => expect(times).toBeGreaterThan(12), 20_000)
      vi.advanceTimersByTime(10_000)
      expect(await refused(result)).toMatchObject({ kind: 'Aborted' })
    }))

  test('a new project and a thousand of its roles are one append', () =>
    onEmpty(open, async (world) => {
      const many = { projects: [{ ...portal, roles: manyRoles(1_000) }] }
      await done(world.iam.apply(many, context))
      expect(world.appends).toBe(1)
    }))

  test('more than a thousand role changes are several appends, and all are recorded', () =>
    onEmpty(open, async (world) => {
      const roles = manyRoles(2_001)
      const many = { managedBy: 'code', projects: [{ ...portal, roles }] }
      const plan = await done(world.iam.plan(many, context))
      await done(world.iam.apply(plan, context))
      expect(world.appends).toBe(3)
      await done(world.iam.apply(many, context))
      expect(world.appends).toBe(3)
      const none = { ...many, prune: true, projects: [{ ...portal, roles: [] }] }
      expect((await done(world.iam.apply(none, context))).counts.remove).toBe(2_001)
      expect(world.appends).toBe(6)
      const { totalSize } = await done(
        world.iam.projectRoles.list({ projectId: 'portal' }, context),
      )
      expect(totalSize).toBe(0)
    }))

  test('the roles of a new project are added without reading their streams', () =>
    onEmpty(open, async ({ plain, store }) => {
      let reads = 0
      const counting = withReads(store, (stream, afterVersion) => {
        if (stream.startsWith('project_role-')) reads++
        return plain.readStream(stream, afterVersion)
      })
      const many = { projects: [{ ...portal, roles: manyRoles(2_001) }] }
      await done(instanceOn(counting).apply(many, context))
      expect(reads).toBe(0)
    }))

  test('a stored secret that can no longer be opened is replaced by the declared one', () =>
    onEmpty(open, async ({ iam, plain }) => {
      await done(iam.apply({ identityProviders: [google] }, context))
      const renewed = instanceOn(plain, cipher('another'))
      const { counts } = await done(renewed.apply({ identityProviders: [google] }, context))
      expect(counts.update).toBe(1)
      const revealed = renewed.identityProviders.revealClientSecret({ idpId: 'google' }, context)
      expect(await done(revealed)).toMatchObject({ clientSecret: 'top secret' })
    }))

  test('a plan stored as JSON sets the secret that it was made with', () =>
    onEmpty(open, async ({ iam, plain }) => {
      const plan = await done(iam.plan({ identityProviders: [google] }, context))
      const kept = JSON.stringify(plan)
      expect(kept).not.toContain('top secret')
      await done(iam.apply(JSON.parse(kept), context))
      const revealed = iam.identityProviders.revealClientSecret({ idpId: 'google' }, context)
      expect(await done(revealed)).toMatchObject({ clientSecret: 'top secret' })
      expect(JSON.stringify((await allEvents(plain)).map(({ data }) => data))).not.toContain('top')
    }))

  test('nothing of a state is recorded when a part of it is refused', () =>
    onEmpty(open, async ({ iam, plain }) => {
      const identityProviders = [google, { idpId: 'other', clientId: 'c', issuer: 'i' }]
      const error = await refused(iam.apply({ ...desired, identityProviders }, context))
      expect(error).toMatchObject({ kind: 'InvalidArgument' })
      expect(await plain.lastPosition()).toBe(0n)
    }))

  test('a call without a permission records nothing and reveals nothing', () =>
    onEmpty(open, async (world) => {
      for (const permission of [
        'project.read',
        'project.write',
        'project.role.read',
        'project.role.write',
        'identity_provider.read',
        'identity_provider.write',
      ] as const) {
        const denied = { kind: 'PermissionDenied', permission, orgId: 'acme' }
        const plan = await done(world.iam.plan(desired, context))
        const lacking = without(permission)
        expect(await refused(world.iam.apply(desired, lacking))).toEqual(denied)
        expect(await refused(world.iam.apply(plan, lacking))).toEqual(denied)
        const planned = await world.iam.plan(desired, lacking)
        expect(planned.isErr()).toBe(permission.endsWith('read'))
      }
      expect(world.appends).toBe(0)
    }))

  test('an aborted call records nothing', () =>
    onEmpty(open, async (world) => {
      const plan = await done(world.iam.plan(desired, context))
      const aborted = { ...context, signal: AbortSignal.abort() }
      for (const given of [desired, plan])
        expect(await refused(world.iam.apply(given, aborted))).toEqual({ kind: 'Cancelled' })
      expect(world.appends).toBe(0)
    }))
}
