import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { memoryEventStore } from '../../../src/adapters/memory/event-store.js'
import type { Plan } from '../../../src/application/desired-state/plan/plan.js'
import { toStatus } from '../../../src/application/errors/to-status.js'
import { memoryReadModel, type PermissionQuestion, toJson } from '../../../src/index.js'
import { badFields, forgetfulCipher, iamOn, newCipher } from '../host.js'
import { cipher, context, done, instanceOn, onEmpty, refused, without } from './organization.js'

const onMemory = (body: Parameters<typeof onEmpty>[1]) =>
  onEmpty(async () => ({ store: memoryEventStore(), close: async () => {} }), body)

const portal = { id: 'portal', name: 'Portal' }
const google = {
  idpId: 'google',
  name: 'Google',
  clientId: 'c1',
  issuer: 'https://accounts.test',
  clientSecret: 'top secret',
}
const desired = {
  projects: [{ ...portal, roles: [{ roleKey: 'editor', displayName: 'Editor' }] }],
  identityProviders: [google],
}

type Tampered = ReturnType<typeof JSON.parse>

/** Applies the plan of `desired` after `alter` did something to its JSON; answers the violations. */
const violationsAfter = async (alter: (plan: Tampered) => void) => {
  let violations: unknown
  await onMemory(async (world) => {
    const plan = JSON.parse(JSON.stringify(await done(world.iam.plan(desired, context))))
    alter(plan)
    const error = await refused(world.iam.apply(plan, context))
    violations = error.kind === 'InvalidArgument' ? error.violations : error
    expect(world.appends).toBe(0)
  })
  return violations
}

test('a plan for another organization is refused', async () => {
  expect(
    await violationsAfter((plan) => {
      plan.orgId = 'other'
    }),
  ).toEqual([{ field: 'orgId', description: 'must be the organization of the context' }])
})

test('a malformed plan is refused with our own messages', async () => {
  expect(
    await violationsAfter((plan) => {
      plan.changes[0].fields = 'all'
      plan.changes[1].fields = [1]
      plan.changes[1].events = null
      plan.undeclared = null
      plan.managedBy = ''
    }),
  ).toEqual([
    { field: 'managedBy', description: 'must not be empty' },
    { field: 'changes[0].fields', description: 'must be a list' },
    { field: 'changes[1].fields[0]', description: 'must be a field with its values, or a secret' },
    {
      field: 'changes[1].events',
      description: 'are of a plan of an earlier version: plan again',
    },
    { field: 'undeclared', description: 'must be a list' },
  ])
})

test('a plan that version 0.2.0 wrote is refused, and says to plan again', async () => {
  const file = new URL('../../fixtures/plan-0.2.0.json', import.meta.url)
  const plan = JSON.parse(readFileSync(file, 'utf8'))
  await onMemory(async (world) => {
    expect(await refused(world.iam.apply(plan, context))).toEqual({
      kind: 'InvalidArgument',
      violations: plan.changes.map((_: unknown, index: number) => ({
        field: `changes[${index}].events`,
        description: 'are of a plan of an earlier version: plan again',
      })),
    })
    expect(world.appends).toBe(0)
  })
})

test.each(['', '0', '01', '1n', 'x1', '1'.repeat(21)])(
  'a plan with "%s" for a sequence is refused',
  async (sequence) => {
    expect(
      await violationsAfter((plan) => {
        Object.assign(plan.changes[0], { action: 'unchanged', sequence })
      }),
    ).toEqual([
      { field: 'changes[0].sequence', description: 'must be a sequence in decimal digits' },
    ])
  },
)

test.each([null, undefined, 'text', 5])('neither a plan nor a desired state: %s', async (input) => {
  const applying = instanceOn(memoryEventStore()).apply(input as never, context)
  expect(await refused(applying)).toEqual({
    kind: 'InvalidArgument',
    violations: [{ field: '', description: 'must be an object' }],
  })
})

test('a plan with bytes in place of a list is refused', async () => {
  expect(
    await violationsAfter((plan) => {
      plan.changes[0].fields[0].to = new Uint8Array(1)
    }),
  ).toEqual([
    { field: 'changes[0].fields[0]', description: 'must be a field with its values, or a secret' },
  ])
})

const NOT_PLANNED = 'must match what its desired state leads to now: plan again'
const roleRef = { type: 'project_role', projectId: 'portal', roleKey: 'editor' }

