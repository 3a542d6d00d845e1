import { describe, expect, it } from 'vitest'
import {
  aesGcmCipher,
  createIam,
  type EventStore,
  type Hooks,
  type IamOptions,
  memoryEventStore,
  type Permission,
  type Projection,
  permissionsFromCaller,
  StoreFault,
} from '../../../src/index.js'
import { PROJECT_DEFAULTS } from '../../defaults.js'

const permissions: readonly Permission[] = [
  'identity_provider.read',
  'identity_provider.write',
  'membership.read',
  'membership.write',
  'identity_provider.secret.read',
  'project.read',
  'project.write',
  'project.role.write',
  'event.read',
]
const context = { caller: { userId: 'alice@example.com', orgId: 'acme', permissions } }
const portal = { ...PROJECT_DEFAULTS, id: 'portal', name: 'Portal of Alice' }
const key = (byte: number) => new Uint8Array(32).fill(byte)
const secrets = aesGcmCipher({ current: 'k1', keys: { k1: key(1) } })

/** The arguments of every hook, in order. */
const recorder = () => {
  const reported: { readonly hook: string; readonly [field: string]: unknown }[] = []
  const note = (hook: string) => (what: object) => void reported.push({ hook, ...what })
  const hooks: Hooks = {
    onCall: note('call'),
    onAppend: note('append'),
    onConflict: note('conflict'),
    onRetry: note('retry'),
    onCatchUp: note('catchUp'),
    onFault: note('fault'),
  }
  const of = (hook: string) => reported.filter((entry) => entry.hook === hook)
  return { hooks, reported, of }
}

const start = (hooks: Hooks, options: Partial<IamOptions> = {}) =>
  createIam({
    store: memoryEventStore(),
    secrets,
    authorize: permissionsFromCaller,
    hooks,
    ...options,
  })

const abortable = () => {
  const controller = new AbortController()
  return { signal: controller.signal, abort: () => controller.abort() }
}

const duration = expect.toSatisfy((value: unknown) => typeof value === 'number' && value >= 0)

/** A store, and a way to have something happen right before its next append. */
const interruptible = () => {
  const inner = memoryEventStore()
  let interrupt: (() => Promise<unknown>) | undefined
  const store: EventStore = {
    ...inner,
    append: async (append) => {
      const interruption = interrupt?.()
      interrupt = undefined
      await interruption
      return inner.append(append)
    },
  }
  const beforeNextAppend = (work: () => Promise<unknown>) => {
    interrupt = work
  }
  return { store, beforeNextAppend }
}

