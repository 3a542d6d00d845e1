import { beforeEach, describe, expect, it } from 'vitest'
import {
  type Caller,
  checkCaller,
  type EventStore,
  type PermissionQuestion,
} from '../../../src/index.js'
import {
  addAllSamples,
  badFields,
  caller,
  context,
  everything,
  good,
  iamOn,
  inGlobex,
  logOf,
  refusal,
  start,
} from '../host.js'
import { methods, reads, SAMPLE, writes } from './methods.js'
import { checkMethods, checkOrder, withoutAuthorize } from './order-of-checks-suite.js'

let store: EventStore

beforeEach(async () => {
  const started = start()
  store = started.store
  await addAllSamples(started.iam)
})

// The other methods are in order-of-checks-of-all.test.ts, which mutation testing leaves out.
const sample = methods.filter(({ name }) => SAMPLE.includes(name))
checkMethods(sample)
checkOrder(sample)

it.each([
  [
    { type: 'identity_provider', idpId: 'google' },
    { type: 'identity_provider', id: 'google' },
  ],
  [
    { type: 'project', id: 'portal' },
    { type: 'project', id: 'portal' },
  ],
  [
    { type: 'project_role', projectId: 'portal', roleKey: 'editor' },
    { type: 'project', id: 'portal' },
  ],
])(
  'asks whether the history of %o may be seen: of a role, as of its project',
  async (object, asked) => {
    const questions: PermissionQuestion[] = []
    const iam = iamOn(store, { authorize: (question) => questions.push(question) < 0 })
    await refusal(iam.history.list({ object } as never, context))
    expect(questions).toMatchObject([{ permission: 'event.read', object: asked }])
  },
)

it.each(['identityProviders', 'projects', 'history'] as const)(
  'asks about the whole organization before it lists %s',
  async (group) => {
    const questions: PermissionQuestion[] = []
    const iam = iamOn(store, { authorize: (question) => questions.push(question) < 0 })
    await refusal(iam[group].list({}, context))
    expect(questions[0]).not.toHaveProperty('object')
  },
)

describe('An input that answers differently each time', () => {
  /** Each read of a field answers `first` once, then `second`. */
  const fickle = (input: object, first: string, second: string): object => {
    const asked = new Set<PropertyKey>()
    return new Proxy(input, {
      get: (target, field) => {
        if (!['id', 'idpId', 'projectId', 'domain', 'linkId'].includes(String(field)))
          return Reflect.get(target, field)
        if (!Object.hasOwn(target, field)) return undefined
        const answer = asked.has(field) ? second : first
        asked.add(field)
        return answer
      },
    })
  }

  it.each(writes)('$name changes the object that was authorized', async ({ of, input }) => {
    const asked: unknown[] = []
    const iam = iamOn(store, {
      authorize: ({ object }) => {
        asked.push(object?.id ?? object?.projectId)
        return true
      },
    })
    const before = (await logOf(store)).length
    const own = ['idpId', 'id', 'projectId', 'domain', 'linkId']
      .map((field) => Reflect.get(input, field))
      .find(Boolean)
    await of(iam)(fickle(input, 'domain' in input ? 'decoy.example' : 'decoy', own), context)
    const written = (await logOf(store))
      .slice(before)
      .map(({ stream }) => stream)
      // The hash of a token names no object.
      .filter((stream) => !stream.startsWith('setup_link_token-'))
    for (const stream of written)
      for (const id of asked) expect(stream).toMatch(new RegExp(`[-+]${id}([+]|$)`))
  })
})

const ofWholeStates: readonly Pick<(typeof methods)[number], 'name' | 'of' | 'input'>[] = [
  { name: 'plan', of: (iam) => iam.plan as never, input: { projects: [] } },
  { name: 'apply', of: (iam) => iam.apply as never, input: { projects: [] } },
  { name: 'apply (a plan)', of: (iam) => iam.apply as never, input: { changes: [] } },
]

