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
  const plan = await done(iam.plan(desired, context))
  const elsewhere = instanceOn(memoryEventStore())
  await done(elsewhere.projects.add(portal, context))
  expect(await refused(elsewhere.apply(plan, context))).toEqual({
    kind: 'PlanOutdated',
    moved: [{ object: projectRef('portal'), change: 'added' }],
  })
  expect(await refused(instanceOn(memoryEventStore()).apply(plan, context))).toEqual({
    kind: 'PlanOutdated',
    moved: [
      { object: projectRef('portal'), change: 'changed' },
      { object: googleRef, change: 'changed' },
    ],
  })
})

test('a plan whose blocked changes contradict themselves is refused', async () => {
  const iam = instanceOn(memoryEventStore())
  await removePortal(iam)
  const plan = await done(iam.plan({ projects: [{ ...portal, roles: [editor] }] }, context))
  const [project, role] = plan.changes
  const fieldsOf = (...changes: object[]) =>
    badFields(iam.apply({ ...plan, changes } as never, context))
  const { reason: _, ...unreasoned } = project!
  expect(await fieldsOf(unreasoned)).toEqual(['changes[0].reason'])
  expect(await fieldsOf({ ...project, sequence: '1' })).toEqual(['changes[0].sequence'])
  const events = [{ type: 'project.added', schemaVersion: 1, data: portal }]
  expect(await fieldsOf({ ...project, events })).toEqual(['changes[0].action'])
  const unchanged = { ...unreasoned, action: 'unchanged', sequence: '1' }
  expect(await fieldsOf(unchanged, role!)).toEqual(['changes[1].action'])
  expect(await fieldsOf({ ...unchanged, reason: 'removed' })).toEqual(['changes[0].reason'])
  expect(await fieldsOf(project!, { ...unchanged, object: editorRef })).toEqual([
    'changes[1].action',
  ])
})
