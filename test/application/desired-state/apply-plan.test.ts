import { expect, test } from 'vitest'
import { memoryEventStore } from '../../../src/adapters/memory/event-store.js'
import type { Plan } from '../../../src/application/desired-state/plan/plan.js'
import { toStatus } from '../../../src/application/errors/to-status.js'
import { memoryReadModel, type PermissionQuestion } from '../../../src/index.js'
import { badFields, forgetfulCipher, iamOn, newCipher } from '../host.js'
import { cipher, context, done, instanceOn, onEmpty, refused } from './organization.js'

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

/** Applies the plan of `desired` after `alter` did something to its JSON; answers the violations. */
const violationsAfter = async (alter: (plan: ReturnType<typeof JSON.parse>) => void) => {
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
      plan.changes[1].events = undefined
      plan.undeclared = null
      plan.managedBy = ''
    }),
  ).toEqual([
    { field: 'managedBy', description: 'must not be empty' },
    { field: 'changes[0].fields', description: 'must be a list' },
    { field: 'changes[1].fields[0]', description: 'must be a field with its values, or a secret' },
    { field: 'changes[1].events', description: 'must be a list' },
    { field: 'undeclared', description: 'must be a list' },
  ])
})

test.each(['', '0', '01', '1n', 'x1', '1'.repeat(21)])(
  'a plan with "%s" for a sequence is refused',
  async (sequence) => {
    expect(
      await violationsAfter((plan) => {
        Object.assign(plan.changes[0], { action: 'unchanged', events: [], sequence })
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

test('a plan with an event of another object is refused', async () => {
  const alter = (plan: { changes: { events: { data: { id: string } }[] }[] }) => {
    plan.changes[0]!.events[0]!.data.id = 'shop'
  }
  expect(await violationsAfter(alter)).toEqual([
    { field: 'changes[0].events[0]', description: 'must be an event of the object of the change' },
  ])
})

test('a plan whose actions do not match its events is refused', async () => {
  expect(
    await violationsAfter((plan) => {
      plan.changes[1].action = 'unchanged'
    }),
  ).toEqual([
    { field: 'changes[1].action', description: 'must match the events' },
    {
      field: 'changes[1].sequence',
      description: 'must be absent when the object is added, and only then',
    },
  ])
})

test('a plan whose action does not match its second event is refused', async () => {
  const removed = {
    type: 'project_role.removed',
    schemaVersion: 1,
    data: { projectId: 'portal', roleKey: 'editor' },
  }
  const saysOtherwise = { field: 'changes[1].action', description: 'must match the events' }
  expect(await violationsAfter((plan) => plan.changes[1].events.push(removed))).toEqual([
    saysOtherwise,
  ])
  expect(
    await violationsAfter((plan) => {
      const [change] = plan.changes.splice(1, 1)
      const events = [removed, ...change.events]
      plan.changes.push({ ...change, action: 'remove', sequence: '1', events })
    }),
  ).toEqual([{ ...saysOtherwise, field: 'changes[2].action' }])
})

test('a plan that removes or updates without an event is refused', async () => {
  for (const action of ['remove', 'update'])
    expect(
      await violationsAfter((plan) => {
        Object.assign(plan.changes[1], { action, sequence: '1', events: [] })
      }),
    ).toEqual([{ field: 'changes[1].action', description: 'must match the events' }])
})

test('a plan with more than two events of one object is refused', async () => {
  expect(
    await violationsAfter(({ changes: [, { events }] }) => events.push(events[0], events[0])),
  ).toEqual([{ field: 'changes[1].events', description: 'must have at most 2 items' }])
})

test('a plan with event data that no command could have is refused', async () => {
  expect(
    await violationsAfter((plan) => {
      plan.changes[0].events[0].data.name = ''
    }),
  ).toEqual([{ field: 'changes[0].events[0].data.name', description: 'must not be empty' }])
  expect(
    await violationsAfter((plan) => {
      plan.changes[0].events[0].type = 'project.removed'
    }),
  ).toEqual([
    { field: 'changes[0].events[0].type', description: 'must be an event that a plan can have' },
  ])
  expect(
    await violationsAfter((plan) => {
      plan.changes[0].events[0].schemaVersion = 2
    }),
  ).toEqual([
    {
      field: 'changes[0].events[0].schemaVersion',
      description: 'must be the current schema version of the event type',
    },
  ])
})

test('a plan that names an object twice, or a role without its project, is refused', async () => {
  expect(await violationsAfter((plan) => plan.changes.push(plan.changes[1]))).toEqual([
    { field: 'changes[3].object', description: 'must not appear twice' },
  ])
  expect(await violationsAfter((plan) => plan.changes.shift())).toEqual([
    { field: 'changes[0].object.projectId', description: 'must be a project of the plan' },
  ])
})

test('a plan with a secret that was not sealed for its provider is refused', async () => {
  const notItsOwn = [
    {
      field: 'changes[2].events[0].data.clientSecret',
      description: 'must be sealed for this provider, by the current key: plan again',
    },
  ]
  const setSecret = (secret: string) =>
    violationsAfter((plan) => {
      plan.changes[2].events[0].data.clientSecret = secret
    })
  expect(await setSecret('in plain text')).toEqual(notItsOwn)

  let ofAnother = ''
  await onMemory(async ({ iam }) => {
    const other = { identityProviders: [{ ...google, idpId: 'other' }] }
    const { changes } = await done(iam.plan(other, context))
    const data = changes[0]?.events[0]?.data
    if (data && 'clientSecret' in data) ofAnother = String(data.clientSecret)
  })
  expect(ofAnother).not.toBe('')
  expect(await setSecret(ofAnother)).toEqual(notItsOwn)
})

test('a plan from before a key rotation does not bring back the old key', async () => {
  const store = memoryEventStore()
  const plan = await done(iamOn(store).plan({ identityProviders: [google] }, context))
  const rotated = iamOn(store, { secrets: newCipher })
  expect(await badFields(rotated.apply(plan, context))).toEqual([
    'changes[0].events[0].data.clientSecret',
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

test('a plan may have more objects than a call takes arguments', async () => {
  const epoch = new Date(0)
  const details = { sequence: 1n, creationDate: epoch, changeDate: epoch, resourceOwner: 'acme' }
  const roles = Array.from({ length: 130_000 }, (_, index) => ({
    projectId: 'portal',
    roleKey: `r${index}`,
    details,
  }))
  const unchanged = { action: 'unchanged', fields: [], events: [], sequence: '1' } as const
  const plan: Plan = {
    orgId: 'acme',
    changes: [
      { object: { type: 'project', id: 'portal' }, ...unchanged },
      ...roles.map(({ projectId, roleKey }) => ({
        object: { type: 'project_role' as const, projectId, roleKey },
        ...unchanged,
      })),
    ],
    counts: { add: 0, update: 0, remove: 0, unchanged: 130_001 },
    undeclared: [],
  }
  const readModel = {
    ...memoryReadModel(),
    get: async () => ({ details }) as never,
    list: async ({ type }: { readonly type: string }) => {
      const items = type === 'project_role' ? roles : []
      return { items, hasMore: false, totalSize: items.length, sequence: 0n } as never
    },
  }
  const iam = iamOn(memoryEventStore(), { readModel })
  const { changes } = await done(iam.apply(plan, context))
  expect(changes).toHaveLength(130_001)
})

test('a plan from which a reviewer removed changes reports the others', async () => {
  await onMemory(async ({ iam }) => {
    const plan = JSON.parse(JSON.stringify(await done(iam.plan(desired, context))))
    plan.changes.splice(-1, 1)
    const applied = await done(iam.apply(plan, context))
    expect(applied.counts).toEqual({ add: 2, update: 0, remove: 0, unchanged: 0 })
  })
})

test('a plan is checked against the current state, whatever the consistency', () =>
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
    const readModel = { ...memoryReadModel(), get: () => Promise.reject(cause) }
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

test('a secret is checked in every event of a plan', () =>
  onMemory(async ({ iam }) => {
    await done(iam.apply(desired, context))
    const changed = { ...google, name: 'New', clientSecret: 'another' }
    const planned = await done(iam.plan({ identityProviders: [changed] }, context))
    const plan = JSON.parse(JSON.stringify(planned))
    const { events } = plan.changes[0]
    events.sort((one: { data: object }) => ('clientSecret' in one.data ? 1 : -1))
    expect(events).toHaveLength(2)
    events[1].data.clientSecret = 'in plain text'
    expect(await badFields(iam.apply(plan, context))).toEqual([
      'changes[0].events[1].data.clientSecret',
    ])
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
