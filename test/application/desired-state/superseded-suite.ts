import { expect, test } from 'vitest'
import { formatPlan } from '../../../src/application/desired-state/plan/plan.js'
import type { DesiredAccess } from '../../../src/index.js'
import type { OpenStore } from '../stores.js'
import { allEvents, context, done, instanceOn, onEmpty, refused } from './organization.js'

const inPortal = { projectId: 'portal' }
const role = (roleKey: string, displayName = roleKey) => ({ roleKey, displayName })
const google = { idpId: 'google', name: 'Google', clientId: 'c1', issuer: 'https://accounts.test' }

/** The desired state of one version: a project, and roles of it. */
const access = (version: number | undefined, name: string, roles: readonly object[]) =>
  ({
    managedBy: 'code',
    ...(version !== undefined && { version }),
    prune: true,
    projects: [{ id: 'portal', name, roles }],
  }) as DesiredAccess

/** A project with the roles `editor` and `author`. */
export const v11 = access(11, 'Portal', [role('editor'), role('author')])
const v12 = access(12, 'Gate', [role('editor', 'Writer'), role('publisher')])

const roleRef = (roleKey: string) => ({ type: 'project_role', projectId: 'portal', roleKey })
const portalRef = { type: 'project', id: 'portal' }

type Iam = ReturnType<typeof instanceOn>

/** What becomes of each object, by role or project. */
export const actionsOf = async (iam: Iam, desired: DesiredAccess) => {
  const { changes } = await done(iam.plan(desired, context))
  return Object.fromEntries(
    changes.map(({ action, object }) => [
      object.type === 'project_role' ? object.roleKey : object.type,
      action,
    ]),
  )
}

const keysOf = async (iam: Iam) => {
  const { items } = await done(iam.projectRoles.list(inPortal, context))
  return items.map(({ roleKey }) => roleKey)
}

