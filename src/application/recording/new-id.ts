import { ID_IN_WORDS, isId } from '../../domain/values.js'

/** Crockford's base 32, as ULIDs are written in. */
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** All numbers below 1024 in two digits. */
const PAIRS = Array.from(
  { length: 1024 },
  (_, value) => `${DIGITS[value >> 5] ?? ''}${DIGITS[value & 31] ?? ''}`,
)

/** The random part of a ULID has 80 bits: four numbers below this one. */
const PART = 2 ** 20

const ulidPart = (value: number): string =>
  `${PAIRS[(value >> 10) & 1023] ?? ''}${PAIRS[value & 1023] ?? ''}`

const POOL_SIZE = 1024

/** Random numbers below {@link PART}, drawn in bulk: the source of the system costs as much per call as per kilobyte. */
const pooledRandom = (): (() => number) => {
  const pool = new Uint32Array(POOL_SIZE)
  let next = POOL_SIZE
  return () => {
    if (next === POOL_SIZE) {
      globalThis.crypto.getRandomValues(pool)
      next = 0
    }
    return (pool[next++] ?? 0) % PART
  }
}

/**
 * Draws ULIDs that rise within the process, from the system's cryptographic random source: a new
 * random part for each millisecond, counted up within it.
 */
export const ulidFactory = (): (() => string) => {
  const random = pooledRandom()
  let time = 0
  let count = PART
  let beginning = ''
  return () => {
    const now = Date.now()
    if (now > time || count === PART) {
      time = Math.max(now, time + 1)
      count = random()
      const low = ulidPart(Math.floor(time / PART)) + ulidPart(time % PART)
      const high = PAIRS[Math.floor(time / PART ** 2)] ?? ''
      beginning = `${high}${low}${ulidPart(random())}${ulidPart(random())}${ulidPart(random())}`
    }
    return beginning + ulidPart(count++)
  }
}

/** {@link ulidFactory} of a host's: an id that is none would make the name of a stream another's. */
export const checkedIds =
  (newId: () => string): (() => string) =>
  () => {
    const id = newId()
    if (isId(id)) return id
    throw new TypeError(`newId must draw ${ID_IN_WORDS}`)
  }