describe.each([...methods, ...ofWholeStates])(
  '$name, with input that cannot be read',
  ({ name, of, input }) => {
    const throwing = (traps: readonly (keyof ProxyHandler<object>)[], target: object = input) =>
      new Proxy(
        target,
        Object.fromEntries(
          traps.map((trap) => [
            trap,
            () => {
              throw new Error('not to be read')
            },
          ]),
        ),
      )

    const isSample = SAMPLE.includes(name) || !name.includes('.')

    const traps: readonly { readonly traps: readonly (keyof ProxyHandler<object>)[] }[] = [
      { traps: ['has', 'get', 'ownKeys', 'getOwnPropertyDescriptor', 'getPrototypeOf'] },
      ...(isSample ? ([{ traps: ['get'] }, { traps: ['ownKeys'] }] as const) : []),
    ]

    it.each(traps)('answers that the input is malformed: $traps', async ({ traps }) => {
      const answer = await of(iamOn(store))(throwing(traps), context)
      expect(answer._unsafeUnwrapErr()).toMatchObject({ kind: 'InvalidArgument' })
    })

    if (!isSample) return

    it('answers that the context is malformed', async () => {
      const answer = await of(iamOn(store))(input, throwing(['get'], { ...context }))
      expect(answer._unsafeUnwrapErr()).toMatchObject({ kind: 'InvalidArgument' })
    })
  },
)

describe('Before the permission is asked', () => {
  /** `count` items that are malformed, and how many of them were read. */
  const countedItems = (count: number) => {
    const read = new Set<number>()
    const items = Array.from({ length: count }, (_, index) => ({
      get roleKey() {
        read.add(index)
        return ''
      },
    }))
    return { items, read }
  }

  it.each([
    ['projectRoles.addMany', 1_000],
    ['plan', 10_000],
  ] as const)(
    '%s reads a long list only up to the violations that it would report',
    async (name, count) => {
      const { items, read } = countedItems(count)
      const iam = iamOn(store, { authorize: () => false })
      const call =
        name === 'plan'
          ? iam.plan({ projects: [{ id: 'p', name: 'P', roles: items as never }] }, context)
          : iam.projectRoles.addMany({ projectId: 'portal', roles: items as never }, context)
      expect(await refusal(call)).toMatchObject({ kind: 'PermissionDenied' })
      expect(read.size).toBeLessThanOrEqual(100)
    },
  )

  it('a list that is too long is counted, and its items are not read', async () => {
    const { items, read } = countedItems(1_001)
    const input = { projectId: 'portal', roles: items as never }
    expect(await badFields(iamOn(store).projectRoles.addMany(input, context))).toEqual(['roles'])
    expect(read.size).toBe(0)
  })
})

