import { beforeEach, describe, expect, it } from 'vitest'
import type { Append, Context, EventStore, RecordedEvent } from '../../src/index.js'
import { memoryEventStore, StoreFault, toStatus } from '../../src/index.js'
import { addSamples, context, good, type Iam, iamOn, logOf, refusal, start } from './host.js'
import { writes } from './methods.js'

let store: EventStore
let iam: Iam

beforeEach(async () => {
  const started = start()
  store = started.store
  iam = started.iam
  await addSamples(iam)
})

type Sent = (append: Append) => ReturnType<EventStore['append']>

/** `store` with another way to append; it is handed the real one. */
const withAppend = (append: (append: Append, send: Sent) => ReturnType<Sent>): EventStore => ({
  ...store,
  append: (sent) => append(sent, store.append),
})

/** `store` where, right before each of the first `times` appends, somebody does `first`. */
const withRace = (first: () => Promise<unknown>, times = 1): EventStore => {
  let races = 0
  return withAppend(async (append, send) => {
    if (races++ < times) await first()
    return send(append)
  })
}

const portal = { id: 'portal' }
const editor = { projectId: 'portal', roleKey: 'editor' }
const google = { idpId: 'google' }

describe('A lost race', () => {
  it.each(writes)(
    'is decided anew: $name after an unrelated change',
    async ({ of, input, name }) => {
      const other = iamOn(store)
      await of(iam)(input, { ...context, dryRun: true })
      if (name.endsWith('reactivate')) return
      const racing = withRace(async () => {
        await good(
          other.identityProviders.updateOidcConfig(
            { ...google, clientId: 'raced', issuer: 'i' },
            context,
          ),
        )
        await good(other.projects.update({ ...portal, name: 'raced' }, context))
        await good(other.projectRoles.update({ ...editor, displayName: 'raced' }, context))
      })
      const written = await good(of(iamOn(racing))(input, context))
      expect(written).toMatchObject({ changed: true })
      const [last] = (await logOf(store)).slice(-1)
      expect((written as { details: unknown }).details).toMatchObject({ sequence: last?.position })
    },
  )

  it.each(writes)(
    'ends in what is true then: $name after all is gone',
    async ({ of, input, name }) => {
      if (name.endsWith('reactivate')) return
      const other = iamOn(store)
      const racing = withRace(async () => {
        await good(other.projectRoles.remove(editor, context))
        await good(other.projects.remove(portal, context))
        await good(other.identityProviders.remove(google, context))
        await good(other.projects.add({ id: 'new', name: 'first' }, context))
        await good(
          other.identityProviders.addOidc(
            { idpId: 'new', name: 'first', clientId: 'c', clientSecret: 's', issuer: '' },
            context,
          ),
        )
      })
      const error = await refusal(of(iamOn(racing))(input, context))
      const isAdd = name === 'projects.add' || name === 'identityProviders.addOidc'
      expect(error.kind).toBe(isAdd ? 'AlreadyExists' : 'NotFound')
      expect((await logOf(store)).at(-1)?.data).toMatchObject({ name: 'first' })
    },
  )

  it.each([
    ['update', () => iam.projects.update({ ...portal, name: 'n' }, context)],
    ['deactivate', () => iam.projects.deactivate(portal, context)],
  ])('may turn out to have nothing left to change: %s', async (name, raced) => {
    const racing = iamOn(withRace(() => good(raced())))
    const call =
      name === 'update'
        ? racing.projects.update({ ...portal, name: 'n' }, context)
        : racing.projects.deactivate(portal, context)
    const { details } = await good(call)
    expect(await good(iam.projects.get(portal, context))).toMatchObject({ details })
    expect(await logOf(store)).toHaveLength(4)
  })

  it('is decided ten times, then reported', async () => {
    let races = 0
    const racing = withRace(async () => {
      await good(iam.projects.update({ ...portal, name: `raced ${++races}` }, context))
    }, 100)
    const error = await refusal(iamOn(racing).projects.update({ ...portal, name: 'n' }, context))
    expect(error).toEqual({ kind: 'Aborted', attempts: 10 })
    expect(toStatus(error).code).toBe(10)
    expect(races).toBe(10)
  })

  it('is won at the tenth attempt', async () => {
    let races = 0
    const racing = withRace(async () => {
      await good(iam.projects.update({ ...portal, name: `raced ${++races}` }, context))
    }, 9)
    await good(iamOn(racing).projects.update({ ...portal, name: 'n' }, context))
    expect(await good(iam.projects.get(portal, context))).toMatchObject({ name: 'n' })
  })

  it('for a role key has one winner', async () => {
    const key = { projectId: 'portal', roleKey: 'new' }
    const racing = withRace(() => good(iam.projectRoles.add({ ...key, displayName: 'A' }, context)))
    expect(
      await refusal(iamOn(racing).projectRoles.add({ ...key, displayName: 'B' }, context)),
    ).toEqual({ kind: 'AlreadyExists', object: { type: 'project_role', ...key } })
    expect(await good(iam.projectRoles.get(key, context))).toMatchObject({ displayName: 'A' })
  })

  it('against the removal of the project leaves no role', async () => {
    const racing = iamOn(withRace(() => good(iam.projects.remove(portal, context))))
    const gone = { kind: 'NotFound', object: { type: 'project', id: 'portal' } }
    const late = { projectId: 'portal', roleKey: 'late', displayName: 'd' }
    expect(await refusal(racing.projectRoles.add(late, context))).toEqual(gone)
    const many = { projectId: 'portal', roles: [{ roleKey: 'later', displayName: 'd' }] }
    expect(await refusal(racing.projectRoles.addMany(many, context))).toEqual(gone)
    expect((await logOf(store)).at(-1)?.type).toBe('project.removed')
  })

  it('of several roles against one of them adds none', async () => {
    const racing = withRace(() =>
      good(iam.projectRoles.add({ ...editor, roleKey: 'b', displayName: 'first' }, context)),
    )
    const roles = ['a', 'b', 'c'].map((roleKey) => ({ roleKey, displayName: 'd' }))
    expect(
      await refusal(iamOn(racing).projectRoles.addMany({ projectId: 'portal', roles }, context)),
    ).toMatchObject({ kind: 'AlreadyExists', object: { roleKey: 'b' } })
    expect(await logOf(store)).toHaveLength(4)
  })
})

