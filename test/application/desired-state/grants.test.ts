import { describe, expect, test } from 'vitest'
import { formatPlan, memoryEventStore } from '../../../src/index.js'
import { badFields } from '../host.js'
import { STORES } from '../stores.js'
import { grantsOf, grantsSuite, portalWith } from './grants-suite.js'
import { context, done, instanceOn, refused, without } from './organization.js'

describe.each(STORES)('grants in desired states on $name', ({ open }) => grantsSuite(open))

const globex = { grantedOrgId: 'globex', roleKeys: ['editor', 'viewer'] }

/** A plan that replaces the roles of a grant, as it is read from a file, and where to apply it. */
const updated = async () => {
  const iam = instanceOn(memoryEventStore())
  await done(iam.apply(portalWith(['editor', 'viewer', 'author'], [globex]), context))
  const narrower = [{ ...globex, roleKeys: ['viewer', 'author'] }]
  const plan = await done(iam.plan(portalWith(undefined, narrower), context))
  return { iam, plan: JSON.parse(JSON.stringify(plan)) }
}

test.each([
  ['gives the same roles in another order', ['author', 'viewer']],
  ['gives no role', []],
  ['gives a role twice', ['viewer', 'viewer']],
  ['gives another role', ['viewer', 'editor']],
])('a plan that %s is refused', async (_, roleKeys) => {
  const { iam, plan } = await updated()
  plan.changes[1].fields[0].to = roleKeys
  expect(await badFields(iam.apply(plan, context))).toEqual(['changes[1].fields'])
  expect(await grantsOf(iam)).toEqual([globex])
})

test.each([
  ['no role', [], 'desired.projects[0].grants[0].roleKeys'],
  ['a role twice', ['viewer', 'viewer'], 'desired.projects[0].grants[0].roleKeys[1]'],
  ['other roles', ['editor'], 'changes[1].fields'],
])('a plan whose desired state gives %s is refused', async (_, roleKeys, field) => {
  const { iam, plan } = await updated()
  plan.desired.projects[0].grants[0].roleKeys = roleKeys
  expect(await badFields(iam.apply(plan, context))).toEqual([field])
  expect(await grantsOf(iam)).toEqual([globex])
})

test('a plan that also removes a role of a grant is refused when its desired state does not', async () => {
  const { iam, plan } = await updated()
  const pruning = await done(iam.plan(portalWith(['viewer', 'author'], undefined), context))
  const { object } = pruning.changes[3] ?? {}
  expect(object).toMatchObject({ roleKey: 'editor' })
  plan.changes.push(pruning.changes[3])
  expect(await refused(iam.apply(plan, context))).toEqual({
    kind: 'PlanOutdated',
    moved: [{ object, change: 'removed' }],
  })
  expect(await grantsOf(iam)).toEqual([globex])
})

test('a plan that gives a role which it removes, or which never existed, is outdated', async () => {
  const ghost = await updated()
  ghost.plan.desired.projects[0].grants[0].roleKeys = ['ghost']
  const removing = await updated()
  removing.plan.desired.projects[0].roles = [{ roleKey: 'viewer', displayName: 'viewer' }]
  for (const [{ iam, plan }, roleKey] of [
    [ghost, 'ghost'],
    [removing, 'author'],
  ] as const) {
    expect(await refused(iam.apply(plan, context))).toEqual({
      kind: 'PlanOutdated',
      moved: [
        { object: { type: 'project_role', projectId: 'portal', roleKey }, change: 'removed' },
      ],
    })
    expect(await grantsOf(iam)).toEqual([globex])
  }
})

test('a plan that grants a project to its owner is refused', async () => {
  const { iam, plan } = await updated()
  plan.desired.projects[0].grants[0].grantedOrgId = 'acme'
  const [project, grant] = plan.changes
  const { sequence: _, ...added } = { ...grant, action: 'add' }
  added.object.grantedOrgId = 'acme'
  const changes = [project, added]
  expect(await badFields(iam.apply({ ...plan, changes }, context))).toEqual([
    'desired.projects[0].grants[0].grantedOrgId',
  ])
})

test('a plan has no grants of roles to users', async () => {
  const { iam, plan } = await updated()
  const object = { type: 'user_grant', userId: 'u', projectId: 'portal' }
  const unchanged = { action: 'unchanged', object, fields: [], sequence: '1' }
  const undeclared = [object]
  expect(
    await badFields(iam.apply({ ...plan, changes: [...plan.changes, unchanged] }, context)),
  ).toEqual(['changes[2].object.type'])
  expect(await badFields(iam.apply({ ...plan, undeclared }, context))).toEqual([
    'undeclared[0].type',
  ])
})

test('a plan shows the roles that it records', async () => {
  const { iam, plan } = await updated()
  expect(formatPlan(plan)).toContain('roleKeys: ["editor","viewer"] -> ["viewer","author"]')
  const { changes } = await done(iam.apply(plan, context))
  expect(changes[1]?.fields).toEqual([
    { field: 'roleKeys', from: ['editor', 'viewer'], to: ['viewer', 'author'] },
  ])
})

test.each(['project.grant.read', 'project.grant.write'] as const)(
  'without %s grants are not changed',
  async (permission) => {
    const { iam, plan } = await updated()
    const denied = { kind: 'PermissionDenied', permission, orgId: 'acme' }
    const state = portalWith(undefined, [])
    expect(await refused(iam.apply(plan, without(permission)))).toEqual(denied)
    expect(await refused(iam.apply(state, without(permission)))).toEqual(denied)
    const planned = await iam.plan(state, without(permission))
    expect(planned.isErr()).toBe(permission === 'project.grant.read')
    expect(await grantsOf(iam)).toEqual([globex])
  },
)
