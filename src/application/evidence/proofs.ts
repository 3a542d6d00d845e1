import { err, ok, type Result, ResultAsync } from 'neverthrow'
import { ANY, checkOptions } from '../../check-options.js'
import { fromBase64, toBase64 } from '../../domain/encoding.js'
import type { EventStore, Position } from '../../ports/event-store.js'
import type { LogChanged } from '../errors/errors.js'
import { invalid, type ReadError } from '../errors/errors.js'
import { catchFaults } from '../errors/fault.js'
import { LOG_OPTIONS, logPages } from '../following/log-pages.js'
import { type Checkpoint, readCheckpoint, readKeys, signedCheckpoint } from './checkpoint.js'
import { readVerifier } from './signed-note.js'
import {
  consistencyRanges,
  eventLine,
  type Hash,
  inclusionRanges,
  isConsistent,
  isIncluded,
  leafHash,
  rootsOfRanges,
} from './tree.js'

/** A proof, as JSON, that an event was in the log when a checkpoint was made. */
export interface InclusionProof {
  /** {@link eventLine} of the event. */
  readonly line: string
  /** Index of the event in the log, from 0. */
  readonly index: number
  /** Hashes in base64, from the leaf upwards (RFC 6962, section 2.1.1); at most 53. */
  readonly path: readonly string[]
}

/** The event and the checkpoint of an inclusion proof. */
export interface ProveInclusionOptions {
  /** Position of the event. */
  readonly position: Position
  /** A note of {@link logCheckpoint} that was made after the event. */
  readonly checkpoint: string
  /** Verifier keys; one of them has signed the checkpoint. */
  readonly keys: readonly string[]
  /** Ends the call at once, even while the store does not respond. */
  readonly signal?: AbortSignal | undefined
}

