import { err, ok, type Result, ResultAsync } from 'neverthrow'
import { ANY, checkOptions } from '../../check-options.js'
import { fromBase64, toBase64 } from '../../domain/encoding.js'
import type { EventCount, EventStore, Position, RecordedEvent } from '../../ports/event-store.js'
import { type InvalidArgument, invalid, type LogChanged, type ReadError } from '../errors/errors.js'
import { catchFaults } from '../errors/fault.js'
import { LOG_OPTIONS, logPages, type VerifyProgress } from '../following/log-pages.js'
import { fromPort } from '../waiting.js'
import { type NoteKey, openNote, readSigner, readVerifier, signNote } from './signed-note.js'
import {
  eventLine,
  frontierLength,
  growingTree,
  type Hash,
  isSame,
  leafHash,
  rootOf,
  type Tree,
} from './tree.js'

/** Options of {@link logCheckpoint}. */
export interface LogCheckpointOptions {
  /** The signing key, from {@link generateSignerKey}. Its name is the origin of the checkpoint. */
  readonly signer: string
  /**
   * An earlier checkpoint of this key and log to continue from; without it, the whole log is read. Refused if the log
   * does not have its last event, or has another number of events before it.
   */
  readonly since?: string | undefined
  /** Called after each batch with the number of events read so far. If it throws, the call rejects with the error. */
  readonly onProgress?: ((progress: VerifyProgress) => void) | undefined
  /** Ends the call at once, even while the store does not respond. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Signs a statement about the log as it is now: the number of events, and the root of a Merkle tree (RFC 6962) over the
 * {@link eventLine} of each. Keep it where nobody who can write to the store can change it: with it, `verify` detects
 * changes to earlier events. Memory does not grow with the log.
 *
 * @returns a note (C2SP tlog-checkpoint), about 500 bytes. As an error: InvalidArgument for `signer` or `since`, or
 *   Unavailable
 */
export const logCheckpoint = (
  store: EventStore,
  options: LogCheckpointOptions,
): ResultAsync<string, ReadError> => {
  checkOptions('logCheckpoint', options, {
    required: { signer: ANY },
    optional: { ...LOG_OPTIONS, since: ANY },
  })
  return new ResultAsync(catchFaults(() => make(store, options)))
}

const make = async (
  store: EventStore,
  { signer, since, onProgress, signal }: LogCheckpointOptions,
): Promise<Result<string, ReadError>> => {
  const key = await readSigner(signer)
  if (!key) return err(invalid('signer', 'must be a signer key of generateSignerKey'))
  const begun = since === undefined ? undefined : await readCheckpoint(since, [key.verifier])
  if (since !== undefined && !begun)
    return err(invalid('since', 'must be a checkpoint that this key has signed'))
  const differs = invalid('since', 'must be a checkpoint of this log, but the log differs from it')
  if (begun && !(await fromPort(() => goesOn(store, begun)))) return err(differs)
  // A checkpoint without its last leaf, of version 0.2, is compared with the whole log.
  const resumed = begun?.leaf && begun
  const tree = growingTree(resumed)
  let last: Position = resumed?.position ?? 0n
  let leaf = resumed?.leaf
  for await (const { events, position } of logPages(store, last, { signal })) {
    for (const event of events) {
      leaf = leafHash(eventLine(event))
      tree.add(leaf)
      if (tree.size() === begun?.size && !isSame(tree.root(), begun.root)) return err(differs)
    }
    last = position
    onProgress?.({ done: tree.size() - (resumed?.size ?? 0), position })
  }
  const origin = key.verifier.name
  const reached = { origin, size: tree.size(), frontier: tree.frontier(), position: last, leaf }
  return ok(await signNote(checkpointText(reached), key.seed))
}

/**
 * Whether the log has as many events up to the checkpoint, and the same last event. After a failover that lost events,
 * or another restore, it may not. `verify` compares everything.
 */
const goesOn = async (
  store: EventStore & Partial<EventCount>,
  { size, position, leaf }: Checkpoint,
): Promise<boolean> => {
  if (size === 0) return true
  const [last] = await store.readAll(position - 1n, 1)
  if (last?.position !== position) return false
  if (leaf && !isSame(leaf, leafHash(eventLine(last)))) return false
  if (!store.countAfter) return true
  // Writers may add events between the counts.
  const least = await store.countAfter(position)
  const later = (await store.countAfter(0n)) - size
  return least <= later && later <= (await store.countAfter(position))
}

/** The content of a checkpoint. */
export interface Checkpoint extends Tree {
  /** Name of the key that signed it. */
  readonly origin: string
  readonly root: Hash
  /** Position of the last event; 0 without events. */
  readonly position: Position
  /** Hash of the last event; undefined without events, and in checkpoints of version 0.2. */
  readonly leaf: Hash | undefined
}

const POSITION = 'claviger-position '
const FRONTIER = 'claviger-frontier '
const LEAF = 'claviger-leaf '

/** The text of a checkpoint (C2SP tlog-checkpoint), with the last position, the frontier and the last leaf as extension lines. */
export const checkpointText = (checkpoint: Omit<Checkpoint, 'root'>): string => {
  const { origin, size, frontier, position, leaf } = checkpoint
  const hashes = Uint8Array.from(frontier.flatMap((hash) => [...hash]))
  return [
    origin,
    String(size),
    toBase64(rootOf(frontier)),
    `${POSITION}${position}`,
    `${FRONTIER}${toBase64(hashes)}`,
    ...(leaf ? [`${LEAF}${toBase64(leaf)}`] : []),
    '',
  ].join('\n')
}

/** The checkpoint in a note that one of `keys` has signed under its own name; undefined for any other text. */
export const readCheckpoint = async (
  note: unknown,
  keys: readonly NoteKey[],
): Promise<Checkpoint | undefined> => {
  if (typeof note !== 'string') return undefined
  const origin = note.slice(0, note.indexOf('\n'))
  const own = keys.filter(({ name }) => name === origin)
  const text = await openNote(note, own)
  return text === undefined ? undefined : parse(text)
}

const parse = (text: string): Checkpoint | undefined => {
  const [origin = '', size = '', root = '', ...extensions] = text.split('\n')
  const extension = (prefix: string) =>
    extensions.find((line) => line.startsWith(prefix))?.slice(prefix.length) ?? ''
  const position = extension(POSITION)
  const hashes = fromBase64(extension(FRONTIER))
  const rootHash = fromBase64(root)
  if (!/^(0|[1-9]\d{0,15})$/.test(size) || !/^\d{1,19}$/.test(position)) return undefined
  if (rootHash?.length !== 32 || hashes?.length !== 32 * frontierLength(Number(size)))
    return undefined
  const frontier = Array.from({ length: hashes.length / 32 }, (_, index) =>
    hashes.slice(32 * index, 32 * (index + 1)),
  )
  if (!isSame(rootOf(frontier), rootHash)) return undefined
  const leaf = fromBase64(extension(LEAF))
  return {
    origin,
    size: Number(size),
    root: rootHash,
    frontier,
    position: BigInt(position),
    leaf: leaf?.length === 32 ? leaf : undefined,
  }
}

/** The verifier keys of a list. */
export const readKeys = (keys: readonly string[]): Result<readonly NoteKey[], InvalidArgument> => {
  const read: NoteKey[] = []
  for (const [index, text] of keys.entries()) {
    const key = readVerifier(text)
    if (!key) return err(invalid(`keys[${index}]`, 'must be a verifier key of Ed25519'))
    read.push(key)
  }
  return ok(read)
}

/** The checkpoint in a note, or an error about `field` if no key has signed it. */
export const signedCheckpoint = async (
  field: string,
  note: unknown,
  keys: readonly NoteKey[],
): Promise<Result<Checkpoint, InvalidArgument>> => {
  const checkpoint = await readCheckpoint(note, keys)
  const description = 'must be a checkpoint that one of the keys has signed'
  return checkpoint ? ok(checkpoint) : err(invalid(field, description))
}

/** Makes a check that compares a log, event by event, with notes that `keys` have signed. */
export const evidenceCheck = async (
  checkpoints: readonly string[],
  keys: readonly string[],
): Promise<Result<ReturnType<typeof comparing>, InvalidArgument>> => {
  const trusted = readKeys(keys)
  if (trusted.isErr()) return err(trusted.error)
  const waiting: Checkpoint[] = []
  for (const [index, note] of checkpoints.entries()) {
    const checkpoint = await signedCheckpoint(`checkpoints[${index}]`, note, trusted.value)
    if (checkpoint.isErr()) return err(checkpoint.error)
    waiting.push(checkpoint.value)
  }
  waiting.sort((a, b) => a.size - b.size)
  return ok(comparing(waiting))
}

const comparing = (waiting: Checkpoint[]) => {
  const tree = growingTree()
  let agreed = 0
  const changed = ({ origin, size }: Checkpoint, isCut: boolean): LogChanged => ({
    kind: 'LogChanged',
    origin,
    size,
    agreed,
    isCut,
  })
  const compare = (): LogChanged | undefined => {
    for (let next = waiting[0]; next?.size === tree.size(); next = waiting[0]) {
      if (!isSame(next.root, tree.root())) return changed(next, false)
      agreed = next.size
      waiting.shift()
    }
    return undefined
  }
  return {
    add: (event: RecordedEvent): LogChanged | undefined => {
      if (waiting.length === 0) return undefined
      const fault = compare()
      if (fault || waiting.length === 0) return fault
      tree.add(leafHash(eventLine(event)))
      return compare()
    },
    /** After the last event. */
    end: (): LogChanged | undefined => {
      const fault = compare()
      const [next] = waiting
      return fault ?? (next && changed(next, true))
    },
  }
}
