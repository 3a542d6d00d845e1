import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { PLANTED, PLANTED_IN_POSTGRES, PLANTED_IN_WORLDS } from './planted.js'
import { shrink, simulate } from './simulate.js'

/** `npm run simulate` takes any number; the long test 600, and 2,000 at night. */
const SEEDS = 50

// Some seconds of work, of which a busy machine makes minutes.
it(`holds under ${SEEDS} seeds`, { timeout: 600_000 }, async () => {
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

it('has a place in the sources for each planted bug', () => {
  const planted = [...PLANTED, ...PLANTED_IN_POSTGRES, ...PLANTED_IN_WORLDS]
  const source = (file: string) =>
    readFileSync(new URL(`../../src/${file}`, import.meta.url), 'utf8')
  const lost = planted.filter(({ file, from }) => !source(file).includes(from))
  expect(lost.map(({ name }) => name)).toEqual([])
  expect(new Set(planted.map(({ name }) => name)).size).toBe(planted.length)
})
