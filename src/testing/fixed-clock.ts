/** A clock that stands still until it is set or advanced. */
export interface FixedClock {
  (): Date
  /** Sets the clock to `at`, which may be in the past. */
  readonly set: (at: Date | string | number) => void
  /** Moves the clock forward, or back when negative. */
  readonly advance: (milliseconds: number) => void
}

/**
 * Creates a clock for tests, to pass as `now`.
 *
 * @param at - a date, a text in RFC 3339, or milliseconds since the Unix epoch
 *
 * @throws RangeError when `at` is not a valid date
 */
export const fixedClock = (at: Date | string | number): FixedClock => {
  let time = timestampOf(at)
  return Object.assign(() => new Date(time), {
    set: (at: Date | string | number) => {
      time = timestampOf(at)
    },
    advance: (milliseconds: number) => {
      time = timestampOf(time + milliseconds)
    },
  })
}

const timestampOf = (at: Date | string | number): number => {
  const timestamp = new Date(at).getTime()
  if (Number.isNaN(timestamp)) throw new RangeError(`Not a valid date: ${at}`)
  return timestamp
}
