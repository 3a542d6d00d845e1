import { readCheckpoint } from './checkpoints/checkpoint.js'
import { fromBase64 } from './notes/base64.js'
import { readVerifier } from './notes/note-key.js'
import type { InclusionProof } from './prove.js'
import { isConsistent, isIncluded } from './tree/paths.js'
import { leafHash } from './tree/tree.js'

/** A proof, and what it is judged by. */
export interface VerifyInclusionInput {
  /** Of {@link proveInclusion}. */
  readonly proof: InclusionProof
  /** The note that it was made for. */
  readonly checkpoint: string
  /** Verifier keys that are trusted. */
  readonly keys: readonly string[]
}

/** Two checkpoints, and what connects them. */
export interface VerifyConsistencyInput {
  /** Of {@link proveConsistency}. */
  readonly proof: readonly string[]
  /** The earlier note. */
  readonly earlier: string
  /** The later note. */
  readonly later: string
  /** Verifier keys that are trusted. */
  readonly keys: readonly string[]
}

const signedBy = (note: string, keys: readonly string[]) =>
  readCheckpoint(
    note,
    keys.flatMap((key) => readVerifier(key) ?? []),
  )

/** The hashes of a path; undefined unless it is a list of hashes in base64. A proof comes from outside. */
const hashesOf = (path: unknown) => {
  if (!Array.isArray(path) || !path.every((text) => typeof text === 'string')) return undefined
  const hashes = path.flatMap((text) => fromBase64(text) ?? [])
  return hashes.length === path.length && hashes.every(({ length }) => length === 32)
    ? hashes
    : undefined
}

/**
 * Whether the event of a proof was in the log of a checkpoint that one of the keys has signed. A malformed proof is
 * false. Needs no store.
 */
export const verifyInclusion = async (input: VerifyInclusionInput): Promise<boolean> => {
  const { checkpoint: note, keys } = input
  const { line, index, path } = Object(input.proof)
  const checkpoint = await signedBy(note, keys)
  const hashes = hashesOf(path)
  if (!checkpoint || !hashes || typeof line !== 'string') return false
  return isIncluded({ ...checkpoint, leaf: leafHash(line), index, path: hashes })
}

/**
 * Whether the log of a later checkpoint begins with that of an earlier one, both signed by one of the keys. A malformed
 * proof is false. Needs no store.
 */
export const verifyConsistency = async (input: VerifyConsistencyInput): Promise<boolean> => {
  const [earlier, later] = await Promise.all([
    signedBy(input.earlier, input.keys),
    signedBy(input.later, input.keys),
  ])
  const path = hashesOf(input.proof)
  return earlier !== undefined && later !== undefined && path !== undefined
    ? isConsistent({ earlier, later, path })
    : false
}
