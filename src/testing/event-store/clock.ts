import { fixedClock } from '../fixed-clock.js'
import { demandEqual, lawsOf } from '../law.js'
import type { EventClockLaw } from './harness.js'
import { appendOf, firstOf, record, write } from './samples.js'

const NOON = Date.parse('2024-02-29T12:00:00.123Z')
const NOON_POSITION = BigInt(NOON) * 1000n

/** How the positions of a store follow the host's clock; not for a store with a clock of its own. */
export const eventClockLaws: readonly EventClockLaw[] = lawsOf({
  'a position is the time in microseconds, or one more than the last, whichever is later': async ({
    openAt,
  }) => {
    const now = fixedClock(NOON)
    const store = await openAt(now)
    await record(store, appendOf([write('law-a', 0, {}, {})]))
    await record(store, firstOf('law-b'))
    now.advance(1)
    await record(store, firstOf('law-c'))
    demandEqual(
      'the positions',
      (await store.readAll(0n, 10)).map(({ position }) => position),
      [0n, 1n, 2n, 1000n].map((microseconds) => NOON_POSITION + microseconds),
    )
  },
  'positions begin with 1 before 1970, and rise on when the clock runs backwards': async ({
    openAt,
  }) => {
    const now = fixedClock(0)
    const store = await openAt(now)
    for (const [n, time] of ['1960-01-01', NOON, 0, '1960-01-01'].entries()) {
      now.set(time)
      await record(store, firstOf(`law-${n}`))
    }
    const positions = (await store.readAll(0n, 10)).map(({ position }) => position)
    demandEqual('the positions', positions, [
      1n,
      NOON_POSITION,
      NOON_POSITION + 1n,
      NOON_POSITION + 2n,
    ])
  },
})
