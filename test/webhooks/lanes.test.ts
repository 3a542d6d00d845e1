import { expect, it } from 'vitest'
import { type Iam, orThrow } from '../../src/index.js'
import { addProjects, caller, nameOf, newIam, running } from './receivers.js'

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
