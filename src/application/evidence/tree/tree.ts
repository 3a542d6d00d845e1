import { sha256 } from '@noble/hashes/sha2.js'

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
        joined = nodeHash(roots.pop() ?? joined, joined)
      roots.push(joined)
      count += 1
    },
    size: (): number => count,
    frontier: (): readonly Hash[] => [...roots],
    root: (): Hash => rootOf(roots),
  }
}

/** Root of the tree that has this frontier. */
export const rootOf = (frontier: readonly Hash[]): Hash => {
  const [last, ...others] = frontier.toReversed()
  return last === undefined ? EMPTY : others.reduce((right, left) => nodeHash(left, right), last)
}

/** Whether two hashes are the same. */
export const isSame = (a: Hash, b: Hash): boolean =>
  a.length === b.length && a.every((byte, index) => byte === b[index])
