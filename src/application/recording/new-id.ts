import { monotonicFactory } from 'ulid'
import { ID_IN_WORDS, isId } from '../../domain/values.js'

/** Checks each id that a host makes: a malformed one could give two objects the same stream. */
export const checkedIds =
  (newId: () => string): (() => string) =>
  () => {
    const id = newId()
    if (isId(id)) return id
    throw new TypeError(`newId must return ${ID_IN_WORDS}`)
  }

/** Draws ULIDs that rise within the process. */
export const ulids = (): (() => string) => monotonicFactory(pooledRandom())

const POOL_SIZE = 1024

/** Random numbers from 0 to 1, drawn in bulk: the system takes as long for one byte as for a thousand. */
const pooledRandom = (): (() => number) => {
  const pool = new Uint8Array(POOL_SIZE)
  let next = POOL_SIZE
  return () => {
    if (next === POOL_SIZE) {
      globalThis.crypto.getRandomValues(pool)
      next = 0
    }
    return (pool[next++] ?? 0) / 256
  }
}
