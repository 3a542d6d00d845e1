import { describe, expect, it } from 'vitest'
import { PLANTED } from './planted.js'
import { simulated } from './program.js'

it('holds under 2,000 seeds', { timeout: 900_000 }, async () => {
  const halves = ['1', '1001'].map((seed) => simulated(['--seed', seed, '--seeds', '1000']))
  for (const half of await Promise.all(halves))
    expect(half).toMatch(/^1000 seeds, 132000 operations/)
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
