import { expect, it } from 'vitest'
import { type Iam, orThrow } from '../../src/index.js'
import { memoryCursors, writeCursor } from '../../src/webhooks/cursors.js'
import { run } from '../../src/webhooks/run.js'
import { addProjects, caller, nameOf, newIam, running, SECRET } from './receivers.js'
import { virtualClock } from './virtual-clock.js'

/** Most steps of the event loop between the answer of a receiver and the end of a delivery. */
const STEPS = 80

it('A change that arrives at any moment while the one before is taken is not lost', async () => {
  const recorded = newIam()
  await addProjects(recorded, 'acme/a', 'acme/b')
  const { items } = await orThrow(recorded.history.list({}, { caller: caller('acme') }))
  const lost: number[] = []
  for (let steps = 0; steps < STEPS; steps++) {
    const answered = Promise.withResolvers<void>()
    const iam: Iam = {
      ...recorded,
      async *subscribe(options = {}) {
        for await (const event of recorded.subscribe(options)) {
          if (event.position === items[1]?.sequence) {
            await answered.promise
            for (let step = 0; step < steps; step++) await undefined
          }
          yield event
        }
      },
    }
    const { received, setup, stop, until } = await running(
      () => {
        answered.resolve()
        return 200
      },
      { iam },
    )
    const last = `"position":"${items[1]?.sequence}n"`
    await until(async () => {
      const { state = '' } = await setup.options.cursors.read('one')
      return state.includes(last) && state.includes('"held":[]')
    })
    await stop()
    if (received.map(nameOf).join() !== 'acme/a,acme/b') lost.push(steps)
  }
  expect(lost).toEqual([])
})

it('A pause that a clock ahead has written is not waited for longer than an hour', async () => {
  const iam = newIam()
  await addProjects(iam, 'acme/a')
  const { items } = await orThrow(iam.history.list({}, { caller: caller('acme') }))
  const position = items[0]?.sequence ?? 0n
  const inYears = Date.now() + 10 * 365 * 24 * 3_600_000
  const failing = { position, failures: 1, since: inYears, nextAttempt: inYears }
  const held = [{ orgId: 'acme', taken: 0n, failing }]
  const cursors = memoryCursors()
  await cursors.write('one', { state: writeCursor({ position, held }), version: 0 })
  const { received, clock, until } = await running(() => 200, { iam, cursors })
  await until(() => received.length === 1 || clock.elapsed() > 2 * 3_600_000)
  expect(received.map(nameOf)).toEqual(['acme/a'])
})

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

/** Cursors of a process whose clock differs by `ahead`, in milliseconds, and for which a message has failed. */
const cursorsOf = async (iam: Iam, ahead: number, failures: number) => {
  const { items } = await orThrow(iam.history.list({}, { caller: caller('acme') }))
  const position = items[0]?.sequence ?? 0n
  const since = Date.now() + ahead
  const failing = { position, failures, since, nextAttempt: since + 1_000 }
  const held = [{ orgId: 'acme', taken: 0n, failing }]
  const cursors = memoryCursors()
  await cursors.write('one', { state: writeCursor({ position, held }), version: 0 })
  return cursors
}

it('A message that failed under a clock that is 10 minutes ahead is sent again after its own pause', async () => {
  const iam = newIam()
  await addProjects(iam, 'acme/a')
  const cursors = await cursorsOf(iam, 10 * MINUTE_MS, 3)
  const { received, clock, until } = await running(() => 200, { iam, cursors })
  const begin = clock.elapsed()
  await until(() => received.length === 1 || clock.elapsed() > begin + DAY_MS)
  expect(clock.elapsed() - begin).toBeLessThan(MINUTE_MS)
})

it.each([-4 * DAY_MS, 4 * DAY_MS])(
  'A message that failed under a clock %i ms ahead has its three days',
  async (ahead) => {
    const iam = newIam()
    await addProjects(iam, 'acme/a')
    const cursors = await cursorsOf(iam, ahead, 3)
    const { deliveries, until } = await running(() => 500, {
      iam,
      cursors,
      lease: 600_000,
      step: 100_000,
    })
    await until(() => deliveries.some(({ nextAttempt }) => nextAttempt === undefined))
    expect(deliveries.length).toBeGreaterThanOrEqual(57)
    expect(deliveries.length).toBeLessThan(120)
  },
)

it('A clock that is set back by 10 minutes delays no message', async () => {
  const iam = newIam()
  await addProjects(iam, 'acme/a')
  let ahead = 10 * MINUTE_MS
  const { received, clock, setup, until, stop } = await running(
    (_, count) => (count > 1 ? 200 : 500),
    { iam },
  )
  await stop()
  expect(received).toHaveLength(0)
  const real = clock.now
  const shifted = virtualClock()
  const ending = new AbortController()
  const ran = run(
    { ...setup, environment: { ...shifted, now: () => real() + ahead } },
    ending.signal,
  )
  await until(() => received.length === 1)
  ahead = 0
  await until(() => received.length === 2 || shifted.elapsed() > DAY_MS)
  expect(shifted.elapsed()).toBeLessThan(MINUTE_MS)
  ending.abort()
  await ran
  shifted.stop()
})

it.each(['{"position":"0n","held":[],"paused":true}', '{"position":0,"held":[]}', '{}', 'text'])(
  'A cursor of another version is left as it is, and told; others go on: %s',
  async (state) => {
    const iam = newIam()
    await addProjects(iam, 'acme/a')
    const cursors = memoryCursors()
    await cursors.write('later', { state, version: 0 })
    const organizations = 'all' as const
    const endpoint = { url: 'https://one.test/', secrets: [SECRET], after: 0n, organizations }
    const { received, faults, until } = await running(() => 200, {
      iam,
      cursors,
      endpoints: () => ['later', 'one'].map((id) => ({ ...endpoint, id })),
    })
    await until(() => faults.length > 0 && received.length > 0)
    expect(faults[0]).toMatchObject({ during: 'cursors', endpoint: 'later' })
    expect(received).toHaveLength(1)
    expect(await cursors.read('later')).toEqual({ state, version: 1 })
  },
)