describe('A context', () => {
  const violationsOf = async (given: object) => {
    const error = await refusal(iamOn(store).history.list({}, { ...context, ...given }))
    return error.kind === 'InvalidArgument' ? error.violations : []
  }

  it('is refused with what each malformed field must be', async () => {
    const malformed = {
      caller: { userId: '', orgId: 'acme' },
      expectedSequence: 1,
      idempotencyKey: '',
      dryRun: 'yes',
      consistency: 'weak',
      correlationId: 'x'.repeat(256),
      reason: '',
      signal: { aborted: false },
      onProgress: 1,
    }
    expect(await violationsOf(malformed)).toEqual([
      { field: 'caller.userId', description: 'must be 1 to 200 characters of well-formed text' },
      { field: 'expectedSequence', description: 'must be a bigint from 0 to 2^64 - 1' },
      { field: 'idempotencyKey', description: 'must be 1 to 255 printable ASCII characters' },
      { field: 'dryRun', description: 'must be true or false' },
      { field: 'consistency', description: "must be 'strong' or 'eventual'" },
      { field: 'correlationId', description: 'must be at most 255 characters of well-formed text' },
      { field: 'reason', description: 'must be 1 to 500 characters of well-formed text' },
      { field: 'signal', description: 'must be an AbortSignal' },
      { field: 'onProgress', description: 'must be a function' },
    ])
  })

  it('is refused with each field that the method does not support', async () => {
    const given = { ...context, idempotencyKey: 'k', expectedSequence: 0n, dryRun: false }
    const call = iamOn(store).identityProviders.resealSecrets({}, given as never)
    expect(await refusal(call)).toMatchObject({
      violations: [
        { field: 'expectedSequence', description: 'is not accepted by this method' },
        { field: 'idempotencyKey', description: 'is not accepted by this method' },
      ],
    })
  })

  it('may ask for a strong read', async () => {
    await good(iamOn(store).projects.get({ id: 'portal' }, { ...context, consistency: 'strong' }))
  })

  it('has a caller whose violations can be checked alone', () => {
    expect(checkCaller(caller)).toEqual([])
    expect(checkCaller({ userId: 'u', orgId: 'a b' })).toMatchObject([{ field: 'caller.orgId' }])
  })

  it('is refused when a property of it throws', async () => {
    const throwing = {
      get caller(): never {
        throw new Error('not to be read')
      },
    }
    const call = iamOn(store).history.list({}, throwing)
    expect(await refusal(call)).toEqual({
      kind: 'InvalidArgument',
      violations: [
        { field: '', description: 'the context must be readable: a property of it throws' },
      ],
    })
  })

  it('may have a signal of another kind with the same methods, and needs each of them', async () => {
    const methods = { addEventListener: () => undefined, removeEventListener: () => undefined }
    const signal = { aborted: false, ...methods }
    expect(await violationsOf({ signal: { aborted: false } })).toHaveLength(1)
    for (const absent of Object.keys(signal))
      expect(await violationsOf({ signal: { ...signal, [absent]: undefined } })).toHaveLength(1)
    await good(iamOn(store).projects.get({ id: 'portal' }, { caller, signal } as never))
  })

  it('cuts off the names of unknown properties, to well-formed text', async () => {
    const [violation] = await violationsOf({ [`a${'\uD83D\uDE00'.repeat(300)}`]: 1 })
    expect(violation).toEqual({
      field: `a${'\uD83D\uDE00'.repeat(99)}\uFFFD`,
      description: 'is not a known field of a context',
    })
  })

  it.each(sample)(
    'with unknown properties is refused by $name, naming them',
    async ({ of, input }) => {
      const before = (await logOf(store)).length
      const misspelt = { ...context, org: 'globex', idempotencykey: 'k' }
      expect(await badFields(of(withoutAuthorize(store))(input, misspelt))).toEqual([
        'org',
        'idempotencykey',
      ])
      expect(await logOf(store)).toHaveLength(before)
    },
  )

  it('may be an object of a class, with methods of its own', async () => {
    class RequestContext {
      readonly caller = caller
      trace() {
        return 'of the host'
      }
    }
    await good(iamOn(store).projects.get({ id: 'portal' }, new RequestContext()))
  })

  it('names at most a hundred unknown properties', async () => {
    const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`f${index}`, 1]))
    const call = iamOn(store).projects.get({ id: 'portal' }, { ...context, ...many })
    expect(await badFields(call)).toHaveLength(100)
  })
})

describe('While authorize is pending', () => {
  const later = { authorize: async () => true }

  it.each(methods.filter(({ object }) => object !== undefined))(
    '$name runs on the input that was authorized, although it changes meanwhile',
    async ({ of, input }) => {
      const changing: Record<string, unknown> = { ...input }
      const iam = iamOn(store, later)
      const calling = of(iam)(changing, context)
      const other = { idpId: 'other', id: 'other', projectId: 'other' }
      Object.assign(changing, other, { object: { ...Object(changing['object']), ...other } })
      await good(calling)
      expect(JSON.stringify((await logOf(store)).map(({ stream }) => stream))).not.toContain(
        'other',
      )
    },
  )

  it('changes the objects of a desired state and of a plan that were authorized', async () => {
    const iam = iamOn(store, later)
    const project = { id: 'new', name: 'New' }
    const planned = structuredClone(await good(iam.plan({ projects: [project] }, context)))
    const planning = iam.plan({ projects: [project] }, context)
    const applying = iam.apply(planned, context)
    project.id = 'other'
    Object.assign(planned.changes[0]?.object ?? {}, { id: 'other' })
    expect((await good(planning)).changes).toMatchObject([{ object: { id: 'new' } }])
    expect((await good(applying)).changes).toMatchObject([{ object: { id: 'new' } }])
  })

  it('a call is recorded with the caller as it was', async () => {
    const caller = { userId: 'alice', orgId: 'acme' }
    const adding = iamOn(store, later).projects.add({ id: 'mine', name: 'Mine' }, { caller })
    Object.assign(caller, { userId: 'mallory', orgId: 'globex' })
    await good(adding)
    const [added] = await store.readStream('project-acme+mine')
    expect(added?.metadata.actor).toEqual({ userId: 'alice', orgId: 'acme' })
  })
})

