import { describe, expect, test } from 'vitest'
import type { StandbyReads } from '../../../../src/adapters/postgres/replica/waiting-reads.js'
import { waitingReads } from '../../../../src/adapters/postgres/replica/waiting-reads.js'

const MAX_WAIT = 20
const known = { head: 5n, reached: 5n }
const answer = { ...known, found: 'found' }

/** Reads of a standby whose checkpoint is `reached` when it is asked. */
const readsAt = (reached: () => Promise<bigint>) => {
  // Nothing else is asked.
  const standby = { checkpoint: reached } as StandbyReads
  return waitingReads(standby, async () => known, MAX_WAIT)
}

describe('A read that a standby takes long for', () => {
  test('is waited for when the standby has what it must show', async () => {
    const { promise, resolve } = Promise.withResolvers<typeof answer>()
    const reads = readsAt(async () => {
      setTimeout(() => resolve(answer), 5 * MAX_WAIT)
      return known.reached
    })
    expect(await reads.begin(() => promise)?.(known, known.reached)).toEqual(answer)
    expect(reads.begin(() => promise)).toBeDefined()
  })

  test.each([
    ['is behind', async () => 4n],
    ['is silent', () => new Promise<bigint>(() => undefined)],
    ['fails', () => Promise.reject(new Error('away'))],
  ])('is given up when the standby %s, which is then left alone', async (_, reached) => {
    const reads = readsAt(reached)
    const never = () => new Promise<typeof answer>(() => undefined)
    expect(await reads.begin(never)?.(known, known.reached)).toBeUndefined()
    expect(reads.begin(never)).toBeUndefined()
  })
})
