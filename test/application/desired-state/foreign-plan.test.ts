import { expect, test } from 'vitest'
import { formatPlan, type Plan } from '../../../src/application/desired-state/plan/plan.js'
import { memoryEventStore, toJson } from '../../../src/index.js'
import { badFields } from '../host.js'
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

test('what a formatted plan shows is recorded', async () => {
  const world = await organization()
  const plan = await tampered(world, () => undefined)
  const shown = formatPlan(plan)
  expect(shown).toMatchInlineSnapshot(`
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
  expect(formatPlan(await done(world.iam.apply(plan, context)))).toBe(shown)
})

const NOT_PLANNED = 'must match what its desired state leads to now: plan again'

test.each<[what: string, index: number, alter: (fields: Tampered['changes']) => unknown]>([
  ['another new value', 0, ([field]) => Object.assign(field, { to: 'Harmless' })],
  ['another new value of a role', 1, ([field]) => Object.assign(field, { to: 'Harmless' })],
  ['a field too many', 1, (fields) => fields.push({ field: 'harmless', from: 'a', to: 'b' })],
  ['no field', 1, (fields) => fields.splice(0)],
  ['a field too few', 0, (fields) => fields.pop()],
  ['a field too few of a removed role', 2, (fields) => fields.pop()],
  ['a field too few beside a secret', 3, (fields) => fields.shift()],
  ['a field in place of another', 1, ([field]) => Object.assign(field, { field: 'group' })],
  ['no secret', 3, (fields) => fields.pop()],
  ['a secret that is new', 3, ([, secret]) => Object.assign(secret, { secret: 'set' })],
])('a plan that shows %s is not applied', async (_, index, alter) => {
  const world = await organization()
  const plan = await tampered(world, ({ changes }) => alter(changes[index].fields))
  for (const given of [plan, JSON.parse(JSON.stringify(toJson(plan)))])
    expect(await refused(world.iam.apply(given, context))).toEqual({
      kind: 'InvalidArgument',
      violations: [{ field: `changes[${index}].fields`, description: NOT_PLANNED }],
    })
  expect(await world.store.lastPosition()).toBe(world.head)
})

test('a plan that shows another value of an added object is not applied', async () => {
  const store = memoryEventStore()
  const iam = instanceOn(store)
  const desired = { projects: [{ ...portal, roles: [editor] }], identityProviders: [google] }
  const plan = JSON.parse(JSON.stringify(await done(iam.plan(desired, context))))
  for (const change of plan.changes) change.fields = [{ field: 'name', to: 'y' }]
  expect(await badFields(iam.apply(plan, context))).toEqual([
    'changes[0].fields',
    'changes[1].fields',
    'changes[2].fields',
  ])
  expect(await allEvents(store)).toEqual([])
})

test.each([
  ['another old value', 0, 0],
  ['another old value of a removed role', 2, 1],
])('a plan that shows %s is outdated', async (_, index, field) => {
  const world = await organization()
  let object: unknown
  const plan = await tampered(world, ({ changes }) => {
    object = changes[index].object
    changes[index].fields[field].from = 'Gatehouse'
  })
  expect(await refused(world.iam.apply(plan, context))).toEqual({
    kind: 'PlanOutdated',
    moved: [{ object, change: 'changed' }],
  })
  expect(await world.store.lastPosition()).toBe(world.head)
})

test('a secret that the plan shows as unchanged is not set', async () => {
  const world = await organization()
  const plan = await tampered(world, ({ changes }) => {
    changes[3].fields[1].secret = 'unchanged'
  })
  expect(await refused(world.iam.apply(plan, context))).toMatchObject({ kind: 'InvalidArgument' })
  expect(await world.store.lastPosition()).toBe(world.head)
  // Who may not compare the secrets records what the plan shows.
  await done(world.iam.apply(plan, without('identity_provider.secret.read')))
  const revealed = world.iam.identityProviders.revealClientSecret({ idpId: 'google' }, context)
  expect(await done(revealed)).toMatchObject({ clientSecret: 'top secret' })
})

test('a change that is labelled unchanged is not applied', async () => {
  const world = await organization()
  const plan = await tampered(world, ({ changes }) => {
    for (const change of changes) change.action = 'unchanged'
  })
  const moved = plan.changes.map(({ object }) => ({ object, change: 'changed' }))
  expect(await refused(world.iam.apply(plan, context))).toEqual({ kind: 'PlanOutdated', moved })
  expect(await world.store.lastPosition()).toBe(world.head)
})

test('counts are those of the changes', async () => {
  const world = await organization()
  const plan = await tampered(world, ({ counts }) => {
    Object.assign(counts, { update: 0, remove: 0, unchanged: 4, blocked: 7 })
  })
  const counts = { add: 0, update: 3, remove: 1, unchanged: 0 }
  expect(formatPlan(plan)).toContain('0 to add, 3 to update, 1 to remove, 0 unchanged')
  expect((await done(world.iam.apply(plan, context))).counts).toEqual(counts)
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
  const { projects: _, ...providers } = changed
  await done(world.iam.identityProviders.addOidc({ ...google, idpId: 'legacy' }, context))
  const plan = await done(world.iam.plan({ ...providers, projects: [] }, context))
  expect(plan.undeclared).toHaveLength(2)
  const { undeclared } = await done(world.iam.apply(plan, without('project.read')))
  expect(undeclared).toEqual([{ type: 'identity_provider', idpId: 'legacy' }])
})

test('a name or an id in a plan cannot print a line of its own', () => {
  const line = 'p"\n= project p\u001b[2J\u202e'
  const change = { object: { type: 'project', id: line } } as const
  const plan = {
    changes: [{ ...change, action: 'update', fields: [{ field: line, to: line }] } as const],
    undeclared: [{ type: 'identity_provider', idpId: line } as const],
  }
  const shown = 'p\\"\\n= project p\\u001b[2J\\u{202e}'
  expect(formatPlan(plan).split('\n')).toEqual([
    `~ project ${shown}`,
    `    ${shown}: "${shown}"`,
    `? identity provider ${shown} is not declared`,
    '0 to add, 1 to update, 0 to remove, 0 unchanged',
  ])
})
