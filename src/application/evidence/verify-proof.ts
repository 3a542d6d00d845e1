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

const hashesOf = (path: readonly string[]) => {
  const hashes = path.flatMap((text) => fromBase64(text) ?? [])
  return hashes.length === path.length && hashes.every(({ length }) => length === 32)
    ? hashes
    : undefined
}

/** Whether the event of a proof was in the log of a checkpoint that one of the keys has signed. Needs no store. */
export const verifyInclusion = async (input: VerifyInclusionInput): Promise<boolean> => {
  const { proof, checkpoint: note, keys } = input
  const checkpoint = await signedBy(note, keys)
  const path = hashesOf(proof.path)
  if (!checkpoint || !path) return false
  return isIncluded({ ...checkpoint, leaf: leafHash(proof.line), index: proof.index, path })
}

/** Whether the log of a later checkpoint begins with that of an earlier one, both signed by one of the keys. Needs no store. */
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
