import { describe, expect, it } from 'vitest'
import { aesGcmCipher, createIam, memoryEventStore } from '../../src/index.js'
import { memoryCursors } from '../../src/webhooks/cursors.js'
import { redeliver, status } from '../../src/webhooks/status-and-redeliver.js'
import { webhooks } from '../../src/webhooks/webhooks.js'
import { addProjects, caller, nameOf, newIam, positionOf, running } from './receivers.js'

const DAY_MS = 24 * 3_600_000

describe('An endpoint that takes nothing', () => {
  it('is suspended after three days, and goes on where it was when asked to', async () => {
    const iam = newIam()
    await addProjects(iam, 'acme/a', 'other/b')
    let isMended = false
    const { setup, clock, received, deliveries, until } = await running(
      ({ event }) => (isMended || event.orgid === 'other' ? 200 : 500),
      { iam, lease: 600_000, step: 100_000 },
    )
    const begin = clock.now()
    const statusOf = async () => (await status(setup, { endpoint: 'one' }))._unsafeUnwrap()[0]
    await until(async () => (await statusOf())?.state === 'suspended')
    const days = (clock.now() - begin) / DAY_MS
    expect(days).toBeGreaterThanOrEqual(3)
    expect(days).toBeLessThan(3.1)
    expect(await statusOf()).toMatchObject({
      state: 'suspended',
      isServed: false,
      suspended: { reason: 'exhausted' },
      held: [{ orgId: 'acme', failing: { failures: deliveries.length - 1 } }],
    })
    const waits = deliveries.flatMap(({ nextAttempt }) => nextAttempt?.getTime() ?? [])
    expect(waits.length).toBeGreaterThan(70)

    // What happens meanwhile is not lost.
    await addProjects(iam, 'acme/c', 'other/d')
    const count = received.length
    isMended = true
    expect((await redeliver(setup, { endpoint: 'one' }))._unsafeUnwrap()).toMatchObject({
      state: 'active',
    })
    await until(() => received.length === count + 3)
    const names = received.slice(count).map(nameOf)
    expect(names.filter((name) => name.startsWith('acme'))).toEqual(['acme/a', 'acme/c'])
    expect(names).toContain('other/d')
  })

  it('is suspended at once when it answers 410', async () => {
    const { iam, setup, deliveries, until, clock, stop } = await running(() => 410)
    await addProjects(iam, 'acme/a')
    const find = async () => (await status(setup, {}))._unsafeUnwrap()[0]
    await until(async () => (await find())?.state === 'suspended')
    expect(deliveries).toHaveLength(1)
    expect(deliveries[0]).toMatchObject({ outcome: 'refused', status: 410, attempt: 1 })
    expect(deliveries[0]).not.toHaveProperty('nextAttempt')
    expect(await find()).toMatchObject({ suspended: { reason: 'gone' } })

    // Until it is sent again, the message still counts as not taken.
    await clock.sleep(60_000, new AbortController().signal)
    await stop()
    const resumed = (await redeliver(setup, { endpoint: 'one' }))._unsafeUnwrap()
    expect(resumed).toMatchObject({ state: 'active', held: [{ orgId: 'acme' }] })
    expect(resumed.lag).toBeGreaterThan(0)
  })

  it('waits as long as the receiver asks for, up to an hour', async () => {
    const answers = ['120', '9'.repeat(400)].map(
      (seconds) => new Response(null, { status: 429, headers: { 'retry-after': seconds } }),
    )
    const { iam, deliveries, until } = await running((_, count) => answers[count - 1] ?? 200)
    await addProjects(iam, 'acme/a')
    await until(() => deliveries.length === 3)
    // The virtual clock stands where it began when the event is recorded, a moment later: its first lag is 0.
    expect(deliveries[1]!.lag - deliveries[0]!.lag).toBeGreaterThan(119_000)
    const second = deliveries[2]!.lag - deliveries[1]!.lag
    expect(second).toBeGreaterThan(3_599_000)
    expect(second).toBeLessThan(3_700_000)
  })
})

describe('status', () => {
  it('shows how far each endpoint is, and how far behind', async () => {
    const iam = newIam()
    await addProjects(iam, 'acme/a')
    const { setup, received, until, clock, stop } = await running(() => 200, { iam })
    const find = async () => (await status(setup, { endpoint: 'one' }))._unsafeUnwrap()[0]
    await until(async () => (await find())?.position !== undefined && received.length > 0)
    await until(async () => (await find())?.lag === 0 && (await find())?.held.length === 0)
    expect(await find()).toMatchObject({ endpoint: 'one', state: 'active', isServed: true })
    await until(async () => (await find())?.position === positionOf(received[0]))
    await stop()
    await addProjects(iam, 'acme/b')
    clock.sleep(5_000, new AbortController().signal)
    expect(await find()).toMatchObject({ isServed: false, held: [] })
  })

  it('counts a message that is under way for the first time in the lag', async () => {
    const iam = newIam()
    const answer = Promise.withResolvers<never>()
    const { setup, clock, received, until } = await running(() => answer.promise, { iam })
    await addProjects(iam, 'acme/a')
    const find = async () => (await status(setup, { endpoint: 'one' }))._unsafeUnwrap()[0]
    await until(async () => received.length === 1 && (await find())?.held.length === 1)
    const begin = clock.elapsed()
    await until(() => clock.elapsed() > begin + 60_000)
    const found = await find()
    expect(found?.held).toMatchObject([{ orgId: 'acme' }])
    expect(found?.held[0]).not.toHaveProperty('failing')
    expect(found?.lag).toBeGreaterThanOrEqual(60_000)
    answer.reject(new Error('no connection'))
  })

  it('knows an endpoint before it was served, but no unknown one', async () => {
    const options = {
      iam: newIam(),
      caller,
      lookup: false as const,
      cursors: (await running(() => 200)).setup.options.cursors,
    }
    const organizations = 'all' as const
    const added = { id: 'new', url: 'https://new.test/', secrets: [], organizations }
    // What is malformed is told by `run`, and shown by nothing.
    const endpoints = () => [added, added, { ...added, id: 'a\0' }, undefined as never]
    const hooks = webhooks({ ...options, endpoints })
    expect((await hooks.status())._unsafeUnwrap()).toEqual([
      { endpoint: 'new', state: 'new', held: [], isServed: false, lag: 0 },
    ])
    for (const endpoint of ['absent', ''])
      expect((await hooks.status({ endpoint }))._unsafeUnwrapErr()).toMatchObject({
        kind: 'InvalidArgument',
        violations: [{ field: 'endpoint' }],
      })
    expect((await hooks.redeliver({ endpoint: 'new' }))._unsafeUnwrapErr()).toMatchObject({
      kind: 'InvalidArgument',
    })
  })
})

