/** The largest number that a database takes for an integer; beyond every position and version. */
export const LARGEST_INTEGER = 2n ** 63n - 1n

/** `position` where a database takes it for an integer; otherwise one that has the same events above it. */
export const boundedPosition = (position: bigint): bigint => {
  if (position > LARGEST_INTEGER) return LARGEST_INTEGER
  return position < 0n ? 0n : position
}
