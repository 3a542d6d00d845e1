import { type Hash, isSame, nodeHash } from './tree.js'

const isOdd = (value: number): boolean => value % 2 === 1
const half = (value: number): number => Math.floor(value / 2)

/** A leaf, and what leads from it to the root. */
interface Inclusion {
  readonly leaf: Hash
  readonly index: number
  readonly size: number
  readonly path: readonly Hash[]
  readonly root: Hash
}

/** Whether a path leads from a leaf to the root (RFC 9162, section 2.1.3.2). */
export const isIncluded = ({ leaf, index, size, path, root }: Inclusion): boolean => {
  if (!Number.isSafeInteger(index) || index < 0 || index >= size) return false
  let [node, last, hash] = [index, size - 1, leaf]
  for (const sibling of path) {
    if (last === 0) return false
    if (isOdd(node) || node === last) {
      hash = nodeHash(sibling, hash)
      while (!isOdd(node) && node !== 0) [node, last] = [half(node), half(last)]
    } else hash = nodeHash(hash, sibling)
    ;[node, last] = [half(node), half(last)]
  }
  return last === 0 && isSame(hash, root)
}

/** Sizes and roots of two trees, and what shows that one goes on from the other. */
interface Consistency {
  readonly earlier: { readonly size: number; readonly root: Hash }
  readonly later: { readonly size: number; readonly root: Hash }
  readonly path: readonly Hash[]
}

/** Whether a later tree goes on from an earlier one (RFC 9162, section 2.1.4.2). */
export const isConsistent = ({ earlier, later, path }: Consistency): boolean => {
  if (earlier.size > later.size) return false
  if (earlier.size === 0) return path.length === 0
  if (earlier.size === later.size) return path.length === 0 && isSame(earlier.root, later.root)
  let [node, last] = [earlier.size - 1, later.size - 1]
  while (isOdd(node)) [node, last] = [half(node), half(last)]
  // A full tree is a subtree of every later one, so its root is not repeated.
  const hashes = node === 0 ? [earlier.root, ...path] : path
  const [first, ...others] = hashes
  if (first === undefined) return false
  let [before, after] = [first, first]
  for (const hash of others) {
    if (last === 0) return false
    if (isOdd(node) || node === last) {
      before = nodeHash(hash, before)
      after = nodeHash(hash, after)
      while (!isOdd(node) && node !== 0) [node, last] = [half(node), half(last)]
    } else after = nodeHash(after, hash)
    ;[node, last] = [half(node), half(last)]
  }
  return last === 0 && isSame(before, earlier.root) && isSame(after, later.root)
}