test.each(['unchanged', 'remove', 'update', 'blocked'])(
  'a plan that says %s of an object which it adds is refused',
  async (action) => {
    expect(await violationsAfter((plan) => Object.assign(plan.changes[1], { action }))).toEqual({
      kind: 'PlanOutdated',
      moved: [{ object: roleRef, change: 'changed' }],
    })
    expect(
      await violationsAfter((plan) => Object.assign(plan.changes[1], { action, sequence: '1' })),
    ).toEqual({ kind: 'PlanOutdated', moved: [{ object: roleRef, change: 'removed' }] })
  },
)

test('a plan that names an object twice is refused', async () => {
  expect(await violationsAfter((plan) => plan.changes.push(plan.changes[1]))).toEqual([
    { field: 'changes[3].object', description: 'must not appear twice' },
  ])
})

test.each([
  ['does not declare', (plan: Tampered) => plan.desired.projects[0].roles.pop()],
  [
    'declares otherwise',
    (plan: Tampered) => {
      plan.desired.projects[0].roles[0].group = 'staff'
    },
  ],
])('a plan with a role that its desired state %s is refused', async (how, alter) => {
  const field = how === 'does not declare' ? 'object' : 'fields'
  expect(await violationsAfter(alter)).toEqual([
    { field: `changes[1].${field}`, description: NOT_PLANNED },
  ])
})

test('a plan without a change that its desired state leads to is refused', async () => {
  for (const [index, object] of [
    { type: 'project', id: 'portal' },
    roleRef,
    { type: 'identity_provider', idpId: 'google' },
  ].entries())
    expect(await violationsAfter((plan) => plan.changes.splice(index, 1))).toEqual({
      kind: 'PlanOutdated',
      moved: [{ object, change: 'added' }],
    })
})

test('a plan of something that is not pruned, or no longer, is refused', async () => {
  const roleKey = 'author'
  const change = { action: 'remove', object: { ...roleRef, roleKey }, fields: [] }
  expect(await violationsAfter((plan) => plan.changes.push({ ...change, sequence: '1' }))).toEqual({
    kind: 'PlanOutdated',
    moved: [{ object: change.object, change: 'removed' }],
  })
})

test.each(['managedBy', 'version'])(
  'a plan whose %s is not that of its desired state is refused',
  async (option) => {
    expect(
      await violationsAfter((plan) => {
        plan[option] = option === 'version' ? 7 : 'others'
      }),
    ).toEqual([{ field: option, description: 'must equal the value in the desired state' }])
  },
)

test('a plan without its desired state, or with a malformed one, is refused', async () => {
  for (const value of [undefined, null, 'all'])
    expect(
      await violationsAfter((plan) => {
        plan.desired = value
      }),
    ).toEqual([{ field: 'desired', description: 'must be an object' }])
  expect(
    await violationsAfter((plan) => {
      plan.desired.projects[0].naem = 'Portal'
      plan.desired.identityProviders[0].clientSecret = 'in plain text'
    }),
  ).toEqual([
    { field: 'desired.projects[0].naem', description: 'is not a known field' },
    { field: 'desired.identityProviders[0].clientSecret', description: 'is not a known field' },
  ])
})

test('a plan whose desired state cannot be planned is refused', async () => {
  expect(
    await violationsAfter((plan) => {
      delete plan.desired.identityProviders[0].name
    }),
  ).toEqual([
    {
      field: 'desired.identityProviders[0].name',
      description: 'is required to add the provider',
    },
  ])
})

test('a plan of a provider that has since come to need an issuer is outdated', () =>
  onMemory(async ({ iam }) => {
    const early = { ...google, issuer: '' }
    await done(iam.apply({ identityProviders: [early] }, context))
    const renamed = { ...early, name: 'Early' }
    const plan = await done(iam.plan({ identityProviders: [renamed] }, context))
    await done(iam.apply({ identityProviders: [google] }, context))
    expect(await refused(iam.apply(plan, context))).toEqual({
      kind: 'PlanOutdated',
      moved: [{ object: { type: 'identity_provider', idpId: 'google' }, change: 'changed' }],
    })
  }))

