import { describe, expect, test } from 'vitest'
import type { EventRestore, EventStore, RecordedEvent } from '../../../src/index.js'
import {
  aesGcmCipher,
  copyEvents,
  createIam,
  memoryEventStore,
  StoreFault,
  verify,
} from '../../../src/index.js'
import { memoryCursors } from '../../../src/webhooks/index.js'

const secrets = aesGcmCipher({ current: 'k1', keys: { k1: new Uint8Array(32).fill(1) } })
const context = { caller: { userId: 'u1', orgId: 'acme' } }

/** A log of one provider and `projects` projects. */
const filled = async (projects: number): Promise<EventStore & EventRestore> => {
  const store = memoryEventStore()
  const iam = createIam({ store, secrets, authorize: () => true })
  const idp = await iam.identityProviders.addOidc(
    { name: 'Login', clientId: 'c', clientSecret: 'hush', issuer: 'https://login.example' },
    context,
  )
  expect(idp.isOk()).toBe(true)
  for (let n = 0; n < projects; n++) {
    await iam.projects.add(
      { id: `p${n}`, name: `Project ${n}` },
      { ...context, idempotencyKey: `${n}` },
    )
  }
  return store
}

const logOf = (store: EventStore) => store.readAll(0n, 1_000_000)

/** A store whose log is `events`, whatever they are. */
const storeOf = (events: readonly RecordedEvent[]): EventStore => ({
  ...memoryEventStore(),
  readAll: async (after, limit) =>
    events.slice(events.findLastIndex(({ position }) => position === after) + 1).slice(0, limit),
})

describe('Copying the cursors of webhooks', () => {
  test('continues there where senders were when it began, except where a process sends there', async () => {
    const [from, to] = [await filled(3), memoryEventStore()]
    const cursors = { from: memoryCursors(), to: memoryCursors() }
    for (const [endpoint, states] of [
      ['one', ['begin', 'later']],
      ['two', ['later']],
    ] as const)
      for (const [version, state] of states.entries())
        await cursors.from.write(endpoint, { state, version })
    await cursors.from.lease('unsent', 'holder', 60_000)
    await cursors.to.lease('two', 'sender', 60_000)
    const slow = {
      ...to,
      restore: async (events: readonly RecordedEvent[]) => {
        // A cursor that moves meanwhile may have passed events that are not in the copy.
        await cursors.from.write('one', { state: 'last', version: 2 })
        await to.restore(events)
      },
    }
    const copied = await copyEvents(from, slow, { cursors })
    expect(copied._unsafeUnwrap()).toMatchObject({ copied: 4, cursors: 1 })
    expect(await cursors.to.read('one')).toMatchObject({ state: 'later', version: 1 })
    expect((await cursors.to.read('two')).state).toBeUndefined()
    expect(await cursors.to.endpoints()).toEqual(['one'])

    await cursors.to.release('two', 'sender')
    const again = await copyEvents(from, to, { cursors })
    expect(again._unsafeUnwrap()).toMatchObject({ copied: 0, cursors: 2 })
    expect(await cursors.to.read('one')).toMatchObject({ state: 'last', version: 2 })
    expect((await copyEvents(from, to, { cursors }))._unsafeUnwrap()).toMatchObject({ cursors: 0 })
  })

  test('keeps a copied cursor when the original is deleted while cursors are read', async () => {
    const [from, to] = [await filled(1), memoryEventStore()]
    const cursors = { from: memoryCursors(), to: memoryCursors() }
    await cursors.from.write('one', { state: 'begin', version: 0 })
    await copyEvents(from, to, { cursors })
    const deleting = { ...cursors.from, read: async () => ({ version: 0 }) }
    const copied = await copyEvents(from, to, { cursors: { ...cursors, from: deleting } })
    expect(copied._unsafeUnwrap()).toMatchObject({ cursors: 0 })
    expect(await cursors.to.read('one')).toEqual({ state: 'begin', version: 1 })
  })
})

