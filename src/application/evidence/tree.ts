import { sha256 } from '@noble/hashes/sha2.js'
import type { RecordedEvent } from '../../ports/event-store.js'

/** SHA-256 of a leaf or of a node, 32 bytes. */
export type Hash = Uint8Array

const encoder = new TextEncoder()
const NODE = Uint8Array.of(1)

/** Hash of a leaf: of a byte 0 and the text in UTF-8 (RFC 6962, section 2.1). */
export const leafHash = (text: string): Hash => sha256(encoder.encode(`\0${text}`))

/** Hash of a node: of a byte 1 and both hashes below. */
export const nodeHash = (left: Hash, right: Hash): Hash =>
  sha256.create().update(NODE).update(left).update(right).digest()

/** Root of a tree without leaves. */
const EMPTY: Hash = sha256(new Uint8Array())

/** A tree that grows: its size, and the roots of its full subtrees, the largest first: its frontier. */
export interface Tree {
  readonly size: number
  readonly frontier: readonly Hash[]
}

/** Number of full subtrees of a tree: one for each 1 among the binary digits of its size. */
export const frontierLength = (size: number): number => size.toString(2).replaceAll('0', '').length

/** A tree to which leaves are added, in memory that grows with the logarithm of its size. */
export const growingTree = ({ size, frontier }: Tree = { size: 0, frontier: [] }) => {
  let count = size
  const roots = [...frontier]
  return {
    add: (leaf: Hash): void => {
      let joined = leaf
      // A subtree is full when its number is even, as a binary counter carries.
      for (let level = count; level % 2 === 1; level = Math.floor(level / 2))
        joined = nodeHash(lastOf(roots), joined)
      roots.push(joined)
      count += 1
    },
    size: (): number => count,
    frontier: (): readonly Hash[] => [...roots],
    root: (): Hash => rootOf(roots),
  }
}

const lastOf = (roots: Hash[]): Hash => {
  const last = roots.pop()
  if (!last) throw new Error('A tree has fewer full subtrees than its size says')
  return last
}

export const rootOf = (frontier: readonly Hash[]): Hash => {
  const [last, ...others] = frontier.toReversed()
  return last === undefined ? EMPTY : others.reduce((right, left) => nodeHash(left, right), last)
}

/** Whether two hashes are the same. */
export const isSame = (a: Hash, b: Hash): boolean =>
  a.length === b.length && a.every((byte, index) => byte === b[index])

/** Consecutive leaves by their index; `to` is excluded. */
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

/**
 * The subtrees whose roots prove that a tree extends an earlier tree of `earlier` leaves, 1 to `size` (RFC 6962,
 * section 2.1.2).
 */
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

/** Takes leaves in order, and keeps the roots of ranges that do not overlap. */
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
    /** In the order of the ranges; incomplete ranges are left out. */
    roots: (): readonly Hash[] => ranges.flatMap(([from]) => roots.get(from) ?? []),
  }
}

const isOdd = (value: number): boolean => value % 2 === 1
const half = (value: number): number => Math.floor(value / 2)

/** A leaf, and the hashes on its path to the root. */
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

/** Sizes and roots of two trees, and the hashes that prove that one extends the other. */
interface Consistency {
  readonly earlier: { readonly size: number; readonly root: Hash }
  readonly later: { readonly size: number; readonly root: Hash }
  readonly path: readonly Hash[]
}

/** Whether a later tree extends an earlier one (RFC 9162, section 2.1.4.2). */
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

/**
 * A JSON value in canonical form (RFC 8785): keys in the order of their UTF-16 code units, no space, numbers and text as
 * ECMAScript writes them. Leaves out properties that are undefined.
 */
export const canonicalJson = (value: unknown): string => {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join()}]`
  let fields = ''
  for (const name of Object.keys(value).sort()) {
    const field: unknown = Reflect.get(value, name)
    if (field === undefined) continue
    fields += `${fields === '' ? '' : ','}${JSON.stringify(name)}:${canonicalJson(field)}`
  }
  return `{${fields}}`
}

/**
 * An event as one line of canonical JSON (RFC 8785), with the keys `appendId`, `data`, `metadata`, `position` (as text),
 * `schemaVersion`, `stream`, `type` and `version`. It is as the store has it: a secret stays sealed, and an old event
 * keeps its shape. The leaves of the tree of {@link logCheckpoint} are hashes of such lines.
 */
export const eventLine = (event: RecordedEvent): string => {
  const { appendId, data, metadata, position, schemaVersion, stream, type, version } = event
  const rest = { schemaVersion, stream, type, version }
  return canonicalJson({ appendId, data, metadata, position: String(position), ...rest })
}
