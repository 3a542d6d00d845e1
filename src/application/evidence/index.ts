export { type LogCheckpointOptions, logCheckpoint } from './checkpoint.js'
export {
  type InclusionProof,
  type ProveConsistencyOptions,
  type ProveInclusionOptions,
  proveConsistency,
  proveInclusion,
  type VerifyConsistencyInput,
  type VerifyInclusionInput,
  verifyConsistency,
  verifyInclusion,
} from './proofs.js'
export { generateSignerKey, type SignerKey } from './signed-note.js'
export { eventLine } from './tree.js'
