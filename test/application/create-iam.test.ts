import { expect, it, onTestFinished, vi } from 'vitest'
import {
  createIam,
  type IamOptions,
  memoryEventStore,
  memoryReadModel,
  permissionsFromCaller,
} from '../../src/index.js'
import { addAllSamples, context, good, iamOn, logOf, oldCipher, refusal } from './host.js'

const options: IamOptions = {
  store: memoryEventStore(),
  secrets: oldCipher,
  authorize: permissionsFromCaller,
}

it.each(['store', 'secrets', 'authorize'])('does without no %s', (name) => {
  for (const nothing of [undefined, null, {}, 'text'])
    expect(() => createIam({ ...options, [name]: nothing } as IamOptions)).toThrow(
      new RegExp(`^${name} must be a`),
    )
})

it('says how stores are passed, which is spread, or awaited first', () => {
  for (const opened of [{ store: { store: memoryEventStore() } }, Promise.resolve(options)])
    expect(() => createIam({ ...options, store: undefined, ...opened } as never)).toThrow(
      new TypeError('store must be an EventStore: spread openSqlite(), await openPostgres()'),
    )
})

it('misses its options as a whole by the first of them', () => {
  expect(() => Reflect.apply(createIam, undefined, [])).toThrow(/^store must be an EventStore/)
})

it('takes nothing else for a read model, a source of ids or a clock', () => {
  for (const wrong of [null, {}, 'text']) {
    expect(() => createIam({ ...options, readModel: wrong } as IamOptions)).toThrow(
      new TypeError(
        'readModel must be a ReadModel with checkpoint, access, heldRoles, holders and route',
      ),
    )
    expect(() => createIam({ ...options, newId: wrong } as IamOptions)).toThrow(
      new TypeError('newId must be a function'),
    )
    expect(() => createIam({ ...options, now: wrong } as IamOptions)).toThrow(
      new TypeError('now must be a function'),
    )
  }
})

it('loads its read model again after it could not be loaded', async () => {
  const path = '../../src/adapters/memory/read-model.js'
  vi.resetModules()
  onTestFinished(() => {
    vi.doUnmock(path)
    vi.resetModules()
  })
  vi.doMock(path, () => {
    throw new Error('away')
  })
  const { createIam: create } = await import('../../src/create-iam.js')
  const iam = create({ ...options, store: memoryEventStore() })
  const list = () => iam.projects.list({}, context)
  expect(await refusal(list())).toMatchObject({ kind: 'Unavailable' })
  vi.doUnmock(path)
  expect((await good(list())).items).toEqual([])
})

it.each([
  ['hooks must be an object', null],
  ['hooks must be an object', 5],
  ['hooks must be an object', () => undefined],
  ['hooks.onCall must be a function', { onCall: 5 }],
  ['hooks.onFault must be a function', { onCall: () => undefined, onFault: null }],
])('takes nothing else for hooks: %s', (why, hooks) => {
  expect(() => createIam({ ...options, hooks } as never)).toThrow(new TypeError(why))
})

it('takes hooks that are methods of an object with something of its own', () => {
  class Slow {
    readonly onlySlow = true
    onCall() {}
  }
  createIam({ ...options, hooks: new Slow() })
})

it.each(['', 'a+b', 'x'.repeat(65), 5, undefined])(
  'records nothing under %j, which is no id, and says who drew it',
  async (drawn) => {
    const store = memoryEventStore()
    const iam = createIam({ ...options, store, newId: () => drawn as string })
    for (const id of [undefined, 'portal']) {
      await expect(iam.projects.add({ id, name: 'n' }, context)).rejects.toThrow(
        /^newId must return 1 to 64 letters/,
      )
    }
    expect(await logOf(store)).toEqual([])
  },
)

it('lets nobody in by default', () => {
  const { authorize: _, ...open } = options
  expect(() => createIam(open as IamOptions)).toThrow(TypeError)
})

