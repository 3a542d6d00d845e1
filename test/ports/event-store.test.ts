import fc from 'fast-check'
import { expect, it } from 'vitest'
import { timeOf } from '../../src/ports/event-store.js'

it('a position tells its time to the millisecond, cutting off what is finer', () => {
  const positions = fc.bigInt({ min: 0n, max: BigInt(Number.MAX_SAFE_INTEGER) })
  fc.assert(
    fc.property(positions, (position) => {
      expect(timeOf(position).getTime()).toBe(Number(position / 1000n))
    }),
  )
  for (const position of [9007199254739999n, 9007199254740000n, 9007199254740991n]) {
    expect(timeOf(position).getTime()).toBe(Number(position / 1000n))
  }
})
