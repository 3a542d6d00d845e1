import { expect, test } from 'vitest'
import { formatPlan } from '../../../src/application/desired-state/plan/format-plan.js'
import type { Plan } from '../../../src/application/desired-state/plan/plan.js'
import { memoryEventStore } from '../../../src/index.js'
import { allEvents, context, done, instanceOn, refused, without } from './organization.js'

const portal = { id: 'portal', name: 'Portal' }
const editor = { roleKey: 'editor', displayName: 'Editor', group: 'content' }
const google = {
  idpId: 'google',
  name: 'Google',
  clientId: 'c1',
  issuer: 'https://accounts.test',
  clientSecret: 'top secret',
}

/** An organization with a project, two roles and a provider. */
const organization = async () => {
  const store = memoryEventStore()
  const iam = instanceOn(store)
  const roles = [editor, { ...editor, roleKey: 'viewer' }]
  const desired = { projects: [{ ...portal, roles }], identityProviders: [google] }
  await done(iam.apply({ ...desired, managedBy: 'code' }, context))
  return { store, iam, head: await store.lastPosition() }
}

/** What changes the name and a check of the project, and a role; removes another; changes a provider. */
const changed = {
  managedBy: 'code',
  prune: true,
  projects: [
    {
      id: 'portal',
      name: 'Gate',
      settings: { projectRoleCheck: true },
      roles: [{ ...editor, displayName: 'Writer' }],
    },
  ],
  identityProviders: [{ ...google, clientId: 'c2', clientSecret: 'another' }],
}

type Tampered = { -readonly [Field in keyof Plan]: ReturnType<typeof JSON.parse> }

/** The plan of {@link changed}, as somebody left it who could write the file. */
const tampered = async (
  { iam }: Awaited<ReturnType<typeof organization>>,
  alter: (plan: Tampered) => void,
): Promise<Plan> => {
  const plan = JSON.parse(JSON.stringify(await done(iam.plan(changed, context))))
  alter(plan)
  return plan
}

test('a formatted plan shows the values of its events', async () => {
  const world = await organization()
  const honest = formatPlan(await tampered(world, () => undefined))
  const plan = await tampered(world, ({ changes, counts }) => {
    changes[0].fields[0].to = 'Harmless'
    changes[1].fields[0].to = 'Harmless'
    changes[1].fields.push({ field: 'harmless', from: 'a', to: 'b' })
    changes[3].fields[0].to = 'harmless'
    changes[3].fields[1] = { field: 'clientSecret', secret: 'unchanged' }
    Object.assign(counts, { update: 0, remove: 0, unchanged: 4, blocked: 7 })
  })
  expect(formatPlan(plan)).toBe(honest)
  expect(honest).toMatchInlineSnapshot(`
    "~ project portal
        name: "Portal" -> "Gate"
        projectRoleCheck: false -> true
    ~ role portal "editor"
        displayName: "Editor" -> "Writer"
    - role portal "viewer"
        displayName: "Editor"
        group: "content"
    ~ identity provider google
        clientId: "c1" -> "c2"
        clientSecret: (changed)
    0 to add, 3 to update, 1 to remove, 0 unchanged"
  `)

  const honestly = await done((await organization()).iam.apply(changed, context))
  const applied = await done(world.iam.apply(plan, context))
  const told = (of: Plan) =>
    of.changes.map(({ action, object, fields }) => [action, object, fields])
  expect(told(applied)).toEqual(told(honestly))
  expect(applied.counts).toEqual({ add: 0, update: 3, remove: 1, unchanged: 0 })
})

test('every value of an added object is shown, whatever fields the plan names', async () => {
  const iam = instanceOn(memoryEventStore())
  const desired = { projects: [{ ...portal, roles: [editor] }], identityProviders: [google] }
  const plan = JSON.parse(JSON.stringify(await done(iam.plan(desired, context))))
  const honest = structuredClone(plan.changes)
  const shown = formatPlan(plan)
  for (const change of plan.changes) change.fields = [{ field: 'name', from: 'x', to: 'y' }]
  expect(formatPlan(plan)).toBe(shown)
  const applied = await done(iam.apply(plan, context))
  expect(applied.changes.map(({ fields }) => fields)).toEqual(
    honest.map(({ fields }: { fields: unknown }) => fields),
  )
})

test('a change that names no field shows every value', async () => {
  const world = await organization()
  const plan = await tampered(world, ({ changes }) => {
    changes[1].fields = []
  })
  expect(formatPlan(plan)).toContain(
    '~ role portal "editor"\n    displayName: "Writer"\n    group: "content"\n',
  )
  const { changes } = await done(world.iam.apply(plan, context))
  expect(changes[1]?.fields).toEqual([{ field: 'displayName', from: 'Editor', to: 'Writer' }])
})

