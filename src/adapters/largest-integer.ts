/** The largest number that a database takes for an integer; beyond every position and version. */
export const LARGEST_INTEGER = 2n ** 63n - 1n