/** Reads that find one object, or what lies in it. */
const ofOneObject = reads.filter(
  ({ name }) => !/\.list|^access/.test(name) || /^project(Role|Grant)s\.list$/.test(name),
)

describe('The organization of a call', () => {
  it.each(writes.filter(({ refuses = [] }) => refuses.length === 0))(
    'does not find the objects of another one: $name',
    async ({ of, input }) => {
      const before = (await logOf(store)).length
      expect(await refusal(of(iamOn(store))(input, inGlobex))).toMatchObject({ kind: 'NotFound' })
      expect(await logOf(store)).toHaveLength(before)
    },
  )

  it.each(ofOneObject)('does not find the objects of another one: $name', async ({ of, input }) => {
    expect(await refusal(of(iamOn(store))(input, inGlobex))).toMatchObject({ kind: 'NotFound' })
  })

  it('lists nothing of another one', async () => {
    const iam = iamOn(store)
    expect(await good(iam.identityProviders.list({}, inGlobex))).toMatchObject({ items: [] })
    expect(await good(iam.projects.list({}, inGlobex))).toMatchObject({ items: [], totalSize: 0 })
    expect(await good(iam.history.list({}, inGlobex))).toEqual({ items: [] })
    expect(await good(iam.userGrants.list({}, inGlobex))).toMatchObject({ items: [], totalSize: 0 })
    expect(await good(iam.projectGrants.listReceived({}, inGlobex))).toMatchObject({ items: [] })
  })

  it('answers checks of access without what another one has', async () => {
    const { access } = iamOn(store)
    const bob = { userId: 'bob', projectId: 'portal', roleKey: 'editor' }
    expect(await good(access.check(bob, inGlobex))).toEqual({
      allowed: false,
      roleKeys: [],
      permissions: [],
      reasons: [{ kind: 'ProjectNotFound' }],
    })
    expect(await good(access.rolesOf({ userId: 'bob' }, inGlobex))).toEqual({ items: [] })
    const scopes = access.scopesOf({ userId: 'bob', roleKey: 'editor' }, inGlobex)
    expect(await good(scopes)).toEqual({ items: [] })
    expect(await good(access.whoHas({ projectId: 'portal' }, inGlobex))).toEqual({ items: [] })
    expect(await good(access.users({ projectId: 'portal' }, inGlobex))).toEqual({ items: [] })
  })

  it('can hold objects with the same ids as another one', async () => {
    const iam = iamOn(store)
    await addAllSamples(iam, inGlobex)
    await good(iam.projects.remove({ id: 'portal' }, inGlobex))
    expect(await good(iam.projects.get({ id: 'portal' }, context))).toMatchObject({
      details: { resourceOwner: 'acme' },
    })
  })

  it('is that of the caller by default, and may be named', async () => {
    const iam = iamOn(store)
    await good(iam.projects.get({ id: 'portal' }, { caller, orgId: 'acme' }))
    await good(iam.projects.get({ id: 'portal' }, { caller, orgId: undefined }))
  })

  it.each(['constructor', 'toString', 'hasOwnProperty', 'length'])(
    'allows nothing in the organization %s unless it is listed',
    async (orgId) => {
      const iam = iamOn(store)
      const error = await refusal(iam.projects.add({ name: 'n' }, { caller, orgId }))
      expect(error).toEqual({ kind: 'PermissionDenied', permission: 'project.write', orgId })
      const listed: Caller = { ...caller, permissionsIn: { [orgId]: ['project.write'] } }
      await good(iam.projects.add({ name: 'n' }, { caller: listed, orgId }))
      const own: Caller = { userId: 'u', orgId, permissions: ['project.write'] }
      await good(iam.projects.add({ name: 'n' }, { caller: own }))
    },
  )

  it('is never __proto__', async () => {
    const permissionsIn = JSON.parse('{"__proto__": ["project.write"]}')
    const call = iamOn(store).projects.add(
      { name: 'n' },
      { caller: { ...caller, permissionsIn }, orgId: '__proto__' },
    )
    expect(await badFields(call)).toEqual(['orgId'])
  })

  it('grants only the permissions listed for it', async () => {
    const iam = iamOn(store)
    const own = { userId: 'u', orgId: 'acme' }
    const callers: readonly (readonly [Caller, string])[] = [
      // What is listed for the own organization under its name does not count.
      [{ ...own, permissions: [], permissionsIn: { acme: everything } }, 'acme'],
      [{ ...own, permissionsIn: { acme: everything } }, 'acme'],
      [{ ...own, permissions: 'project.read' as never }, 'acme'],
      [{ ...own, permissionsIn: Object.create({ globex: everything }) }, 'globex'],
      [{ ...own, permissions: everything, permissionsIn: {} }, 'globex'],
    ]
    for (const [caller, orgId] of callers)
      expect(await refusal(iam.projects.get({ id: 'portal' }, { caller, orgId }))).toEqual({
        kind: 'PermissionDenied',
        permission: 'project.read',
        orgId,
      })
  })

  it('is described in the violation of a malformed id', async () => {
    const bad = { caller: { ...caller, orgId: 'auth0|42' }, orgId: 'ac me' }
    const description =
      'must be 1 to 64 letters, digits or any of . _ : @ ~ -, starting with a letter or digit'
    expect(await refusal(iamOn(store).projects.add({ name: 'n' }, bad))).toEqual({
      kind: 'InvalidArgument',
      violations: [
        { field: 'caller.orgId', description },
        { field: 'orgId', description },
      ],
    })
  })

  it('takes 255 characters of a correlation id, however many units they are', async () => {
    const { projectId } = await good(
      iamOn(store).projects.add({ name: 'n' }, { caller, correlationId: '😀'.repeat(255) }),
    )
    const events = await store.readStream(`project-acme+${projectId}`)
    expect(events[0]?.metadata).toEqual({
      actor: { userId: 'alice', orgId: 'acme' },
      resourceOwner: 'acme',
      correlationId: '😀'.repeat(255),
    })
    const long = { caller, correlationId: '😀'.repeat(256) }
    expect(await badFields(iamOn(store).projects.add({ name: 'n' }, long))).toEqual([
      'correlationId',
    ])
  })

  it('takes 500 characters of a reason, however many units they are', async () => {
    const reason = '😀'.repeat(500)
    const { events } = await good(iamOn(store).projects.add({ name: 'n' }, { caller, reason }))
    expect(events.map(({ metadata }) => metadata.reason)).toEqual([reason])
    const long = { caller, reason: `${reason}😀` }
    expect(await badFields(iamOn(store).projects.add({ name: 'n' }, long))).toEqual(['reason'])
  })
})