describe('What is remembered', () => {
  /** Lets a process remember everything as it is. */
  const remembering = async (): Promise<Iam> => {
    const process = iamOn(store)
    for (const { of, input } of writes) await of(process)(input, { ...context, dryRun: true })
    return process
  }

  it.each(writes.filter(({ refuses = [] }) => refuses.length === 0))(
    'never makes something not found that is there, or found that is gone: $name',
    async ({ of, input }) => {
      const process = await remembering()
      await good(iam.projectRoles.remove(editor, context))
      if ('roleKey' in input) {
        expect(await refusal(of(process)(input, context))).toMatchObject({ kind: 'NotFound' })
        await good(iam.projectRoles.add({ ...editor, displayName: 'again' }, context))
        await good(of(process)(input, context))
        return
      }
      await good(iam.projects.remove(portal, context))
      await good(iam.identityProviders.remove(google, context))
      expect(await refusal(of(process)(input, context))).toMatchObject({ kind: 'NotFound' })
    },
  )

  it('never makes a change one that changes nothing', async () => {
    const process = await remembering()
    await good(iam.projects.update({ ...portal, name: 'other' }, context))
    await good(iam.projectRoles.update({ ...editor, displayName: 'other' }, context))
    await good(iam.identityProviders.update({ ...google, name: 'other' }, context))
    await good(iam.identityProviders.deactivate(google, context))
    await good(iam.projects.deactivate(portal, context))
    const back = [
      process.projects.reactivate(portal, context),
      process.identityProviders.reactivate(google, context),
      process.projects.update({ ...portal, name: 'Portal' }, context),
      process.projectRoles.update({ ...editor, displayName: 'Editor', group: 'content' }, context),
      process.identityProviders.update({ ...google, name: 'Google' }, context),
    ]
    for (const call of back) expect((await call)._unsafeUnwrap().changed).toBe(true)
  })

  it('never makes a key taken that is free, or free that is taken', async () => {
    const process = await remembering()
    await good(iam.projectRoles.remove(editor, context))
    await good(process.projectRoles.add({ ...editor, displayName: 'again' }, context))
    expect(
      await refusal(iam.projectRoles.add({ ...editor, displayName: 'twice' }, context)),
    ).toMatchObject({ kind: 'AlreadyExists' })
    await good(iam.projects.add({ id: 'new', name: 'n' }, context))
    expect(await refusal(process.projects.add({ id: 'new', name: 'n' }, context))).toMatchObject({
      kind: 'AlreadyExists',
    })
  })

  it('spares the reads: a second change of an object asks the store for nothing but an append', async () => {
    const asked: string[] = []
    const process = iamOn({
      ...store,
      readStream: (stream, after) => {
        asked.push(stream)
        return store.readStream(stream, after)
      },
    })
    await good(process.projects.update({ ...portal, name: 'one' }, context))
    expect(asked).toEqual(['project-acme+portal'])
    await good(process.projects.update({ ...portal, name: 'two' }, context))
    await good(process.projectRoles.add({ ...editor, roleKey: 'new', displayName: 'd' }, context))
    expect(asked).toEqual(['project-acme+portal'])
  })
})