describe('Copying', () => {
  test('keeps versions, positions and idempotency keys, and verifies the copy', async () => {
    const from = await filled(2500)
    const to = memoryEventStore()
    const phases: string[] = []
    const copied = await copyEvents(from, to, {
      secrets,
      onProgress: ({ phase, done }) => phases.push(`${phase} ${done}`),
    })
    const position = await from.lastPosition()
    expect(copied._unsafeUnwrap()).toEqual({ copied: 2501, events: 2501, position })
    expect(await logOf(to)).toEqual(await logOf(from))
    expect(phases).toEqual([
      'copying 1000',
      'copying 2000',
      'copying 2501',
      'verifying 1000',
      'verifying 2000',
      'verifying 2501',
    ])
    const iam = createIam({ store: to, secrets, authorize: () => true })
    const repeated = { ...context, idempotencyKey: '7' }
    const again = await iam.projects.add({ id: 'p7', name: 'Project 7' }, repeated)
    expect(again._unsafeUnwrap().changed).toBe(true)
    expect(await to.lastPosition()).toBe(position)
  })

  test('verifies the events that the target holds afterwards', async () => {
    const to = memoryEventStore()
    const readAll: EventStore['readAll'] = async (after, limit) =>
      (await to.readAll(after, limit)).map((event) => ({ ...event, version: event.version + 1 }))
    const copied = await copyEvents(await filled(1), { ...to, readAll })
    expect(copied._unsafeUnwrapErr()).toMatchObject({ kind: 'VersionOutOfOrder', version: 2 })
  })

  test('continues where it was interrupted', async () => {
    const from = await filled(2500)
    const to = memoryEventStore()
    const controller = new AbortController()
    const stopped = await copyEvents(from, to, {
      onProgress: () => controller.abort(),
      signal: controller.signal,
    })
    expect(stopped._unsafeUnwrapErr()).toEqual({ kind: 'Cancelled' })
    expect((await logOf(to)).length).toBe(1000)
    const copied = await copyEvents(from, to)
    expect(copied._unsafeUnwrap()).toMatchObject({ copied: 1501, events: 2501 })
    expect((await copyEvents(from, to))._unsafeUnwrap()).toMatchObject({ copied: 0, events: 2501 })
  })

  test('waits for the batch that is being recorded when the signal aborts', async () => {
    const from = await filled(1)
    const to = memoryEventStore()
    const controller = new AbortController()
    const restore: EventRestore['restore'] = async (events) => {
      controller.abort()
      await new Promise(setImmediate)
      await to.restore(events)
    }
    const copied = await copyEvents(from, { ...to, restore }, { signal: controller.signal })
    expect(copied._unsafeUnwrapErr()).toEqual({ kind: 'Cancelled' })
    expect(await logOf(to)).toEqual(await logOf(from))
  })

  test('refuses a target with other events, and leaves it unchanged', async () => {
    const from = await filled(3)
    const to = await filled(2)
    const before = await logOf(to)
    expect((await copyEvents(from, to))._unsafeUnwrapErr()).toEqual({
      kind: 'DifferentLog',
      position: await to.lastPosition(),
    })
    expect(await logOf(to)).toEqual(before)
  })

  test('refuses a target that lacks its own last event, as the source does', async () => {
    const to = { ...memoryEventStore(), lastPosition: async () => 5n }
    expect((await copyEvents(await filled(3), to))._unsafeUnwrapErr()).toEqual({
      kind: 'DifferentLog',
      position: 5n,
    })
  })

  test.each(['data', 'metadata'])('names an event whose %s is damaged', async (field) => {
    const log = await logOf(await filled(3))
    const damaged = log.map((event, n) => (n === 2 ? { ...event, [field]: undefined } : event))
    const broken: EventRestore['restore'] = () => Promise.reject(new TypeError('A driver'))
    const copied = await copyEvents(storeOf(damaged), { ...memoryEventStore(), restore: broken })
    expect(copied._unsafeUnwrapErr()).toMatchObject({
      kind: 'CorruptEvent',
      position: log[2]?.position,
      field: expect.stringMatching(`^${field}`),
    })
  })

  test('reports a fault of the store also for events that it cannot read', async () => {
    const log = await logOf(await filled(1))
    const newer = log.map((event) => ({ ...event, schemaVersion: 9 }))
    const full = new StoreFault('full', 'not_recorded')
    const broken: EventRestore['restore'] = () => Promise.reject(full)
    const copied = await copyEvents(storeOf(newer), { ...memoryEventStore(), restore: broken })
    expect(copied._unsafeUnwrapErr()).toMatchObject({ kind: 'Unavailable', cause: full })
  })

  test('restores nothing of an append in memory when a later event is damaged', async () => {
    const [, ...added] = await logOf(await filled(3))
    const metadata = { actor: context.caller, resourceOwner: 'acme' }
    const append = added.map((event) => ({ ...event, appendId: 'one', metadata }))
    const damaged = append.map((event, n) => (n === 2 ? { ...event, metadata: undefined } : event))
    const to = memoryEventStore()
    await expect(to.restore(damaged as never)).rejects.toThrow(TypeError)
    expect(await logOf(to)).toEqual([])
    expect(await to.lastPosition()).toBe(0n)
  })

  test.each(['position', 'appendId', 'stream', 'version'])(
    'refuses a target whose last event has another %s',
    async (field) => {
      const from = await filled(1)
      const last = (await logOf(from)).at(-1)
      const to = {
        ...memoryEventStore(),
        lastPosition: from.lastPosition,
        readAll: async () => (last ? [{ ...last, [field]: undefined }] : []),
      }
      expect((await copyEvents(from, to))._unsafeUnwrapErr()).toMatchObject({
        kind: 'DifferentLog',
      })
    },
  )

  test('refuses a target that lacks the event at its last position', async () => {
    const from = await filled(1)
    const { lastPosition } = from
    const to = { ...memoryEventStore(), lastPosition }
    expect((await copyEvents(from, to))._unsafeUnwrapErr()).toEqual({
      kind: 'DifferentLog',
      position: await lastPosition(),
    })
  })

  test('reports a seal that does not open in the copy', async () => {
    const other = aesGcmCipher({ current: 'k2', keys: { k2: new Uint8Array(32).fill(2) } })
    const copied = await copyEvents(await filled(1), memoryEventStore(), { secrets: other })
    expect(copied._unsafeUnwrapErr().kind).toBe('SealBroken')
  })

  test('ends when the signal aborts while the copy is verified', async () => {
    const controller = new AbortController()
    const copied = await copyEvents(await filled(1000), memoryEventStore(), {
      onProgress: ({ phase }) => phase === 'verifying' && controller.abort(),
      signal: controller.signal,
    })
    expect(copied._unsafeUnwrapErr()).toEqual({ kind: 'Cancelled' })
  })

  test('reports a fault of either store', async () => {
    const from = await filled(1)
    const away = new Error('away')
    const lost = new StoreFault('lost', 'unknown')
    for (const [cause, outcome] of [
      [away, 'not_recorded'],
      [lost, 'unknown'],
    ]) {
      const broken = { ...memoryEventStore(), restore: () => Promise.reject(cause) }
      expect((await copyEvents(from, broken))._unsafeUnwrapErr()).toEqual({
        kind: 'Unavailable',
        outcome,
        cause,
      })
    }
  })
})