describe('redeliver', () => {
  it('sends again what was taken after a position, also while it is served', async () => {
    const iam = newIam()
    await addProjects(iam, 'acme/a', 'acme/b', 'acme/c')
    const { setup, received, until } = await running(() => 200, { iam })
    await until(() => received.length === 3)
    const after = positionOf(received[0])
    expect((await redeliver(setup, { endpoint: 'one', after })).isOk()).toBe(true)
    await until(() => received.length === 5)
    expect(received.slice(3).map(nameOf)).toEqual(['acme/b', 'acme/c'])
    expect(received[3]?.headers['webhook-id']).toBe(received[1]?.headers['webhook-id'])
  })

  it.each([
    ['after', { endpoint: 'one', after: -1n }],
    ['after', { endpoint: 'one', after: 1 }],
    ['endpoint', { after: 1n }],
    ['from', { endpoint: 'one', from: 1n }],
  ])('refuses a malformed %s', async (field, input) => {
    const { setup } = await running(() => 200)
    expect((await redeliver(setup, input as never))._unsafeUnwrapErr()).toMatchObject({
      kind: 'InvalidArgument',
      violations: [{ field }],
    })
  })

  it('answers Unavailable when the cursors are', async () => {
    const lost = () => Promise.reject(new Error('lost'))
    const cursors = { read: lost, lease: lost, write: lost, release: lost }
    const hooks = webhooks({ iam: newIam(), caller, cursors, lookup: false, endpoints: () => [] })
    for (const answer of [
      await hooks.redeliver({ endpoint: 'one' }),
      await hooks.status({ endpoint: 'one' }),
    ])
      expect(answer._unsafeUnwrapErr()).toMatchObject({ kind: 'Unavailable' })
  })
})

describe('Options', () => {
  const good = {
    iam: newIam(),
    caller,
    cursors: memoryCursors(),
    lookup: false,
    endpoints: () => [],
  }

  it.each([
    [/^iam must/, { iam: undefined }],
    [/^cursors must/, { cursors: {} }],
    [/^endpoints must/, { endpoints: [] }],
    [/^webhooks has no option onDeliveries; it has iam,/, { onDeliveries: () => undefined }],
    [/^source must/, { source: 'with space' }],
    [/^source must/, { source: 'a|b' }],
    [/^source must/, { source: '100%' }],
    [/^source must/, { source: 'a'.repeat(201) }],
    [/^lease must/, { lease: 10 }],
    [/^lookup must be a function .*\(name\) => lookup.*, or false/, { lookup: undefined, fetch }],
    [/^lookup must be a function/, { lookup: 'system' }],
    [/^timeout must be less than half the lease/, { timeout: 15_000 }],
  ])('are refused: %s', (message, given) => {
    expect(() => webhooks({ ...good, ...given } as never)).toThrow(message)
  })

  it('of run are checked too', () => {
    const { run } = webhooks(good as never)
    expect(() => run({ signals: 1 } as never)).toThrow(/^run has no option signals; it has signal$/)
    expect(() => run({ signal: 1 } as never)).toThrow(/^signal must/)
  })
})

it('A run ends at an event that cannot be read, and skips none', async () => {
  const store = memoryEventStore()
  const secrets = aesGcmCipher({ current: 'k', keys: { k: new Uint8Array(32) } })
  const iam = createIam({ store, secrets, authorize: () => true })
  const { received, ran, until } = await running(() => 200, { iam })
  await addProjects(iam, 'acme/a')
  await until(() => received.length === 1)
  const metadata = { actor: { userId: 'u' }, resourceOwner: 'acme' }
  const events = [{ type: 'project.sold', schemaVersion: 1, data: {} }]
  const writes = [{ stream: 'project-acme+p', expectedVersion: 0, events }]
  await store.append({ id: '01ARZ3NDEKTSV4RRFFQ69G5FAV', writes, metadata } as never)
  expect((await ran)._unsafeUnwrapErr()).toMatchObject({ kind: 'UnknownEvent' })
  expect(received.map(nameOf)).toEqual(['acme/a'])
})