describe('An argument that changes during a call', () => {
  const object = { type: 'project', id: 'portal' } as const

  it('a Date is used as it was given', async () => {
    const time = new Date('2100-01-01')
    const iam = iamOn(store, {
      authorize: async () => {
        time.setTime(Number.NaN)
        return true
      },
    })
    expect(await good(iam.history.stateAt({ object, time }, context))).toMatchObject({
      id: 'portal',
    })
    time.setTime(0)
    expect((await good(iam.history.list({ time: { from: time } }, context))).items).toHaveLength(10)
  })

  it('a Date that cannot be read is malformed', async () => {
    class Odd extends Date {
      override getTime(): number {
        throw new Error('not to be read')
      }
    }
    const iam = iamOn(store)
    expect(await good(iam.history.list({ time: { from: new Odd(0) } }, context))).toHaveProperty(
      'items',
    )
    expect(
      await badFields(iam.history.list({ time: { from: new Odd(Number.NaN) } }, context)),
    ).toEqual(['time.from'])
  })

  it('onProgress is used as it was checked', async () => {
    let reads = 0
    const reported: unknown[] = []
    const within = {
      ...context,
      get onProgress() {
        return reads++ === 0 ? (progress: unknown) => reported.push(progress) : (5 as never)
      },
    }
    await good(iamOn(store).identityProviders.resealSecrets({}, within))
    expect(reported).toHaveLength(1)
  })

  it('a signal that cannot be listened to is a fault of the host', async () => {
    const signal = {
      aborted: false,
      addEventListener: () => {
        throw new Error('no listeners')
      },
      removeEventListener: () => undefined,
    }
    const call = iamOn(store).projects.get({ id: 'portal' }, { ...context, signal } as never)
    expect(await refusal(call)).toMatchObject({ kind: 'Unavailable', outcome: 'not_recorded' })
  })
})
