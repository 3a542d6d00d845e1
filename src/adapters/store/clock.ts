import { StoreFault } from '../../ports/store-fault.js'

/** Returns the time. */
export type Clock = () => Date

/** Returns the time in whole microseconds since the Unix epoch; a number is exact until the year 2255. */
export type MicrosecondClock = () => number

const NO_TIME = 'The clock must show a time before the year 2255'

/**
 * `clock` in microseconds; the system's time, without a `Date` for each reading, when absent.
 *
 * @throws TypeError when it is no function: the option is called `now`
 */
export const microsecondClock = (clock?: Clock): MicrosecondClock => {
  if (clock === undefined) return () => Date.now() * 1000
  if (typeof clock !== 'function') throw new TypeError('now must be a function')
  return () => {
    let cause: unknown
    try {
      const now = clock().getTime() * 1000
      if (Number.isSafeInteger(now)) return now
    } catch (thrown) {
      cause = thrown
    }
    throw new StoreFault(NO_TIME, 'not_recorded', cause)
  }
}

/** Position of an event recorded at `now` after the position `last`, which is 0 before the first event. */
export const nextPosition = (now: number, last: number): number => Math.max(now, last + 1)
