import { describe, expect, test } from 'vitest'
import { memoryEventStore } from '../../../src/index.js'
import { badFields, withReads } from '../host.js'
import { STORES } from '../stores.js'
import { context, done, instanceOn, refused } from './organization.js'
import { actionsOf, supersededSuite, v11 } from './superseded-suite.js'

describe.each(STORES)('versions of a desired state on $name', ({ open }) => supersededSuite(open))

test.each([0, -1, 1.5, 2 ** 53, Number.NaN, '12', null, 12n])(
  'a version of %s is refused, in a state and in a plan',
  async (version) => {
    const iam = instanceOn(memoryEventStore())
    const state = { ...v11, version } as never
    expect(await badFields(iam.plan(state, context))).toEqual(['version'])
    expect(await badFields(iam.apply(state, context))).toEqual(['version'])
    const plan = { ...(await done(iam.plan(v11, context))), version } as never
    expect(await refused(iam.apply(plan, context))).toEqual({
      kind: 'InvalidArgument',
      violations: [{ field: 'version', description: 'must be a whole number from 1 to 2^53 - 1' }],
    })
  },
)

test('no roles of a new project are read', async () => {
  const store = memoryEventStore()
  const read: string[] = []
  const watching = withReads(store, (stream, afterVersion) => {
    read.push(stream)
    return store.readStream(stream, afterVersion)
  })
  await done(instanceOn(watching).plan(v11, context))
  expect(new Set(read)).toEqual(new Set(['project-acme+portal']))
})

test('a version requires a marker, in a state and in a plan', async () => {
  const iam = instanceOn(memoryEventStore())
  const description = 'is required with version'
  const violations = [{ field: 'managedBy', description }]
  const error = { kind: 'InvalidArgument', violations }
  expect(await refused(iam.plan({ version: 1 }, context))).toEqual(error)
  const { managedBy: _, ...plan } = await done(iam.plan(v11, context))
  expect(await badFields(iam.apply(plan, context))).toEqual(['managedBy'])
  const { managedBy: __, prune: ___, ...unmarked } = plan.desired
  expect(await refused(iam.apply({ ...plan, desired: unmarked }, context))).toEqual({
    kind: 'InvalidArgument',
    violations: [{ field: 'desired.managedBy', description }],
  })
})

test('the versions of a state go up to the largest safe integer', async () => {
  const iam = instanceOn(memoryEventStore())
  const last = { ...v11, version: Number.MAX_SAFE_INTEGER }
  await done(iam.apply(last, context))
  expect(await actionsOf(iam, { ...last, version: last.version - 1 })).toMatchObject({
    project: 'superseded',
  })
})
