import { growingTree, type Hash } from './tree.js'

/** Leaves of a log by their index: the first, and the one behind the last. */
export type Range = readonly [from: number, to: number]

/** Where a tree of `size` leaves, at least 2, is split: at the largest power of two below its size. */
const splitOf = (size: number): number => {
  let split = 1
  while (split * 2 < size) split *= 2
  return split
}

/** The subtrees whose roots lead from a leaf to the root, from the leaf upwards (RFC 6962, section 2.1.1). */
export const inclusionRanges = (index: number, size: number): readonly Range[] => {
  const walk = (from: number, to: number): readonly Range[] => {
    if (to - from <= 1) return []
    const middle = from + splitOf(to - from)
    return index < middle
      ? [...walk(from, middle), [middle, to]]
      : [...walk(middle, to), [from, middle]]
  }
  return walk(0, size)
}

/** The subtrees whose roots show that one tree goes on from another (RFC 6962, section 2.1.2). `earlier` is from 1 to `size`. */
export const consistencyRanges = (earlier: number, size: number): readonly Range[] => {
  const walk = (from: number, to: number, isWhole: boolean): readonly Range[] => {
    if (to === earlier) return isWhole ? [] : [[from, to]]
    const middle = from + splitOf(to - from)
    return earlier <= middle
      ? [...walk(from, middle, isWhole), [middle, to]]
      : [...walk(middle, to, false), [from, middle]]
  }
  return walk(0, size, true)
}

/** Takes leaves in their order, and keeps the roots of ranges that do not overlap. */
export const rootsOfRanges = (ranges: readonly Range[]) => {
  const inOrder = ranges.toSorted(([a], [b]) => a - b)
  const roots = new Map<number, Hash>()
  let index = 0
  let open = growingTree()
  return {
    add: (leaf: Hash): void => {
      const [range] = inOrder
      if (range !== undefined && index >= range[0]) {
        open.add(leaf)
        if (index + 1 === range[1]) {
          roots.set(range[0], open.root())
          open = growingTree()
          inOrder.shift()
        }
      }
      index += 1
    },
    /** In the order in which the ranges were given; those that are not whole are left out. */
    roots: (): readonly Hash[] => ranges.flatMap(([from]) => roots.get(from) ?? []),
  }
}
