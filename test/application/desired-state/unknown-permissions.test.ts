import { describe, expect, it } from 'vitest'
import { type DesiredAccess, formatPlan, type Plan } from '../../../src/index.js'
import { context, good, start } from '../host.js'

const role = (roleKey: string, ...permissions: readonly string[]) => ({
  roleKey,
  displayName: roleKey,
  ...(permissions.length > 0 && { permissions }),
})

/** A project in which somebody has added roles by hand. */
const world = async () => {
  const { iam } = start()
  await good(iam.projects.add({ id: 'shop', name: 'Shop' }, context))
  const roles = [
    role('approver', 'invoice.approve'),
    role('intern', 'invoice.aprove', 'invoice.read'),
    role('admin', 'user.grant.write'),
    role('plain'),
  ]
  await good(iam.projectRoles.addMany({ projectId: 'shop', roles }, context))
  return iam
}

const shop = (...roles: ReturnType<typeof role>[]): DesiredAccess => ({
  projects: [{ id: 'shop', name: 'Shop', roles }],
})

const intern = { type: 'project_role', projectId: 'shop', roleKey: 'intern' }

describe('A plan', () => {
  it('warns of permissions that a role keeps and no declared role has', async () => {
    const iam = await world()
    const desired = shop(role('approver', 'invoice.approve'), role('reader', 'invoice.read'))
    const plan = await good(iam.plan(desired, context))
    expect(plan.warnings).toEqual([{ object: intern, permission: 'invoice.aprove' }])
    expect(formatPlan(plan)).toContain(
      '? role shop "intern" has the permission "invoice.aprove", which no declared role has',
    )
    const stored: Plan = JSON.parse(JSON.stringify(plan))
    const applied = await good(iam.apply(stored, context))
    expect(applied).not.toHaveProperty('warnings')
  })

  it.each<[why: string, desired: DesiredAccess]>([
    ['the role is declared', shop(role('approver', 'a'), role('intern', 'invoice.aprove', 'x'))],
    [
      'the permission is declared',
      shop(role('x', 'invoice.aprove', 'invoice.read', 'invoice.approve')),
    ],
    ['a declared role keeps it', shop(role('intern'), role('approver', 'invoice.approve'))],
    ['no permissions are declared', shop(role('approver'))],
    ['no roles are declared', { projects: [{ id: 'shop', name: 'Shop' }] }],
    ['the project is new', { projects: [{ id: 'new', name: 'New', roles: [role('a', 'b')] }] }],
  ])('does not warn where %s', async (_, desired) => {
    expect(await good((await world()).plan(desired, context))).not.toHaveProperty('warnings')
  })

  it('does not warn of a role that it removes', async () => {
    const iam = await world()
    const marked = { managedBy: 'ops', prune: true }
    const first = shop(role('extra', 'invoice.extra'))
    await good(iam.apply({ ...first, ...marked }, context))
    const names = async (desired: DesiredAccess) =>
      (await good(iam.plan(desired, context))).warnings?.map(({ permission }) => permission)
    const next = shop(role('a', 'invoice.approve', 'invoice.aprove', 'invoice.read'))
    expect(await names({ ...next, ...marked })).toBeUndefined()
    expect(await names(next)).toEqual(['invoice.extra'])
  })
})
