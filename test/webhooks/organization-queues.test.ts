import { expect, it } from 'vitest'
import { type Iam, orThrow } from '../../src/index.js'
import { memoryCursors, writeCursor } from '../../src/webhooks/cursors.js'
import { addProjects, caller, nameOf, newIam, running, SECRET } from './receivers.js'

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

it.each(['{"position":"0n","held":[],"paused":true}', '{"position":0,"held":[]}', '{}', 'text'])(
  'A cursor of another version is left as it is, and told; others go on: %s',
  async (state) => {
    const iam = newIam()
    await addProjects(iam, 'acme/a')
    const cursors = memoryCursors()
    await cursors.write('later', { state, version: 0 })
    const endpoint = { url: 'https://one.test/', secrets: [SECRET], after: 0n }
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
