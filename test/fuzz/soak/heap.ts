/** Part of the samples that is left out: caches fill and code is compiled. */
const WARM_UP = 0.25

/** Growth that is put up with from the first to the last third, as a part and in bytes. */
const MOST_GROWTH = 0.1
const MOST_BYTES = 2 * 2 ** 20

/** Memory that is still in use after a collection, in bytes, on the heap and beside it. */
export const usedMemory = (): number => {
  if (!globalThis.gc) throw new Error('Run me with node --expose-gc')
  globalThis.gc()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** What became of memory: medians of the first and the last third after the warm-up, in bytes. */
export interface Growth {
  readonly first: number
  readonly last: number
  readonly isFlat: boolean
}

/** @param samples - in the order taken */
export const growthOf = (samples: readonly number[]): Growth => {
  const warm = samples.slice(Math.floor(samples.length * WARM_UP))
  const third = Math.floor(warm.length / 3)
  const first = median(warm.slice(0, third))
  const last = median(warm.slice(-third))
  const isFlat = third > 0 && last <= first * (1 + MOST_GROWTH) + MOST_BYTES
  return { first, last, isFlat }
}

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN
