import { describe, expect, it } from 'vitest'
import { searched } from '../nightly.js'
import { PLANTED } from './planted.js'
import { simulated } from './program.js'

/** In each of two processes. */
const SEEDS = searched({ short: 300, nightly: 1_000 })

it(`holds under ${2 * SEEDS} seeds`, { timeout: 900_000 }, async () => {
  const halves = [1, 1 + SEEDS].map((seed) =>
    simulated(['--seed', String(seed), '--seeds', String(SEEDS)]),
  )
  for (const half of await Promise.all(halves))
    expect(half).toMatch(new RegExp(`^${SEEDS} seeds, ${SEEDS * 132} operations`))
})

it('gives the same trace in two processes', { timeout: 120_000 }, async () => {
  const [one, other] = [
    await simulated(['--seed', '6', '--trace']),
    await simulated(['--seed', '6', '--trace']),
  ]
  const withoutTime = (trace: string) => trace.replace(/, [\d.]+ s\n$/, '')
  expect(withoutTime(one)).toEqual(withoutTime(other))
})

describe.concurrent('A planted bug is found', () => {
  it.each(PLANTED)('$name', { timeout: 600_000 }, async ({ name, seed }) => {
    const seeds = ['--seed', String(seed), '--seeds', '1000', '--no-shrink']
    const found = await simulated(seeds, name)
    expect(found).toMatch(/^Seed \d+ fails: /)
  })
})