/** What versions of a desired state leave alone, on any store. */
export const supersededSuite = (open: OpenStore): void => {
  test('an older version changes nothing that a newer one has marked, and reports it', () =>
    onEmpty(open, async ({ iam, plain }) => {
      await done(iam.apply(v11, context))
      await done(iam.apply(v12, context))
      expect(await keysOf(iam)).toEqual(['editor', 'publisher'])
      const head = await plain.lastPosition()

      const plan = await done(iam.plan(v11, context))
      expect(plan.version).toBe(11)
      expect(plan.changes).toEqual(
        [portalRef, roleRef('editor'), roleRef('author'), roleRef('publisher')].map((object) => ({
          action: 'superseded',
          object,
          fields: [],
          ...(!('roleKey' in object && object.roleKey === 'author') && {
            sequence: expect.any(String),
          }),
        })),
      )
      expect(plan.counts).toEqual({ add: 0, update: 0, remove: 0, unchanged: 0, superseded: 4 })
      expect(formatPlan(plan).split('\n')).toEqual([
        '^ project portal is superseded by a newer version',
        '^ role portal "editor" is superseded by a newer version',
        '^ role portal "author" is superseded by a newer version',
        '^ role portal "publisher" is superseded by a newer version',
        '0 to add, 0 to update, 0 to remove, 0 unchanged, 4 superseded',
      ])

      for (const given of [v11, JSON.parse(JSON.stringify(plan))]) {
        const applied = await done(iam.apply(given, context))
        expect(applied.counts).toEqual(plan.counts)
        const roles = await done(iam.projectRoles.list(inPortal, context))
        expect(applied.changes.map(({ details }) => details)).toEqual([
          (await done(iam.projects.get({ id: 'portal' }, context))).details,
          roles.items[0]?.details,
          undefined,
          roles.items[1]?.details,
        ])
      }
      expect(await allEvents(plain, head)).toEqual([])
    }))

  test('recorded events have the version of the state or the plan', () =>
    onEmpty(open, async ({ iam, plain }) => {
      await done(iam.apply(v11, context))
      const plan = JSON.parse(JSON.stringify(await done(iam.plan(v12, context))))
      await done(iam.apply(plan, context))
      const events = await allEvents(plain)
      expect(events.map(({ metadata }) => [metadata.managedBy, metadata.managedVersion])).toEqual([
        ...Array(3).fill(['code', 11]),
        ...Array(4).fill(['code', 12]),
      ])
    }))

  test('a newer version and the same version change what an older one marked', () =>
    onEmpty(open, async ({ iam }) => {
      await done(iam.apply(access(undefined, 'Portal', [role('author')]), context))
      await done(iam.apply(v11, context))
      const v13 = access(13, 'House', [role('author')])
      for (const desired of [v12, { ...v12, version: 11 }]) {
        const actions = await actionsOf(iam, desired)
        expect(actions).toEqual({
          project: 'update',
          editor: 'update',
          author: 'remove',
          publisher: 'add',
        })
      }
      await done(iam.apply(v12, context))
      expect(await actionsOf(iam, v13)).toEqual({
        project: 'update',
        editor: 'remove',
        author: 'add',
        publisher: 'remove',
      })
    }))

  test('a state without a version is older than any other', () =>
    onEmpty(open, async ({ iam }) => {
      await done(iam.apply(v11, context))
      await done(iam.apply(v12, context))
      const actions = await actionsOf(iam, access(undefined, 'Portal', [role('author')]))
      expect(new Set(Object.values(actions))).toEqual(new Set(['superseded']))
    }))

  test('a change by hand keeps the mark, and a role that is added again by hand has none', () =>
    onEmpty(open, async ({ iam }) => {
      await done(iam.apply(v11, context))
      await done(iam.apply(v12, context))
      await done(iam.projectRoles.patch({ ...inPortal, ...role('editor', 'By hand') }, context))
      await done(iam.projectRoles.remove({ ...inPortal, roleKey: 'publisher' }, context))
      await done(iam.projectRoles.add({ ...inPortal, ...role('author', 'By hand') }, context))
      const roles = [role('editor'), role('author'), role('publisher')]
      expect(await actionsOf(iam, access(11, 'Portal', roles))).toEqual({
        project: 'superseded',
        editor: 'superseded',
        author: 'update',
        publisher: 'superseded',
      })
    }))

  test('another marker changes nothing that is managed, whatever its version', () =>
    onEmpty(open, async ({ iam, plain }) => {
      await done(iam.apply(v12, context))
      const head = await plain.lastPosition()
      const theirs = access(99, 'Gate', [role('editor', 'Theirs')])
      for (const call of [iam.plan, iam.apply])
        expect(await refused(call({ ...theirs, managedBy: 'theirs' }, context))).toEqual({
          kind: 'Protected',
          managedBy: 'code',
        })
      expect(await plain.lastPosition()).toBe(head)
      const own = access(99, 'Gate', [role('editor', 'Writer'), role('theirs')])
      const actions = await actionsOf(iam, { ...own, managedBy: 'theirs' })
      expect(actions).toEqual({ project: 'unchanged', editor: 'unchanged', theirs: 'add' })
      await done(iam.apply({ ...own, managedBy: 'theirs' }, context))
      expect(await actionsOf(iam, access(11, 'Gate', []))).toEqual({
        project: 'superseded',
        editor: 'superseded',
        publisher: 'superseded',
      })
    }))

  test('a state without a marker is never superseded', () =>
    onEmpty(open, async ({ iam }) => {
      await done(iam.apply(v12, context))
      const { managedBy: _, version: __, prune: ___, ...unmarked } = v11
      expect(await actionsOf(iam, unmarked)).toEqual({
        project: 'update',
        editor: 'update',
        author: 'add',
      })
    }))

  test('an identity provider of a newer version stays as it is, regardless of the declared fields', () =>
    onEmpty(open, async ({ iam, plain }) => {
      const full = { ...google, clientSecret: 'top secret' }
      const declare = (version: number, provider: typeof google) => ({
        managedBy: 'code',
        version,
        identityProviders: [provider],
      })
      await done(iam.apply(declare(12, full), context))
      const head = await plain.lastPosition()
      const older = declare(11, { ...full, clientId: 'c2', issuer: '' })
      const { changes } = await done(iam.apply(older, context))
      const { details } = await done(iam.identityProviders.get({ idpId: 'google' }, context))
      expect(changes).toEqual([
        {
          action: 'superseded',
          object: { type: 'identity_provider', idpId: 'google' },
          fields: [],
          sequence: String(details.sequence),
          details,
        },
      ])
      expect(await plain.lastPosition()).toBe(head)
    }))

  test('an older plan does not add a role that was added and removed since', () =>
    onEmpty(open, async ({ iam, plain }) => {
      await done(iam.apply(access(10, 'Portal', []), context))
      const plan = await done(iam.plan(access(11, 'Portal', [role('author')]), context))
      await done(iam.apply(access(12, 'Portal', [role('author')]), context))
      await done(iam.apply(access(13, 'Portal', []), context))
      const head = await plain.lastPosition()
      expect(await refused(iam.apply(plan, context))).toEqual({
        kind: 'PlanOutdated',
        moved: [{ object: roleRef('author'), change: 'removed' }],
      })
      expect(await plain.lastPosition()).toBe(head)
    }))

  test('an older state does not add a role that is added and removed just before its append', () =>
    onEmpty(open, async (world) => {
      const { iam, plain } = world
      await done(iam.apply(access(10, 'Portal', []), context))
      const other = instanceOn(plain)
      world.meanwhile = async () => {
        world.meanwhile = undefined
        await done(other.apply(access(12, 'Portal', [role('author')]), context))
        await done(other.apply(access(13, 'Portal', []), context))
      }
      const { counts } = await done(iam.apply(access(11, 'Portal', [role('author')]), context))
      expect(counts).toEqual({ add: 0, update: 0, remove: 0, unchanged: 1, superseded: 1 })
      expect(await keysOf(iam)).toEqual([])
    }))

  test('a plan is outdated by a role that is added and removed just before its append', () =>
    onEmpty(open, async (world) => {
      const { iam, plain } = world
      await done(iam.apply(access(10, 'Portal', []), context))
      const plan = await done(iam.plan(access(11, 'Portal', [role('author')]), context))
      const other = instanceOn(plain)
      world.meanwhile = async () => {
        world.meanwhile = undefined
        await done(other.apply(access(12, 'Portal', [role('author')]), context))
        await done(other.apply(access(13, 'Portal', []), context))
      }
      expect(await refused(iam.apply(plan, context))).toEqual({
        kind: 'PlanOutdated',
        moved: [{ object: roleRef('author'), change: 'changed' }],
      })
      expect(await keysOf(iam)).toEqual([])
    }))

  test('a newer version adds again what it or an older one removed', () =>
    onEmpty(open, async ({ iam }) => {
      await done(iam.apply(v11, context))
      await done(iam.apply(v12, context))
      await done(iam.apply(access(12, 'Gate', [role('author')]), context))
      expect(await keysOf(iam)).toEqual(['author'])
      await done(iam.apply(access(13, 'Gate', []), context))
      const plan = await done(iam.plan(access(14, 'Gate', [role('author')]), context))
      expect((await done(iam.apply(plan, context))).counts).toMatchObject({ add: 1 })
      expect(await keysOf(iam)).toEqual(['author'])
    }))
}
