import { expect, test } from 'vitest'
import { formatPlan } from '../../../src/application/desired-state/plan/plan.js'
import type { OpenStore } from '../stores.js'
import { allEvents, context, done, instanceOn, onEmpty } from './organization.js'

export const portal = { id: 'portal', name: 'Portal' }
const shop = { id: 'shop', name: 'Shop' }
export const editor = { roleKey: 'editor', displayName: 'Editor' }
const google = { idpId: 'google', clientId: 'c1', issuer: 'https://accounts.test' }
export const desired = {
  projects: [{ ...portal, roles: [editor] }, shop],
  identityProviders: [google],
}
export const projectRef = (id: string) => ({ type: 'project', id }) as const
export const editorRef = { type: 'project_role', projectId: 'portal', roleKey: 'editor' } as const
export const googleRef = { type: 'identity_provider', idpId: 'google' } as const

const blockedChange = (object: object) => ({
  action: 'blocked',
  reason: 'removed',
  object,
  fields: [],
})

type Iam = ReturnType<typeof instanceOn>

export const removePortal = async (iam: Iam) => {
  await done(iam.projects.add(portal, context))
  await done(iam.projectRoles.add({ projectId: 'portal', ...editor }, context))
  await done(iam.projects.remove({ id: 'portal' }, context))
}

export const removeGoogle = async (iam: Iam) => {
  const full = { ...google, name: 'Google', clientSecret: 'top secret' }
  await done(iam.identityProviders.addOidc(full, context))
  await done(iam.identityProviders.remove({ idpId: 'google' }, context))
}

/** What is reported of {@link desired} once its first project and its provider were removed. */
const reported = [
  blockedChange(projectRef('portal')),
  blockedChange(editorRef),
  expect.objectContaining({ action: 'add', object: projectRef('shop') }),
  blockedChange(googleRef),
]

/** What a removed id does to a desired state, on any store. */
export const blockedSuite = (open: OpenStore): void => {
  test('a plan shows objects that are blocked by a removed one, and is not refused', () =>
    onEmpty(open, async ({ iam }) => {
      await removePortal(iam)
      await removeGoogle(iam)
      const plan = await done(iam.plan(desired, context))
      expect(plan.changes).toEqual(reported)
      expect(plan.counts).toEqual({ add: 1, update: 0, remove: 0, unchanged: 0, blocked: 3 })
      expect(formatPlan(plan).split('\n')).toEqual([
        '! project portal is blocked: its id belonged to a removed object',
        '! role portal "editor" is blocked: its project was removed',
        '+ project shop',
        ...Array.from({ length: 5 }, () => expect.any(String)),
        '! identity provider google is blocked: its id belonged to a removed object',
        '1 to add, 0 to update, 0 to remove, 0 unchanged, 3 blocked',
      ])
    }))

  test('apply makes all other changes and reports blocked objects, by a state and by a stored plan', () =>
    onEmpty(open, async ({ iam, plain }) => {
      await removePortal(iam)
      await removeGoogle(iam)
      const plan = await done(iam.plan(desired, context))
      const head = await plain.lastPosition()
      const applied = await done(iam.apply(JSON.parse(JSON.stringify(plan)), context))
      expect(applied.changes).toEqual(reported)
      expect(applied.changes.map(({ details }) => details !== undefined)).toEqual([
        false,
        false,
        true,
        false,
      ])
      expect(applied.counts).toEqual(plan.counts)
      expect((await allEvents(plain, head)).map(({ type }) => type)).toEqual(['project.added'])
      const again = await done(iam.apply(desired, context))
      expect(again.counts).toEqual({ add: 0, update: 0, remove: 0, unchanged: 1, blocked: 3 })
      expect(await allEvents(plain, head)).toHaveLength(1)
    }))

  test('a project that is removed before it is changed is reported as blocked', () =>
    onEmpty(open, async (world) => {
      const other = instanceOn(world.plain)
      await done(other.projects.add(portal, context))
      world.meanwhile = async () => {
        world.meanwhile = undefined
        await done(other.projects.remove({ id: 'portal' }, context))
      }
      const { changes } = await done(
        world.iam.apply({ projects: [{ ...portal, roles: [editor] }] }, context),
      )
      expect(changes).toEqual([blockedChange(projectRef('portal')), blockedChange(editorRef)])
    }))
}