test('apply reports the real old values', async () => {
  const world = await organization()
  const plan = await tampered(world, ({ changes }) => {
    changes[0].fields[0].from = 'Gatehouse'
    changes[2].fields = [{ field: 'displayName', from: 'Of no use' }]
  })
  const { changes } = await done(world.iam.apply(plan, context))
  expect([changes[0]?.fields[0], changes[2]?.fields]).toEqual([
    { field: 'name', from: 'Portal', to: 'Gate' },
    [
      { field: 'displayName', from: 'Editor' },
      { field: 'group', from: 'content' },
    ],
  ])
})

test.each([
  ['a field that it changes', 0, 'projectRoleCheck'],
  ['a field beside a secret', 3, 'clientId'],
])('a plan that omits %s is not applied', async (_, index, left) => {
  const world = await organization()
  const plan = await tampered(world, ({ changes }) => {
    const { fields } = changes[index]
    changes[index].fields = fields.filter(({ field }: { field: string }) => field !== left)
  })
  expect(formatPlan(plan)).not.toContain(left)
  expect(await refused(world.iam.apply(plan, context))).toEqual({
    kind: 'InvalidArgument',
    violations: [
      { field: `changes[${index}].fields`, description: 'must name all that the events change' },
    ],
  })
  expect(await world.store.lastPosition()).toBe(world.head)
})

test('a secret that the plan does not name is shown anyway', async () => {
  const world = await organization()
  const plan = await tampered(world, ({ changes }) => {
    changes[3].fields.pop()
  })
  expect(formatPlan(plan)).toContain('clientSecret: (changed)')
  const { changes } = await done(world.iam.apply(plan, context))
  expect(changes[3]?.fields).toContainEqual({ field: 'clientSecret', secret: 'changed' })
})

test('a plan with an update that changes nothing is not applied', async () => {
  const world = await organization()
  const plan = await tampered(world, ({ changes }) => {
    changes[1].events[0].data.displayName = 'Editor'
  })
  expect(await refused(world.iam.apply(plan, context))).toEqual({
    kind: 'InvalidArgument',
    violations: [{ field: 'changes[1].events', description: 'must change something' }],
  })
  expect(await allEvents(world.store, world.head)).toEqual([])
})

test('a change that is labelled unchanged is shown by its events', async () => {
  const world = await organization()
  const plan = await tampered(world, ({ changes }) => {
    for (const change of changes) change.action = 'unchanged'
  })
  expect(formatPlan(plan)).toBe(formatPlan(await tampered(world, () => undefined)))
})

test('undeclared objects are looked up when a plan is applied', async () => {
  const world = await organization()
  for (const id of ['legacy', 'new'])
    await done(world.iam.projects.add({ id, name: 'Legacy' }, context))
  const plan = await tampered(world, (plan) => {
    expect(plan.undeclared).toHaveLength(2)
    plan.undeclared = [{ type: 'project', id: 'made-up' }]
  })
  await done(world.iam.projects.remove({ id: 'new' }, context))
  const { undeclared } = await done(world.iam.apply(plan, context))
  expect(undeclared).toEqual([{ type: 'project', id: 'legacy' }])
})

test('undeclared objects are hidden from a caller who may not read all of them', async () => {
  const world = await organization()
  await done(world.iam.projects.add({ id: 'legacy', name: 'Legacy' }, context))
  const plan = await tampered(world, ({ changes }) => changes.splice(0, 3))
  const { undeclared } = await done(world.iam.apply(plan, without('project.read')))
  expect(undeclared).toEqual([])
})

test('a name or an id in a plan cannot print a line of its own', () => {
  const line = 'p"\n= project p\u001b[2J\u202e'
  const change = { object: { type: 'project', id: line }, events: [] } as const
  const plan = {
    orgId: 'acme',
    counts: { add: 0, update: 1, remove: 0, unchanged: 0 },
    changes: [{ ...change, action: 'update', fields: [{ field: line, to: 'P' }] } as const],
    undeclared: [{ type: 'identity_provider', idpId: line } as const],
  }
  const shown = 'p\\"\\n= project p\\u001b[2J\\u{202e}'
  expect(formatPlan(plan).split('\n')).toEqual([
    `~ project ${shown}`,
    `? identity provider ${shown} is not declared`,
    '0 to add, 1 to update, 0 to remove, 0 unchanged',
  ])
})
