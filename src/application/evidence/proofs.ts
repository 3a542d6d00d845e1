import { err, ok, type Result, ResultAsync } from 'neverthrow'
import { fromBase64, toBase64 } from '../../domain/encoding.js'
import type { EventStore, Position } from '../../ports/event-store.js'
import { type IamError, invalid } from '../errors/errors.js'
import { catchFaults } from '../errors/fault.js'
import type { LogChanged } from '../errors/log-fault.js'
import { logBatches } from '../following/log-batches.js'
import { type Checkpoint, readCheckpoint, readKeys, signedCheckpoint } from './checkpoint.js'
import { readVerifier } from './note.js'
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

/** That an event was in the log when a checkpoint was made, as JSON. */
export interface InclusionProof {
  /** {@link eventLine} of the event. */
  readonly line: string
  /** Its place in the log, counted from 0. */
  readonly index: number
  /** Hashes in base64, from the leaf upwards (RFC 6962, section 2.1.1); at most 53. */
  readonly path: readonly string[]
}

/** Which event, and in which checkpoint. */
export interface ProveInclusionOptions {
  /** Position of the event. */
  readonly position: Position
  /** A note of {@link logCheckpoint} that was made after the event. */
  readonly checkpoint: string
  /** Verifier keys, one of which has signed the checkpoint. */
  readonly keys: readonly string[]
  /** Ends the call at once, also while the store does not answer. */
  readonly signal?: AbortSignal | undefined
}

/** Which checkpoints. */
export interface ProveConsistencyOptions {
  /** A note of {@link logCheckpoint}. */
  readonly earlier: string
  /** A later one of the same log. */
  readonly later: string
  /** Verifier keys that have signed them. */
  readonly keys: readonly string[]
  /** Ends the call at once, also while the store does not answer. */
  readonly signal?: AbortSignal | undefined
}

/**
 * One event of the log with its proof, for an auditor who sees nothing else of the log. Reads the log twice at most.
 *
 * @returns as an error: InvalidArgument for `checkpoint`, `keys`, or a `position` at which the checkpoint has no event;
 *   {@link LogChanged} when the log is no longer what the checkpoint says
 */
export const proveInclusion = (
  store: EventStore,
  options: ProveInclusionOptions,
): ResultAsync<InclusionProof, LogChanged | IamError> =>
  new ResultAsync(catchFaults(() => prove(store, options)))

const prove = async (
  store: EventStore,
  { position, checkpoint: note, keys, signal }: ProveInclusionOptions,
): Promise<Result<InclusionProof, LogChanged | IamError>> => {
  const read = await readNotes({ checkpoint: note }, keys)
  if (read.isErr()) return err(read.error)
  const { checkpoint } = read.value
  const found = await findLine(store, position, { size: checkpoint.size, signal })
  if (!found) return err(invalid('position', 'must be that of an event in the checkpoint'))
  const { line, index } = found
  const ranges = inclusionRanges(index, checkpoint.size)
  const path = await hashRanges(store, ranges, { size: checkpoint.size, signal })
  const { size, root } = checkpoint
  if (!isIncluded({ leaf: leafHash(line), index, size, path, root }))
    return err(changed(checkpoint))
  return ok({ line, index, path: path.map(toBase64) })
}

/**
 * Shows that the log of a later checkpoint begins with that of an earlier one, by hashes alone.
 *
 * @returns hashes in base64 (RFC 6962, section 2.1.2). As an error: InvalidArgument for a checkpoint or key;
 *   {@link LogChanged} when the log is no longer what the checkpoints say
 */
export const proveConsistency = (
  store: EventStore,
  options: ProveConsistencyOptions,
): ResultAsync<readonly string[], LogChanged | IamError> =>
  new ResultAsync(catchFaults(() => connect(store, options)))

const connect = async (
  store: EventStore,
  { earlier: first, later: second, keys, signal }: ProveConsistencyOptions,
): Promise<Result<readonly string[], LogChanged | IamError>> => {
  const read = await readNotes({ earlier: first, later: second }, keys)
  if (read.isErr()) return err(read.error)
  const { earlier, later } = read.value
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

const readNotes = async <Name extends string>(
  notes: Readonly<Record<Name, string>>,
  keys: readonly string[],
): Promise<Result<Readonly<Record<Name, Checkpoint>>, IamError>> => {
  const trusted = readKeys(keys)
  if (trusted.isErr()) return err(trusted.error)
  const read: Partial<Record<Name, Checkpoint>> = {}
  for (const name of Object.keys(notes) as Name[]) {
    const checkpoint = await signedCheckpoint(name, notes[name], trusted.value)
    if (checkpoint.isErr()) return err(checkpoint.error)
    read[name] = checkpoint.value
  }
  return ok(read as Record<Name, Checkpoint>)
}

interface Bounds {
  /** Number of events. */
  readonly size: number
  readonly signal: AbortSignal | undefined
}

/** The lines of the first events of a log. */
async function* firstLines(store: EventStore, { size, signal }: Bounds) {
  let index = 0
  for await (const { events } of logBatches(store, 0n, signal))
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