describe('An append whose outcome is unknown', () => {
  const unknown = new StoreFault('connection lost', 'unknown')
  const update = { ...portal, name: 'n' }

  it('is found by its id, and answered like any other', async () => {
    const losing = withAppend(async (append, send) => {
      await send(append)
      throw unknown
    })
    const process = iamOn(losing)
    const written = await good(process.projects.update(update, context))
    expect(written).toMatchObject({ changed: true, events: (await logOf(store)).slice(3) })
    expect(written.details.sequence).toBe((await logOf(store)).at(-1)?.position)
    const roles = ['a', 'b'].map((roleKey) => ({ roleKey, displayName: 'd' }))
    const many = await good(process.projectRoles.addMany({ projectId: 'portal', roles }, context))
    expect(many.events).toEqual((await logOf(store)).slice(-2))
    // What it remembers is what was recorded.
    await good(process.projects.update({ ...portal, name: 'next' }, context))
  })

  it.each([unknown, new Error('of no outcome'), 'text'])(
    'is reported as such when it is not found: %s',
    async (cause) => {
      const losing = withAppend(() => Promise.reject(cause))
      expect(await refusal(iamOn(losing).projects.update(update, context))).toEqual({
        kind: 'Unavailable',
        outcome: 'unknown',
        cause,
      })
    },
  )

  it('is reported as such when it cannot be looked for', async () => {
    const losing = {
      ...withAppend(() => Promise.reject(unknown)),
      findAppend: () => Promise.reject(new StoreFault('away', 'not_recorded')),
    }
    expect(await refusal(iamOn(losing).projects.update(update, context))).toEqual({
      kind: 'Unavailable',
      outcome: 'unknown',
      cause: unknown,
    })
  })

  it('is not looked for when the store knows that it was not recorded', async () => {
    const cause = new StoreFault('disk full', 'not_recorded')
    let isLookedFor = false
    const full = {
      ...withAppend(() => Promise.reject(cause)),
      findAppend: async () => {
        isLookedFor = true
        return []
      },
    }
    const error = await refusal(iamOn(full).projects.update(update, context))
    expect(error).toEqual({ kind: 'Unavailable', outcome: 'not_recorded', cause })
    expect(toStatus(error).code).toBe(14)
    expect(isLookedFor).toBe(false)
  })

  it('may be tried again under its idempotency key', async () => {
    let isLost = true
    const losing: EventStore = {
      ...withAppend(async (append, send) => {
        const verdict = await send(append)
        if (isLost) throw unknown
        return verdict
      }),
      findAppend: (by) => (isLost ? Promise.resolve([]) : store.findAppend(by)),
    }
    const process = iamOn(losing)
    const once = { ...context, idempotencyKey: 'k' }
    expect(await refusal(process.projects.add({ name: 'n' }, once))).toMatchObject({
      outcome: 'unknown',
    })
    isLost = false
    const log = await logOf(store)
    const again = await good(process.projects.add({ name: 'n' }, once))
    expect(again.events).toEqual(log.slice(3))
    expect(await logOf(store)).toEqual(log)
  })

  it('leaves the queue free for those who wait', async () => {
    let faults = 0
    const losing = withAppend((append, send) =>
      faults++ === 0 ? Promise.reject(unknown) : send(append),
    )
    const process = iamOn(losing)
    const [first, second] = await Promise.all([
      process.projects.update(update, context),
      process.projects.deactivate(portal, context),
    ])
    expect(first.isErr()).toBe(true)
    expect(second.isOk()).toBe(true)
  })
})