describe('Verifying', () => {
  test('accepts a log without faults', async () => {
    const store = await filled(3)
    const position = await store.lastPosition()
    expect((await verify(store, { secrets }))._unsafeUnwrap()).toEqual({ events: 4, position })
    expect((await verify(memoryEventStore()))._unsafeUnwrap()).toEqual({ events: 0, position: 0n })
  })

  const faults: readonly (readonly [string, (event: RecordedEvent) => object, object])[] = [
    ['a gap in a stream', () => ({ version: 2 }), { kind: 'VersionOutOfOrder', expected: 1 }],
    ['a version twice', () => ({ stream: 'project-acme+p0' }), { kind: 'VersionOutOfOrder' }],
    ['an unknown type', () => ({ type: 'project.painted' }), { kind: 'UnknownEvent' }],
    ['a newer shape', () => ({ schemaVersion: 9 }), { kind: 'UnknownEvent' }],
    ['other data', () => ({ data: { id: 'p1' } }), { kind: 'CorruptEvent', field: 'data.name' }],
    ['a foreign stream', () => ({ stream: 'project-acme+p9' }), { kind: 'CorruptEvent' }],
    [
      'text that PostgreSQL cannot store',
      ({ data }) => ({ data: { ...data, name: 'a\0b' } }),
      { kind: 'CorruptEvent', field: 'data.name' },
    ],
    [
      'an actor whose id cannot be stored',
      ({ metadata }) => ({
        metadata: { ...metadata, actor: { userId: 'a\ud800', orgId: 'acme' } },
      }),
      { kind: 'CorruptEvent', field: 'metadata.actor.userId' },
    ],
    [
      'a correlation id that cannot be stored',
      ({ metadata }) => ({ metadata: { ...metadata, correlationId: 'a\0b' } }),
      { kind: 'CorruptEvent', field: 'metadata.correlationId' },
    ],
    [
      'a reason that cannot be stored',
      ({ metadata }) => ({ metadata: { ...metadata, reason: 'a\0b' } }),
      { kind: 'CorruptEvent', field: 'metadata.reason' },
    ],
  ]

  test.each(faults)('tells of %s, and where', async (_, change, expected) => {
    const log = await logOf(await filled(3))
    const changed = log.map((event, index) =>
      index === 2 ? { ...event, ...change(event) } : event,
    )
    const found = await verify(storeOf(changed))
    expect(found._unsafeUnwrapErr()).toMatchObject({ ...expected, position: log[2]?.position })
  })

  test('reports text that PostgreSQL cannot store inside a list', async () => {
    const log = await logOf(await filled(0))
    const changed = log.map((event) => ({ ...event, data: { ...event.data, scopes: ['a\0b'] } }))
    const found = await verify(storeOf(changed))
    expect(found._unsafeUnwrapErr()).toMatchObject({ kind: 'CorruptEvent', field: 'data.scopes' })
  })

  test('reports a fault of the cipher', async () => {
    const cause = new Error('no key server')
    const away = { ...secrets, open: () => Promise.reject(cause) }
    const found = await verify(await filled(1), { secrets: away })
    expect(found._unsafeUnwrapErr()).toEqual({
      kind: 'Unavailable',
      outcome: 'not_recorded',
      cause,
    })
  })

  test('reports positions that do not rise', async () => {
    const log = await logOf(await filled(3))
    const [first, second, third] = log
    if (!first || !second || !third) throw new Error('Three events were expected')
    const found = await verify(storeOf([first, third, second]))
    expect(found._unsafeUnwrapErr()).toEqual({
      kind: 'PositionOutOfOrder',
      position: second.position,
      previous: third.position,
    })
    const { position } = first
    const twice = await verify(storeOf([first, { ...second, position }]))
    const previous = position
    expect(twice._unsafeUnwrapErr()).toEqual({ kind: 'PositionOutOfOrder', position, previous })
  })

  test('reports a seal that does not open when it is given the cipher', async () => {
    const store = await filled(1)
    const [first] = await logOf(store)
    const other = aesGcmCipher({ current: 'k2', keys: { k2: new Uint8Array(32).fill(2) } })
    expect((await verify(store, { secrets: other }))._unsafeUnwrapErr()).toEqual({
      kind: 'SealBroken',
      position: first?.position,
      stream: first?.stream,
      cause: { kind: 'SecretUnreadable', reason: 'unknown_key', keyId: 'k1' },
    })
    expect((await verify(store)).isOk()).toBe(true)
  })

  test('refuses a checkpoint without a key', async () => {
    const found = await verify(await filled(1), { checkpoints: ['note'] })
    expect(found._unsafeUnwrapErr().kind).toBe('InvalidArgument')
  })

  test('ends when its signal aborts, and reports a fault of the store', async () => {
    const aborted = await verify(await filled(1), { signal: AbortSignal.abort() })
    expect(aborted._unsafeUnwrapErr()).toEqual({ kind: 'Cancelled' })
    const cause = new Error('away')
    const away = { ...memoryEventStore(), readAll: () => Promise.reject(cause) }
    expect((await verify(away))._unsafeUnwrapErr()).toMatchObject({ kind: 'Unavailable', cause })
  })
})
