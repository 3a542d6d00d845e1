import { expect, test } from 'vitest'
import { compared } from './worlds/program.js'

const RUNS = process.env['FUZZ_RUNS'] ?? '500'

test('All worlds agree on any history.', async () => {
  const seed = String(Date.now() % 2 ** 31)
  const found = await compared(['--histories', RUNS, '--seed', seed])
  expect(found, `seed ${seed}`).toBe(`${RUNS} histories: all worlds agree\n`)
})