/** The checkpoints of a consistency proof. */
export interface ProveConsistencyOptions {
  /** A note of {@link logCheckpoint}. */
  readonly earlier: string
  /** A later one of the same log. */
  readonly later: string
  /** Verifier keys that have signed them. */
  readonly keys: readonly string[]
  /** Ends the call at once, even while the store does not respond. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Returns one event of the log with a proof, for an auditor who may not see the rest of the log. Reads the log at most
 * twice.
 *
 * @returns as an error: InvalidArgument for `checkpoint`, `keys`, or a `position` at which the checkpoint has no event;
 *   {@link LogChanged} when the log differs from the checkpoint
 */
export const proveInclusion = (
  store: EventStore,
  options: ProveInclusionOptions,
): ResultAsync<InclusionProof, LogChanged | ReadError> => {
  checkOptions('proveInclusion', options, {
    required: { position: ANY, checkpoint: ANY, keys: ANY },
    optional: { signal: LOG_OPTIONS.signal },
  })
  return new ResultAsync(catchFaults(() => prove(store, options)))
}

const prove = async (
  store: EventStore,
  { position, checkpoint: note, keys, signal }: ProveInclusionOptions,
): Promise<Result<InclusionProof, LogChanged | ReadError>> => {
  const trusted = readKeys(keys)
  if (trusted.isErr()) return err(trusted.error)
  const read = await signedCheckpoint('checkpoint', note, trusted.value)
  if (read.isErr()) return err(read.error)
  const checkpoint = read.value
  const found = await findLine(store, position, { size: checkpoint.size, signal })
  if (!found) return err(invalid('position', 'must be the position of an event in the checkpoint'))
  const { line, index } = found
  const ranges = inclusionRanges(index, checkpoint.size)
  const path = await hashRanges(store, ranges, { size: checkpoint.size, signal })
  const { size, root } = checkpoint
  if (!isIncluded({ leaf: leafHash(line), index, size, path, root }))
    return err(changed(checkpoint))
  return ok({ line, index, path: path.map(toBase64) })
}

/**
 * Proves, with hashes only, that the log of a later checkpoint begins with the log of an earlier one.
 *
 * @returns hashes in base64 (RFC 6962, section 2.1.2). As an error: InvalidArgument for a checkpoint or key;
 *   {@link LogChanged} when the log differs from the checkpoints
 */
export const proveConsistency = (
  store: EventStore,
  options: ProveConsistencyOptions,
): ResultAsync<readonly string[], LogChanged | ReadError> => {
  checkOptions('proveConsistency', options, {
    required: { earlier: ANY, later: ANY, keys: ANY },
    optional: { signal: LOG_OPTIONS.signal },
  })
  return new ResultAsync(catchFaults(() => connect(store, options)))
}

const connect = async (
  store: EventStore,
  { earlier: first, later: second, keys, signal }: ProveConsistencyOptions,
): Promise<Result<readonly string[], LogChanged | ReadError>> => {
  const trusted = readKeys(keys)
  if (trusted.isErr()) return err(trusted.error)
  const readEarlier = await signedCheckpoint('earlier', first, trusted.value)
  if (readEarlier.isErr()) return err(readEarlier.error)
  const readLater = await signedCheckpoint('later', second, trusted.value)
  if (readLater.isErr()) return err(readLater.error)
  const [earlier, later] = [readEarlier.value, readLater.value]
  if (earlier.size > later.size) return err(invalid('later', 'must have at least as many events'))
  const ranges = earlier.size === 0 ? [] : consistencyRanges(earlier.size, later.size)
  const path = await hashRanges(store, ranges, { size: later.size, signal })
  return isConsistent({ earlier, later, path }) ? ok(path.map(toBase64)) : err(changed(later))
}

const changed = ({ origin, size }: Checkpoint): LogChanged => ({
  kind: 'LogChanged',
  origin,
  size,
  agreed: 0,
  isCut: false,
})

interface Bounds {
  readonly size: number
  readonly signal: AbortSignal | undefined
}

async function* firstLines(store: EventStore, { size, signal }: Bounds) {
  let index = 0
  for await (const { events } of logPages(store, 0n, { signal }))
    for (const event of events) {
      if (index === size) return
      yield { event, index }
      index += 1
    }
}

const findLine = async (store: EventStore, position: Position, bounds: Bounds) => {
  for await (const { event, index } of firstLines(store, bounds)) {
    if (event.position === position) return { line: eventLine(event), index }
    if (event.position > position) return undefined
  }
  return undefined
}

const hashRanges = async (
  store: EventStore,
  ranges: readonly (readonly [number, number])[],
  bounds: Bounds,
): Promise<readonly Hash[]> => {
  const collected = rootsOfRanges(ranges)
  for await (const { event } of firstLines(store, bounds)) collected.add(leafHash(eventLine(event)))
  return collected.roots()
}

/** An inclusion proof, with the checkpoint and the keys to verify it. */
export interface VerifyInclusionInput {
  /** The proof from {@link proveInclusion}. */
  readonly proof: InclusionProof
  /** The note that the proof was made for. */
  readonly checkpoint: string
  /** Trusted verifier keys. */
  readonly keys: readonly string[]
}

/** A consistency proof, with the checkpoints and the keys to verify it. */
export interface VerifyConsistencyInput {
  /** The proof from {@link proveConsistency}. */
  readonly proof: readonly string[]
  /** The earlier note. */
  readonly earlier: string
  /** The later note. */
  readonly later: string
  /** Trusted verifier keys. */
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
 * Verifies that the event of a proof was in the log of a checkpoint that one of the keys has signed. Returns false for
 * a malformed proof. Needs no store.
 */
export const verifyInclusion = async (input: VerifyInclusionInput): Promise<boolean> => {
  const { checkpoint: note, keys } = input
  const { line, index, path } = Object(input.proof)
  const checkpoint = await signedBy(note, keys)
  const hashes = hashesOf(path)
  if (!checkpoint || !hashes || typeof line !== 'string') return false
  // A lone surrogate has the same hash as U+FFFD.
  if (!line.isWellFormed()) return false
  return isIncluded({ ...checkpoint, leaf: leafHash(line), index, path: hashes })
}

/**
 * Verifies that the log of a later checkpoint begins with the log of an earlier one, both signed by one of the keys.
 * Returns false for a malformed proof. Needs no store.
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