test.each([
  ['JSON.stringify', (plan: Plan) => JSON.stringify(plan)],
  ['toJson', (plan: Plan) => JSON.stringify(toJson(plan))],
  ['a store that orders fields', (plan: Plan) => JSON.stringify(ordered(plan))],
])('a plan that went through %s is applied', (_, stored) =>
  onMemory(async ({ iam }) => {
    await done(iam.apply({ ...desired, managedBy: 'code' }, context))
    const next = {
      managedBy: 'code',
      version: 2,
      prune: true,
      projects: [
        { ...portal, name: 'Gate', roles: [{ roleKey: 'author', displayName: 'Author' }] },
        { id: 'shop', name: 'Shop' },
      ],
      identityProviders: [
        { ...google, name: 'New', clientSecret: 'another', scopes: ['email'] },
        { ...google, idpId: 'okta', clientSecret: undefined, initialState: 'inactive' as const },
      ],
    }
    const plan = await done(iam.plan(next, context))
    const kept = stored(plan)
    expect(kept).not.toContain('another')
    const { counts } = await done(iam.apply(JSON.parse(kept), context))
    expect(counts).toEqual({ add: 3, update: 2, remove: 1, unchanged: 0 })
    const { clientSecret } = await done(
      iam.identityProviders.revealClientSecret({ idpId: 'google' }, context),
    )
    expect(clientSecret).toBe('another')
    expect((await done(iam.apply(next, context))).counts.unchanged).toBe(5)
  }),
)

/** A value with the fields of its objects in alphabetical order, as JSON in a database has them. */
const ordered = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(ordered)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(fields.map(([field, item]) => [field, ordered(item)]))
}

test('the answer to a plan does not hold its desired state', () =>
  onMemory(async ({ iam }) => {
    const applied = await done(iam.apply(await done(iam.plan(desired, context)), context))
    expect(applied).not.toHaveProperty('desired')
    expect(await badFields(iam.apply(applied as never, context))).toContain('desired')
  }))

test('a plan with a secret that was not sealed for its provider is refused', async () => {
  const notItsOwn = [
    {
      field: 'desired.identityProviders[0].sealedSecret',
      description: 'must be sealed for this provider, by the current key: plan again',
    },
  ]
  const setSecret = (secret: string) =>
    violationsAfter((plan) => {
      plan.desired.identityProviders[0].sealedSecret = secret
    })
  expect(await setSecret('in plain text')).toEqual(notItsOwn)

  let ofAnother = ''
  await onMemory(async ({ iam }) => {
    const other = { identityProviders: [{ ...google, idpId: 'other' }] }
    const plan = await done(iam.plan(other, context))
    ofAnother = String(plan.desired.identityProviders?.[0]?.sealedSecret)
  })
  expect(ofAnother).not.toBe('')
  expect(await setSecret(ofAnother)).toEqual(notItsOwn)
})

test('a plan from before a key rotation does not bring back the old key', async () => {
  const store = memoryEventStore()
  const plan = await done(iamOn(store).plan({ identityProviders: [google] }, context))
  const rotated = iamOn(store, { secrets: newCipher })
  expect(await badFields(rotated.apply(plan, context))).toEqual([
    'desired.identityProviders[0].sealedSecret',
  ])
  await done(rotated.apply({ identityProviders: [google] }, context))
  const forgetful = iamOn(store, { secrets: forgetfulCipher }).identityProviders
  expect(await done(forgetful.revealClientSecret({ idpId: 'google' }, context))).toMatchObject({
    clientSecret: 'top secret',
  })
})

test('context fields without meaning for many objects are refused', async () => {
  const iam = instanceOn(memoryEventStore())
  const plan = await done(iam.plan(desired, context))
  // No type allows a dry run here.
  const dryRun = true as false
  for (const given of [desired, plan])
    expect(
      await refused(
        iam.apply(given, { ...context, expectedSequence: 1n, idempotencyKey: 'k', dryRun }),
      ),
    ).toEqual({
      kind: 'InvalidArgument',
      violations: ['expectedSequence', 'idempotencyKey', 'dryRun'].map((field) => ({
        field,
        description: 'is not accepted by this method',
      })),
    })
})

test('an outdated plan is a failed precondition that names the changed objects', () => {
  const object = { type: 'project_role', projectId: 'portal', roleKey: 'editor' } as const
  expect(toStatus({ kind: 'PlanOutdated', moved: [{ object, change: 'removed' }] })).toMatchObject({
    code: 9,
    details: [
      { reason: 'PLAN_OUTDATED' },
      {
        '@type': 'type.googleapis.com/google.rpc.PreconditionFailure',
        violations: [
          {
            type: 'PLAN_OUTDATED',
            subject: 'project_role/portal/editor',
            description: 'was removed since',
          },
        ],
      },
    ],
  })
})

test('a plan is checked against the current state with any consistency', () =>
  onMemory(async ({ iam, plain }) => {
    await done(iam.apply(desired, context))
    const plan = await done(iam.plan(desired, context))
    const late = { ...context, consistency: 'eventual' } as const
    const { counts } = await done(instanceOn(plain).apply(plan, late))
    expect(counts.unchanged).toBe(3)
  }))

