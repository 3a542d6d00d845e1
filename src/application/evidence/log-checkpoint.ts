import { err, ok, type Result, ResultAsync } from 'neverthrow'
import type { EventStore, Position } from '../../ports/event-store.js'
import { type IamError, invalid } from '../errors/errors.js'
import { catchFaults } from '../errors/fault.js'
import { logBatches } from '../following/log-batches.js'
import type { VerifyProgress } from '../following/verify.js'
import { checkpointText, readCheckpoint } from './checkpoint.js'
import { readSigner, signNote } from './note.js'
import { eventLine, growingTree, leafHash } from './tree.js'

/** What a checkpoint is made with. */
export interface LogCheckpointOptions {
  /** The key of {@link generateSignerKey} that signs; its name is the origin of the checkpoint. */
  readonly signer: string
  /** An earlier checkpoint of this key and log, to go on from; without it the whole log is read. */
  readonly since?: string | undefined
  /** Called after each batch with the number of events read so far; the call rejects with what it throws. */
  readonly onProgress?: ((progress: VerifyProgress) => void) | undefined
  /** Ends the call at once, also while the store does not answer. */
  readonly signal?: AbortSignal | undefined
}

/**
 * A signed statement of what the log holds now: how many events, and the root of a Merkle tree (RFC 6962) over
 * {@link eventLine} of each. Keep it where whoever can write to the store cannot: {@link verify} finds with it what was
 * changed before. Memory does not grow with the log.
 *
 * @returns a note (C2SP tlog-checkpoint), of some 500 bytes. As an error: InvalidArgument for `signer` or `since`, and
 *   what the store fails with
 */
export const logCheckpoint = (
  store: EventStore,
  options: LogCheckpointOptions,
): ResultAsync<string, IamError> => new ResultAsync(catchFaults(() => make(store, options)))

const make = async (
  store: EventStore,
  { signer, since, onProgress, signal }: LogCheckpointOptions,
): Promise<Result<string, IamError>> => {
  const key = await readSigner(signer)
  if (!key) return err(invalid('signer', 'must be a signer key, as generateSignerKey draws one'))
  const begun = since === undefined ? undefined : await readCheckpoint(since, [key.verifier])
  if (since !== undefined && !begun)
    return err(invalid('since', 'must be a checkpoint that this key has signed'))
  const tree = growingTree(begun)
  let last: Position = begun?.position ?? 0n
  for await (const { events, position } of logBatches(store, last, signal)) {
    for (const event of events) tree.add(leafHash(eventLine(event)))
    last = position
    onProgress?.({ done: tree.size() - (begun?.size ?? 0), position })
  }
  const origin = key.verifier.name
  const reached = { origin, size: tree.size(), frontier: tree.frontier(), position: last }
  return ok(await signNote(checkpointText(reached), key.seed))
}