describe('hooks', () => {
  it('report a write: its append, then its answer', async () => {
    const { hooks, reported } = recorder()
    const added = (await start(hooks).projects.add(portal, context))._unsafeUnwrap()
    expect(reported).toEqual([
      {
        hook: 'append',
        method: 'projects.add',
        types: ['project.added'],
        position: added.details.sequence,
        duration,
      },
      { hook: 'call', method: 'projects.add', verdict: 'ok', duration, attempts: 1 },
    ])
  })

  it('may be the methods of an object', async () => {
    class Metrics {
      readonly seen: string[] = []
      onCall({ method }: { readonly method: string }) {
        this.seen.push(method)
      }
      onAppend({ types }: { readonly types: readonly string[] }) {
        this.seen.push(...types)
      }
    }
    const metrics = new Metrics()
    await start(metrics).projects.add(portal, context)
    expect(metrics.seen).toEqual(['project.added', 'projects.add'])
  })

  it('report a read: the catch-up, then its answer', async () => {
    const { hooks, reported } = recorder()
    const store = memoryEventStore({ now: () => new Date(Date.now() - 5_000) })
    await start({}, { store }).projects.add(portal, context)
    await start(hooks, { store }).projects.get({ id: 'portal' }, context)
    expect(reported).toMatchObject([
      { hook: 'catchUp', projection: expect.any(String), events: 1, duration },
      { hook: 'call', method: 'projects.get', verdict: 'ok', attempts: 0 },
    ])
    expect(reported[0]?.['lag']).toBeGreaterThanOrEqual(5_000)
  })

  it('report a refusal by its kind', async () => {
    const { hooks, reported } = recorder()
    await start(hooks).projects.update(portal, context)
    expect(reported).toMatchObject([{ hook: 'call', verdict: 'NotFound', attempts: 1 }])
  })

  it('count a decision once that is taken again on what the store has', async () => {
    const { hooks, of } = recorder()
    const store = memoryEventStore()
    const iam = start(hooks, { store })
    await iam.projects.add(portal, context)
    await iam.projects.patch({ id: 'portal', name: 'Remembered' }, context)
    await start({}, { store }).projects.deactivate({ id: 'portal' }, context)
    const { changed } = (await iam.projects.reactivate({ id: 'portal' }, context))._unsafeUnwrap()
    expect(changed).toBe(true)
    expect(of('retry')).toEqual([])
    expect(of('call').at(-1)).toMatchObject({ verdict: 'ok', attempts: 1 })
  })

  it('report a lost race and the decision after it', async () => {
    const { store, beforeNextAppend } = interruptible()
    const { hooks, reported, of } = recorder()
    const iam = start(hooks, { store })
    await iam.projects.add(portal, context)
    reported.splice(0)
    beforeNextAppend(async () =>
      start({}, { store }).projects.deactivate({ id: 'portal' }, context),
    )
    await iam.projects.update({ ...PROJECT_DEFAULTS, ...portal, name: 'Another' }, context)
    const method = 'projects.update'
    expect(of('conflict')).toEqual([{ hook: 'conflict', method, kind: 'VersionConflict' }])
    expect(of('retry')).toEqual([{ hook: 'retry', method, attempt: 2 }])
    expect(reported.at(-1)).toMatchObject({ hook: 'call', verdict: 'ok', attempts: 2 })
  })

  it('report a fault by the name and code of its cause, without its message', async () => {
    const { hooks, of } = recorder()
    const cause = Object.assign(new Error('secret text'), { code: 'EIO' })
    const store: EventStore = {
      ...memoryEventStore(),
      append: () => Promise.reject(new StoreFault('secret text', 'not_recorded', cause)),
    }
    await start(hooks, { store }).projects.add(portal, context)
    expect(of('fault')).toEqual([
      {
        hook: 'fault',
        method: 'projects.add',
        kind: 'Unavailable',
        outcome: 'not_recorded',
        cause: { name: 'StoreFault', code: 'EIO' },
      },
    ])
    expect(of('call')).toMatchObject([{ verdict: 'Unavailable' }])
  })

  it('report a bug, which is thrown as well', async () => {
    const { hooks, reported } = recorder()
    const newId = () => 'not a ULID: may be no id at all +'
    await expect(
      start(hooks, { newId }).projects.add({ name: 'Portal' }, context),
    ).rejects.toThrow()
    expect(reported).toMatchObject([{ hook: 'call', method: 'projects.add', verdict: 'threw' }])
  })

  it('report each secret that could not be sealed anew', async () => {
    const store = memoryEventStore()
    const oidc = { name: 'Google', clientId: 'c', clientSecret: 's', issuer: 'https://i.example' }
    await start({}, { store }).identityProviders.addOidc(oidc, context)
    const { hooks, of } = recorder()
    const forgetful = aesGcmCipher({ current: 'k2', keys: { k2: key(2) } })
    await start(hooks, { store, secrets: forgetful }).identityProviders.resealSecrets({}, context)
    expect(of('fault')).toMatchObject([{ kind: 'SecretUnreadable' }])
    expect(of('call')).toMatchObject([{ verdict: 'ok' }])
  })

  it('report the faults that a subscription and a projection wait for', async () => {
    const { hooks, of } = recorder()
    const inner = memoryEventStore()
    let isAway = true
    const unlessAway = <Value>(value: Value): Value => {
      if (!isAway) return value
      isAway = false
      throw new StoreFault('away', 'not_recorded')
    }
    const store: EventStore = {
      ...inner,
      readAll: async (after, limit) => unlessAway(await inner.readAll(after, limit)),
      lastPosition: async () => unlessAway(await inner.lastPosition()),
    }
    const iam = start(hooks, { store: inner })
    await iam.projects.add(portal, context)

    const watched = start(hooks, { store })
    for await (const event of watched.subscribe()) {
      expect(event.type).toBe('project.added')
      break
    }
    isAway = true
    const { signal, abort } = abortable()
    let checkpoint = 0n
    const projection: Projection = {
      name: 'mail',
      checkpoint: async () => checkpoint,
      apply: async (_, events) => {
        checkpoint = events.at(-1)?.position ?? 0n
        abort()
        return true
      },
      reset: async () => undefined,
    }
    await watched.run(projection, { signal })
    expect(of('fault')).toMatchObject([
      { method: 'subscribe', kind: 'Unavailable' },
      { method: 'run', kind: 'Unavailable' },
    ])
  })

  it('report an event that ends a subscription', async () => {
    const { hooks, of } = recorder()
    const store = memoryEventStore()
    await store.append({
      id: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
      writes: [
        {
          stream: 'project-acme+portal',
          expectedVersion: 0,
          events: [{ type: 'project.unheard_of', schemaVersion: 1, data: {} }],
        },
      ],
      metadata: { actor: { userId: 'alice', orgId: 'acme' }, resourceOwner: 'acme' },
    })
    const events = start(hooks, { store }).subscribe()[Symbol.asyncIterator]()
    await expect(events.next()).rejects.toThrow('UnknownEvent')
    const position = await store.lastPosition()
    const kind = 'UnknownEvent'
    expect(of('fault')).toEqual([{ hook: 'fault', method: 'subscribe', kind, position }])
  })

  it('report a projection that fails, and its position', async () => {
    const { hooks, of } = recorder()
    const iam = start(hooks)
    const { details } = (await iam.projects.add(portal, context))._unsafeUnwrap()
    const projection = {
      name: 'mail',
      checkpoint: async () => 0n,
      apply: async () => {
        throw new TypeError('Alice')
      },
      reset: async () => undefined,
    }
    expect((await iam.catchUp(projection)).isErr()).toBe(true)
    expect(of('fault')).toEqual([
      {
        hook: 'fault',
        method: 'catchUp',
        kind: 'ProjectionFailed',
        position: details.sequence,
        cause: { name: 'TypeError' },
      },
    ])
  })

  it('receive no secret and nothing about persons', async () => {
    const { hooks, reported } = recorder()
    const iam = start(hooks)
    const clientSecret = 'the client secret'
    const oidc = { name: 'Google', clientId: 'client-1', clientSecret, issuer: 'https://i.example' }
    const { idpId } = (await iam.identityProviders.addOidc(oidc, context))._unsafeUnwrap()
    await iam.identityProviders.revealClientSecret({ idpId }, context)
    await iam.projects.add(portal, { ...context, idempotencyKey: 'key of Alice' })
    await iam.projects.add(portal, { ...context, correlationId: 'trace of Alice' })
    await iam.history.list({}, context)
    expect(reported.length).toBeGreaterThan(6)
    const text = JSON.stringify(reported, (_, value) => (typeof value === 'bigint' ? 0 : value))
    for (const private_ of [clientSecret, 'alice', 'Alice', 'acme', 'portal', 'client-1', idpId])
      expect(text).not.toContain(private_)
  })

  it('may throw or reject without effect', async () => {
    const explode = () => {
      throw new Error('of a hook')
    }
    const reject = async () => explode()
    for (const hook of [explode, reject]) {
      const iam = start({ onCall: hook, onAppend: hook, onCatchUp: hook, onFault: hook })
      const added = await iam.projects.add(portal, context)
      expect(added.isOk()).toBe(true)
      expect((await iam.projects.get({ id: 'portal' }, context)).isOk()).toBe(true)
    }
  })

  it('are called in the asynchronous context of the call', async () => {
    const { AsyncLocalStorage } = await import('node:async_hooks')
    const storage = new AsyncLocalStorage<string>()
    const seen: (string | undefined)[] = []
    const note = () => void seen.push(storage.getStore())
    const iam = start({ onCall: note, onAppend: note })
    await Promise.all(
      ['one', 'other'].map((name) =>
        storage.run(name, async () => iam.projects.add({ id: name, name }, context)),
      ),
    )
    expect(seen.toSorted()).toEqual(['one', 'one', 'other', 'other'])
  })

  it('name every method as it is called', async () => {
    const { hooks, of } = recorder()
    const iam = start(hooks)
    const { identityProviders, projects, projectRoles, history } = iam
    const groups = { identityProviders, projects, projectRoles, history }
    const names: string[] = []
    for (const [group, methods] of Object.entries(groups)) {
      for (const [name, method] of Object.entries(methods)) {
        names.push(`${group}.${name}`)
        await method({}, context)
      }
    }
    expect(of('call').map(({ method }) => method)).toEqual(names)
  })
})