describe('A store that cannot be read', () => {
  it.each(writes)('leaves $name unrecorded', async ({ of, input }) => {
    const cause = new StoreFault('away', 'unknown')
    const away = () => Promise.reject(cause)
    const process = iamOn({ ...store, readStream: away, append: away, findAppend: away })
    const error = await refusal(of(process)(input, context))
    expect(error).toMatchObject({ kind: 'Unavailable', cause })
    expect(await logOf(store)).toHaveLength(3)
  })

  it('is told apart from an append of unknown outcome', async () => {
    const cause = new StoreFault('away', 'unknown')
    const process = iamOn({ ...store, readStream: () => Promise.reject(cause) })
    expect(await refusal(process.projects.update({ ...portal, name: 'n' }, context))).toEqual({
      kind: 'Unavailable',
      outcome: 'not_recorded',
      cause,
    })
  })

  it('may also throw at once', async () => {
    const cause = new Error('at once')
    const throwing = () => {
      throw cause
    }
    const process = iamOn({ ...store, readStream: throwing })
    expect(await refusal(process.projects.remove(portal, context))).toEqual({
      kind: 'Unavailable',
      outcome: 'not_recorded',
      cause,
    })
  })
})

describe('A bug', () => {
  it('is not swallowed: what our own code throws rejects, and the queue goes on', async () => {
    const bug = new TypeError('a bug')
    let bugs = 0
    const process = iamOn(store, {
      newId: () => {
        if (bugs++ === 0) throw bug
        return '01ARZ3NDEKTSV4RRFFQ69G5FAV'
      },
    })
    await expect(process.projects.remove(portal, context)).rejects.toBe(bug)
    await good(process.projects.remove(portal, context))
  })
})

describe('An abort', () => {
  it('before anything was sent cancels, and records nothing', async () => {
    const controller = new AbortController()
    const process = iamOn({
      ...store,
      readStream: (stream, after) => {
        controller.abort()
        return store.readStream(stream, after)
      },
    })
    const cancelling = { ...context, signal: controller.signal }
    const error = await refusal(process.projects.remove(portal, cancelling))
    expect(error).toEqual({ kind: 'Cancelled' })
    expect(toStatus(error).code).toBe(1)
    expect(await logOf(store)).toHaveLength(3)
  })

  it('while queued cancels at once, and those behind move up', async () => {
    const controller = new AbortController()
    let release: () => void = () => undefined
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    let appends = 0
    const process = iamOn(
      withAppend(async (append, send) => {
        if (appends++ === 0) await held
        return send(append)
      }),
    )
    const first = process.projects.update({ ...portal, name: 'first' }, context)
    const cancelling: Context = { ...context, signal: controller.signal }
    const second = process.projects.update({ ...portal, name: 'second' }, cancelling)
    const third = process.projects.update({ ...portal, name: 'third' }, context)
    await new Promise((resolve) => setImmediate(resolve))
    controller.abort()
    // The first is still held.
    expect(await refusal(second)).toEqual({ kind: 'Cancelled' })
    release()
    await good(first)
    await good(third)
    const names = (await logOf(store)).slice(3).map(({ data }) => Reflect.get(data, 'name'))
    expect(names).toEqual(['first', 'third'])
  })

  it('after the append was sent has no effect', async () => {
    const controller = new AbortController()
    const process = iamOn(
      withAppend((append, send) => {
        controller.abort()
        return send(append)
      }),
    )
    const call = process.projects.update(
      { ...portal, name: 'n' },
      { ...context, signal: controller.signal },
    )
    expect(await good(call)).toMatchObject({ changed: true })
  })

  it('after a lost race cancels', async () => {
    const controller = new AbortController()
    const racing = withRace(async () => {
      await good(iam.projects.update({ ...portal, name: 'raced' }, context))
      controller.abort()
    })
    const signal = controller.signal
    expect(await refusal(iamOn(racing).projects.remove(portal, { ...context, signal }))).toEqual({
      kind: 'Cancelled',
    })
    expect((await logOf(store)).at(-1)?.type).toBe('project.updated')
  })
})

