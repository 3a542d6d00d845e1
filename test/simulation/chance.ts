/** Random numbers of one seed: the same seed draws the same numbers on every machine (sfc32). */
export interface Chance {
  /** From 0 to 1. */
  readonly random: () => number
  /** A whole number from 0 to below `limit`. */
  readonly below: (limit: number) => number
  readonly pick: <Item>(items: readonly [Item, ...Item[]]) => Item
  readonly happens: (probability: number) => boolean
}

/** @see Chance */
export const chanceOf = (seed: number): Chance => {
  let [a, b, c, d] = [0x9e3779b9, 0x243f6a88, 0xb7e15162, seed ^ 0xdeadbeef]
  const random = (): number => {
    const t = (((a + b) | 0) + d) | 0
    d = (d + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = ((c << 21) | (c >>> 11)) + t
    c |= 0
    return (t >>> 0) / 2 ** 32
  }
  for (let round = 0; round < 15; round++) random()
  const below = (limit: number) => Math.floor(random() * limit)
  return {
    random,
    below,
    pick: (items) => items[below(items.length)] ?? items[0],
    happens: (probability) => random() < probability,
  }
}