test('a provider with the id of a project does not get its roles', () =>
  onMemory(async ({ iam }) => {
    const identityProviders = [{ ...google, idpId: portal.id }]
    const plan = await done(iam.plan({ ...desired, identityProviders }, context))
    expect((await done(iam.apply(plan, context))).counts.add).toBe(3)
  }))

test('a plan is not applied while the read model is unavailable', () =>
  onMemory(async ({ plain }) => {
    const cause = new Error('away')
    const readModel = { ...memoryReadModel(), list: () => Promise.reject(cause) }
    const plan = await done(instanceOn(plain).plan(desired, context))
    expect(
      await refused(iamOn(plain, { secrets: cipher(), readModel }).apply(plan, context)),
    ).toEqual({
      kind: 'Unavailable',
      outcome: 'not_recorded',
      cause,
    })
  }))

test('a plan is not applied while the cipher is unavailable', () =>
  onMemory(async ({ plain }) => {
    const cause = new Error('no key server')
    const plan = await done(instanceOn(plain).plan(desired, context))
    const away = { ...cipher(), open: () => Promise.reject(cause) }
    expect(await refused(instanceOn(plain, away).apply(plan, context))).toEqual({
      kind: 'Unavailable',
      outcome: 'not_recorded',
      cause,
    })
  }))

test('a plan of a caller who may read the stored secret is applied by one who may not', () =>
  onMemory(async ({ iam, plain }) => {
    const blind = without('identity_provider.secret.read')
    await done(iam.apply(desired, context))
    const unchanged = await done(iam.plan(desired, context))
    expect((await done(iam.apply(unchanged, blind))).counts.unchanged).toBe(3)
    const set = await done(iam.plan(desired, blind))
    const head = await plain.lastPosition()
    expect((await done(iam.apply(set, context))).counts.update).toBe(1)
    expect(await plain.lastPosition()).toBeGreaterThan(head)
  }))

test('a plan that shows another secret as unchanged is refused for a caller who may read the stored one', () =>
  onMemory(async ({ iam }) => {
    await done(iam.apply(desired, context))
    const other = { identityProviders: [{ ...google, clientSecret: 'another' }] }
    const plan = JSON.parse(JSON.stringify(await done(iam.plan(other, context))))
    const shown = { fields: [{ field: 'clientSecret', secret: 'unchanged' }] }
    Object.assign(plan.changes[0], { ...shown, action: 'unchanged' })
    expect(await refused(iam.apply(plan, context))).toMatchObject({ kind: 'PlanOutdated' })
    await done(iam.apply(plan, without('identity_provider.secret.read')))
    const { clientSecret } = await done(
      iam.identityProviders.revealClientSecret({ idpId: 'google' }, context),
    )
    expect(clientSecret).toBe('top secret')
  }))

test('an abort ends the wait for a cipher that does not answer', () =>
  onMemory(async ({ plain }) => {
    const controller = new AbortController()
    const silent = { ...cipher(), open: () => new Promise<never>(() => undefined) }
    const plan = await done(instanceOn(plain).plan(desired, context))
    const aborted = { ...context, signal: controller.signal }
    const applying = instanceOn(plain, silent).apply(plan, aborted)
    controller.abort()
    expect(await refused(applying)).toEqual({ kind: 'Cancelled' })
  }))

test('permission to read one secret is enough to see that it is unchanged', () =>
  onMemory(async ({ iam, plain }) => {
    await done(iam.apply(desired, context))
    const authorize = ({ permission, object }: PermissionQuestion) =>
      permission !== 'identity_provider.secret.read' || object?.id === google.idpId
    const permitted = iamOn(plain, { secrets: cipher(), authorize })
    const { counts } = await done(permitted.plan(desired, context))
    expect(counts.unchanged).toBe(3)
  }))

test('a plan is outdated when an object has changed that another desired state manages', async () => {
  await onMemory(async (world) => {
    await done(world.iam.apply({ projects: [portal], managedBy: 'code' }, context))
    const plan = await done(world.iam.plan({ projects: [portal], managedBy: 'other' }, context))
    await done(world.iam.projects.patch({ id: 'portal', name: 'Renamed' }, context))
    const appends = world.appends
    expect(await refused(world.iam.apply(plan, context))).toEqual({
      kind: 'PlanOutdated',
      moved: [{ object: { type: 'project', id: 'portal' }, change: 'changed' }],
    })
    expect(world.appends).toBe(appends)
  })
})
