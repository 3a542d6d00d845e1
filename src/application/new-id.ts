import { monotonicFactory } from 'ulid'

const POOL_SIZE = 1024

/** Random fractions below 1, drawn in bulk: the source of the system costs as much per call as per kilobyte. */
const pooledRandom = (): (() => number) => {
  const pool = new Uint32Array(POOL_SIZE)
  let next = POOL_SIZE
  return () => {
    if (next === POOL_SIZE) {
      globalThis.crypto.getRandomValues(pool)
      next = 0
    }
    return (pool[next++] ?? 0) / 2 ** 32
  }
}

/** Draws ULIDs that rise within the process, from the system's cryptographic random source. */
export const ulidFactory = (): (() => string) => {
  const nextUlid = monotonicFactory(pooledRandom())
  return () => nextUlid()
}
