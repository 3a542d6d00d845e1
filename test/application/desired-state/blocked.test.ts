import { describe, expect, test } from 'vitest'
import { memoryEventStore } from '../../../src/index.js'
import { badFields } from '../host.js'
import { STORES } from '../stores.js'
import {
  blockedSuite,
  desired,
  editor,
  editorRef,
  googleRef,
  portal,
  projectRef,
  removeGoogle,
  removePortal,
} from './blocked-suite.js'
import { context, done, instanceOn, refused } from './organization.js'

describe.each(STORES)('removed ids on $name', ({ open }) => blockedSuite(open))

test('a plan is outdated when an object that it shows as blocked exists or never existed', async () => {
  const store = memoryEventStore()
  const iam = instanceOn(store)
  await removePortal(iam)
  await removeGoogle(iam)
  const full = { ...desired.identityProviders[0]!, name: 'Google', clientSecret: 'top secret' }
  const plan = await done(iam.plan({ ...desired, identityProviders: [full] }, context))
  const elsewhere = instanceOn(memoryEventStore())
  await done(elsewhere.projects.add(portal, context))
  expect(await refused(elsewhere.apply(plan, context))).toEqual({
    kind: 'PlanOutdated',
    moved: [
      { object: projectRef('portal'), change: 'added' },
      { object: editorRef, change: 'changed' },
      { object: googleRef, change: 'changed' },
    ],
  })
  expect(await refused(instanceOn(memoryEventStore()).apply(plan, context))).toEqual({
    kind: 'PlanOutdated',
    moved: [
      { object: projectRef('portal'), change: 'changed' },
      { object: editorRef, change: 'changed' },
      { object: googleRef, change: 'changed' },
    ],
  })
})

test('a plan is outdated when a provider that it shows as blocked never existed and cannot be added', async () => {
  const iam = instanceOn(memoryEventStore())
  await removeGoogle(iam)
  const { identityProviders } = desired
  const plan = await done(iam.plan({ identityProviders }, context))
  expect(await refused(instanceOn(memoryEventStore()).apply(plan, context))).toEqual({
    kind: 'PlanOutdated',
    moved: [{ object: googleRef, change: 'changed' }],
  })
})

test('a plan whose blocked changes are not those of its desired state is refused', async () => {
  const store = memoryEventStore()
  const iam = instanceOn(store)
  await removePortal(iam)
  const head = await store.lastPosition()
  const plan = await done(iam.plan({ projects: [{ ...portal, roles: [editor] }] }, context))
  const [project, role] = plan.changes
  const given = (...changes: object[]) => iam.apply({ ...plan, changes } as never, context)
  const { reason: _, ...unreasoned } = project!
  expect(await badFields(given(unreasoned, role!))).toEqual(['changes[0].reason'])
  const outdated = (object: object, change: string) => ({
    kind: 'PlanOutdated',
    moved: [{ object, change }],
  })
  const { object } = project!
  expect(await refused(given({ ...project, sequence: '1' }, role!))).toEqual(
    outdated(object, 'removed'),
  )
  const unchanged = { ...unreasoned, action: 'unchanged', sequence: '1' }
  expect(await refused(given(unchanged, role!))).toEqual(outdated(object, 'removed'))
  expect(await refused(given({ ...unreasoned, action: 'add' }, role!))).toEqual(
    outdated(object, 'removed'),
  )
  expect(await refused(given(project!, { ...unchanged, object: editorRef }))).toEqual(
    outdated(editorRef, 'removed'),
  )
  expect(await refused(given(project!))).toEqual(outdated(editorRef, 'added'))
  expect(await store.lastPosition()).toBe(head)
})