it('refuses an option that it does not have, and names those that it has', () => {
  const [has, known] = ['createIam has no option', 'store, secrets, authorize, readModel, newId']
  for (const name of ['hook', 'clock', 'authorise'])
    expect(() => createIam({ ...options, [name]: undefined } as IamOptions)).toThrow(
      `${has} ${name}; it has ${known}`,
    )
  expect(() => createIam({ ...options, domains: { resolveTXT: 1 } } as never)).toThrow(
    new TypeError('domains has no option resolveTXT; it has resolveTxt, isPublicSuffix'),
  )
  expect(() => createIam({ ...options, domains: { resolveTxt: 1 } } as never)).toThrow(
    new TypeError('domains.resolveTxt must be a function'),
  )
})

it('ignores what opened stores have beside it, and takes undefined for absent', async () => {
  const opened = { close: () => undefined, migrate: async () => undefined }
  const more = { ...opened, readModel: undefined, newId: undefined }
  const iam = createIam({ ...options, ...more })
  const { projectId } = await good(iam.projects.add({ name: 'n' }, context))
  expect(await good(iam.projects.get({ id: projectId }, context))).toMatchObject({ name: 'n' })
})

it('reads from the given read model and takes ids from the given function', async () => {
  const store = memoryEventStore()
  const readModel = memoryReadModel()
  let drawn = 0
  const newId = () => `id-${++drawn}`
  const iam = createIam({ ...options, store, readModel, newId })
  const { projectId } = await good(iam.projects.add({ name: 'n' }, context))
  expect(projectId).toBe('id-1')
  expect((await logOf(store)).map(({ appendId }) => appendId)).toEqual(['id-2'])
  await good(iam.projects.get({ id: projectId }, context))
  expect(await readModel.checkpoint()).toBe(await store.lastPosition())
})

it('draws ids that rise, however many at once', async () => {
  const iam = createIam({ ...options, store: memoryEventStore() })
  const ids: string[] = []
  for (let n = 0; n < 3000; n++)
    ids.push((await good(iam.projects.add({ name: 'n' }, context))).projectId)
  expect(ids.toSorted()).toEqual(ids)
  expect(new Set(ids).size).toBe(3000)
})

it('judges by the clock it is given whether a role has expired', async () => {
  const store = memoryEventStore()
  await addAllSamples(iamOn(store))
  let now = new Date('2030-01-01')
  const iam = iamOn(store, { now: () => now })
  const bob = { userId: 'bob', projectId: 'portal' }
  const roles = [{ roleKey: 'viewer', expiresAt: new Date('2030-01-02') }]
  await good(iam.userGrants.addRoles({ ...bob, roles }, context))
  const keys = async () => (await good(iam.access.check(bob, context))).roleKeys
  expect(await keys()).toEqual(['editor', 'viewer'])
  now = new Date('2030-01-02')
  expect(await keys()).toEqual(['editor'])
})

it('uses the time of the system without a clock', async () => {
  const iam = iamOn(memoryEventStore())
  await addAllSamples(iam)
  const at = (ms: number) => new Date(Date.now() + ms)
  const whoHas = (ms: number) => iam.access.whoHas({ projectId: 'portal', at: at(ms) }, context)
  expect((await good(whoHas(0))).items).toMatchObject([{ userId: 'bob' }, { userId: 'mia' }])
  expect((await whoHas(60_000)).isErr()).toBe(true)
})

it('rejects what depends on a clock that tells no time, and records nothing', async () => {
  const store = memoryEventStore()
  await addAllSamples(iamOn(store))
  const before = await logOf(store)
  const bob = { userId: 'bob', projectId: 'portal' }
  for (const time of [new Date(Number.NaN), undefined, null, 5, '2030-01-01']) {
    const iam = iamOn(store, { now: () => time as Date })
    const roles = [{ roleKey: 'viewer' }]
    for (const call of [
      () => iam.access.check(bob, context),
      () => iam.access.rolesOf({ userId: 'bob' }, context),
      () => iam.access.whoHas({ projectId: 'portal' }, context),
      () => iam.userGrants.addRoles({ ...bob, roles }, context),
    ])
      await expect(async () => await call()).rejects.toEqual(
        new TypeError('now must return a valid Date'),
      )
  }
  expect(await logOf(store)).toEqual(before)
})
