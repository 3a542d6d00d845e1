import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { PLANTED } from './planted.js'

const run = promisify(execFile)

/** Runs the simulation in a process of its own, with a planted bug if one is named. */
const simulated = async (parameters: readonly string[], planted = ''): Promise<string> => {
  const folder = import.meta.dirname
  const program = ['--import', join(folder, 'register.mjs'), join(folder, 'main.ts')]
  const options = { env: { ...process.env, PLANTED: planted }, maxBuffer: 2 ** 28 }
  try {
    return (await run(process.execPath, [...program, ...parameters], options)).stdout
  } catch (failed) {
    // It ends with a code when it has found a violation.
    if (failed instanceof Error && 'stdout' in failed) return String(failed.stdout)
    throw failed
  }
}

it('holds under 2,000 seeds', { timeout: 900_000 }, async () => {
  expect(await simulated(['--seed', '1', '--seeds', '2000'])).toMatch(
    /^2000 seeds, 240000 operations/,
  )
})

it('gives the same trace in two processes', { timeout: 120_000 }, async () => {
  const [one, other] = [
    await simulated(['--seed', '6', '--trace']),
    await simulated(['--seed', '6', '--trace']),
  ]
  const withoutTime = (trace: string) => trace.replace(/, [\d.]+ s\n$/, '')
  expect(withoutTime(one)).toEqual(withoutTime(other))
})

describe('A planted bug is found', () => {
  it.each(PLANTED.map(({ name }, number) => [name, number] as const))(
    '%s',
    { timeout: 600_000 },
    async (_, number) => {
      const found = await simulated(
        ['--seed', '1', '--seeds', '2000', '--no-shrink'],
        String(number),
      )
      expect(found).toMatch(/^Seed \d+ fails: /)
    },
  )
})
