import { expect, it } from 'vitest'
import { shrink, simulate } from './simulate.js'

/** `npm run simulate` takes any number; the long test 1,000. */
const SEEDS = 50

it(`holds under ${SEEDS} seeds`, async () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const run = await simulate(seed)
    if (run.violation) expect.fail((await shrink(run)).trace.join('\n'))
  }
})

it('repeats a seed step by step', async () => {
  for (const seed of [3, 4, 5])
    expect((await simulate(seed)).trace).toEqual((await simulate(seed)).trace)
})

it('is another run under another seed', async () => {
  expect((await simulate(3)).trace).not.toEqual((await simulate(4)).trace)
})
