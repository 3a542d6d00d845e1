import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const program = join(import.meta.dirname, 'large-log.ts')

/** What verifying takes, in a process of its own. */
const measure = (events: number, streams: number): { events: number; grown: number } => {
  const parameters = ['--expose-gc', program, String(events), String(streams)]
  return JSON.parse(execFileSync(process.execPath, parameters, { encoding: 'utf8' }))
}

describe('Verifying a large log by a checkpoint', () => {
  it('takes memory for each stream, and none for an event', () => {
    const { events, grown } = measure(200_000, 1_000)
    expect(events).toBe(200_000)
    expect(grown).toBeLessThan(8_000_000)
  })
})