describe('The queue of one process', () => {
  it('lets commands of one stream write in the order they came, without a lost race', async () => {
    let appends = 0
    const process = iamOn(
      withAppend((append, send) => {
        appends++
        return send(append)
      }),
    )
    const names = Array.from({ length: 50 }, (_, n) => `name ${n}`)
    await Promise.all(
      names.map((name) => good(process.projects.update({ ...portal, name }, context))),
    )
    const log = await logOf(store)
    expect(log.slice(3).map(({ data }) => Reflect.get(data, 'name'))).toEqual(names)
    expect(appends).toBe(50)
  })

  it('never locks up on commands of several streams, in whatever order they name them', async () => {
    const keys = ['a', 'b', 'c', 'd', 'e']
    const many = (order: readonly string[]) => ({
      projectId: 'portal',
      roles: order.map((roleKey) => ({ roleKey, displayName: 'd' })),
    })
    const orders = keys.flatMap((_, n) => {
      const turned = [...keys.slice(n), ...keys.slice(0, n)]
      return [turned, turned.toReversed(), turned.slice(0, 3)]
    })
    const outcomes = await Promise.all(
      orders.map((order) => iam.projectRoles.addMany(many(order), context)),
    )
    expect(outcomes.filter((outcome) => outcome.isOk())).toHaveLength(1)
    for (const outcome of outcomes)
      if (outcome.isErr()) expect(outcome.error.kind).toBe('AlreadyExists')
    const { totalSize } = await good(iam.projectRoles.list({ projectId: 'portal' }, context))
    expect(totalSize).toBe(6)
  })

  it('does not make commands of one project wait for each other', async () => {
    let isHeld = true
    let release: () => void = () => undefined
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const process = iamOn(
      withAppend(async (append, send) => {
        if (isHeld) {
          isHeld = false
          await held
        }
        return send(append)
      }),
    )
    const role = { projectId: 'portal', displayName: 'd' }
    const first = process.projectRoles.add({ ...role, roleKey: 'first' }, context)
    await good(process.projectRoles.add({ ...role, roleKey: 'second' }, context))
    release()
    await good(first)
  })
})

describe('An event in the stream that cannot be read', () => {
  /** A store that holds a project whose last event is `broken`. */
  const storeWith = async (broken: Partial<RecordedEvent>): Promise<EventStore> => {
    const broke = memoryEventStore()
    const log = await logOf(store)
    const last: RecordedEvent = {
      ...(log[1] as RecordedEvent),
      appendId: 'broken',
      version: 2,
      position: (log.at(-1)?.position ?? 0n) + 1n,
      ...broken,
    }
    await broke.restore([...log, last])
    return broke
  }

  it.each([
    ['type', { type: 'project.exploded' }],
    ['version', { schemaVersion: 2 }],
  ])('is unknown by its %s', async (_, broken) => {
    const process = iamOn(await storeWith(broken))
    const expected = {
      kind: 'UnknownEvent',
      type: 'project.added',
      schemaVersion: 1,
      position: expect.any(BigInt),
      ...broken,
    }
    const error = await refusal(process.projects.update({ ...portal, name: 'n' }, context))
    expect(error).toEqual(expected)
    expect(toStatus(error).code).toBe(13)
    expect(await refusal(process.projects.get(portal, context))).toEqual(expected)
    expect(await refusal(process.projects.list({}, context))).toEqual(expected)
    const then = { object: { type: 'project' as const, ...portal }, sequence: 2n ** 60n }
    expect(await refusal(process.history.stateAt(then, context))).toEqual(expected)
    // What is not concerned goes on.
    await good(process.identityProviders.deactivate(google, context))
  })

  it.each([
    ['data.name', { data: { id: 'portal', name: 5 } }],
    ['stream', { data: { ...portal, name: 'n' } }],
    ['data.more', {}],
  ])('is corrupt in its %s', async (field, broken) => {
    const [, added] = await logOf(store)
    const whole = { ...added?.data }
    const data =
      field === 'data.name'
        ? { ...whole, name: 5 }
        : field === 'stream'
          ? { ...whole, id: 'other' }
          : { ...whole, more: 'secret value' }
    const process = iamOn(await storeWith({ ...broken, data }))
    const error = await refusal(process.projects.update({ ...portal, name: 'n' }, context))
    expect(error).toEqual({
      kind: 'CorruptEvent',
      stream: 'project-acme+portal',
      position: expect.any(BigInt),
      field,
    })
    expect(await refusal(process.projects.get(portal, context))).toEqual(error)
  })

  it('is corrupt when it is one of another kind of object', async () => {
    const role = { projectId: 'portal', roleKey: 'r', displayName: 'd', group: '' }
    const broke = await storeWith({ type: 'project_role.added', data: role })
    const error = await refusal(iamOn(broke).projects.update({ ...portal, name: 'n' }, context))
    expect(error).toMatchObject({ kind: 'CorruptEvent', field: 'stream' })
  })
})

it('takes no event of another aggregate, though it is named after its own stream', async () => {
  // A store that mixes up its streams.
  const [, added] = await logOf(store)
  const mixed: EventStore = { ...store, readStream: async () => (added ? [added] : []) }
  expect(await refusal(iamOn(mixed).identityProviders.deactivate(google, context))).toMatchObject({
    kind: 'CorruptEvent',
    field: 'type',
  })
})
