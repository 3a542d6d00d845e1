import { describe, expect, test } from 'vitest'
import { memoryEventStore } from '../../../src/adapters/memory/event-store.js'
import { iamOn } from '../host.js'
import { context, done, instanceOn, refused } from './organization.js'

const iam = instanceOn(memoryEventStore())
const portal = { type: 'project', id: 'portal' }
const unchanged = { action: 'unchanged', object: portal, fields: [], sequence: '1' }
const counts = { add: 0, update: 0, remove: 0, unchanged: 0 }
const plan = { orgId: 'acme', desired: {}, changes: [unchanged], counts, undeclared: [] }
const many = <Item>(item: Item) => Array<Item>(150_000).fill(item)

/** What is wrong with a plan, or a desired state, that no type allows. */
const violationsOf = async (input: unknown) => {
  const error = await refused(iam.apply(input as never, context))
  if (error.kind !== 'InvalidArgument') throw new Error(error.kind)
  return error.violations
}

const atEach = (field: (index: number) => string, description: string, from = 0) =>
  Array.from({ length: 100 }, (_, index) => ({ field: field(index + from), description }))

describe('a plan with more violations than a call takes arguments is refused with a hundred of them', () => {
  test('for changes that all name one object', async () => {
    expect(await violationsOf({ ...plan, changes: many(unchanged) })).toEqual(
      atEach((index) => `changes[${index}].object`, 'must not appear twice', 1),
    )
  })

  test('for objects that the desired state does not lead to', async () => {
    const changes = Array.from({ length: 150_000 }, (_, index) => ({
      ...unchanged,
      object: { type: 'project_role', projectId: 'shop', roleKey: `r${index}` },
    }))
    expect(await violationsOf({ ...plan, changes })).toEqual(
      atEach(
        (index) => `changes[${index}].object`,
        'must match what its desired state leads to now: plan again',
      ),
    )
  })

  test('for malformed changes', async () => {
    expect(await violationsOf({ ...plan, changes: many(null) })).toEqual(
      atEach((index) => `changes[${index}]`, 'must be an object'),
    )
  })

  test('for malformed undeclared objects', async () => {
    const description = 'must name an object by type and ids'
    expect(await violationsOf({ ...plan, undeclared: many({ type: 'user' }) })).toEqual(
      atEach((index) => `undeclared[${index}].type`, description),
    )
  })

  test.each([['fields', 20]] as const)('for %s of one change', async (field, most) => {
    const changes = [{ ...unchanged, [field]: many(null) }]
    expect(await violationsOf({ ...plan, changes })).toEqual([
      { field: `changes[0].${field}`, description: `must have at most ${most} items` },
    ])
  })

  test('for values of one field', async () => {
    const changes = [{ ...unchanged, fields: [{ field: 'scopes', to: many(5) }] }]
    expect(await violationsOf({ ...plan, changes })).toEqual([
      {
        field: 'changes[0].fields[0]',
        description: 'must be a field with its values, or a secret',
      },
    ])
  })
})

test('a desired state with more violations than a call takes arguments is refused', async () => {
  const projects = Array.from({ length: 150 }, () => ({ roles: Array(1_000).fill(null) }))
  const violations = await violationsOf({ projects })
  expect(violations).toHaveLength(100)
  expect(violations[3]).toEqual({ field: 'projects[0].roles[1]', description: 'must be an object' })
})

test('a plan may have more objects than a call takes arguments', async () => {
  const roles = Array.from({ length: 10_000 }, (_, index) => ({
    roleKey: `r${index}`,
    displayName: 'R',
  }))
  const iam = iamOn(memoryEventStore())
  const projects = Array.from({ length: 13 }, (_, index) => ({ id: `p${index}`, name: 'P', roles }))
  for (const { id, name } of projects) {
    await done(iam.projects.add({ id, name }, context))
    for (let begin = 0; begin < roles.length; begin += 1_000) {
      const some = roles.slice(begin, begin + 1_000)
      await done(iam.projectRoles.addMany({ projectId: id, roles: some }, context))
    }
  }
  const plan = await done(iam.plan({ projects }, context))
  expect(plan.changes).toHaveLength(130_013)
  const applied = await done(iam.apply(plan, context))
  expect(applied.counts.unchanged).toBe(130_013)
})

test('a plan of more than a million changes is refused before any of them is checked', async () => {
  let looks = 0
  const change = {
    get action() {
      return looks++
    },
  }
  for (const field of ['changes', 'undeclared'] as const) {
    const items = Array(1_000_001).fill(change)
    expect(await violationsOf({ ...plan, [field]: items })).toEqual([
      { field, description: 'must have at most 1000000 items' },
    ])
  }
  expect(looks).toBe(0)
})

test('an input that throws when it is read is refused', async () => {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  const unaskable = new Proxy(
    {},
    {
      has: () => {
        throw new Error('not telling')
      },
    },
  )
  for (const input of [proxy, unaskable]) expect(() => applied(input)).not.toThrow()
})

/** Begins to apply any input; other tests check the result. */
const applied = (input: never | object): void => {
  iam.apply(input, context).then(
    () => undefined,
    () => undefined,
  )
}
