import { err, ok, type Result } from 'neverthrow'
import { fromBase64, toBase64 } from '../../domain/encoding.js'
import type { Position, RecordedEvent } from '../../ports/event-store.js'
import { type InvalidArgument, invalid } from '../errors/errors.js'
import type { LogChanged } from '../errors/log-fault.js'
import { type NoteKey, openNote, readVerifier } from './note.js'
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

/** What a checkpoint says of a log. */
export interface Checkpoint extends Tree {
  /** Name of the key that signed it. */
  readonly origin: string
  readonly root: Hash
  /** Of the last event; 0 without one. */
  readonly position: Position
}

const POSITION = 'claviger-position '
const FRONTIER = 'claviger-frontier '

/** The text of a checkpoint (C2SP tlog-checkpoint), with the last position and the frontier as extension lines. */
export const checkpointText = (checkpoint: Omit<Checkpoint, 'root'>): string => {
  const { origin, size, frontier, position } = checkpoint
  const hashes = Uint8Array.from(frontier.flatMap((hash) => [...hash]))
  return [
    origin,
    String(size),
    toBase64(rootOf(frontier)),
    `${POSITION}${position}`,
    `${FRONTIER}${toBase64(hashes)}`,
    '',
  ].join('\n')
}

/** What a note says, when one of `keys` has signed it under its own name; undefined for any other text. */
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
  return { origin, size: Number(size), root: rootHash, frontier, position: BigInt(position) }
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

/** The checkpoint of a note, or that no key has signed it. */
export const signedCheckpoint = async (
  field: string,
  note: unknown,
  keys: readonly NoteKey[],
): Promise<Result<Checkpoint, InvalidArgument>> => {
  const checkpoint = await readCheckpoint(note, keys)
  const description = 'must be a checkpoint that one of the keys has signed'
  return checkpoint ? ok(checkpoint) : err(invalid(field, description))
}

/** Notes, and the keys that are trusted. */
interface Evidence {
  readonly checkpoints?: readonly string[] | undefined
  readonly keys?: readonly string[] | undefined
}

/** Compares a log with checkpoints, event by event. */
export interface EvidenceCheck {
  readonly add: (event: RecordedEvent) => LogChanged | undefined
  /** After the last event. */
  readonly end: () => LogChanged | undefined
}

/** @see EvidenceCheck */
export const evidenceCheck = async ({
  checkpoints = [],
  keys = [],
}: Evidence): Promise<Result<EvidenceCheck, InvalidArgument>> => {
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

const comparing = (waiting: Checkpoint[]): EvidenceCheck => {
  const tree = growingTree()
  let agreed = 0
  const compare = (): LogChanged | undefined => {
    for (let next = waiting[0]; next?.size === tree.size(); next = waiting[0]) {
      const { origin, size, root } = next
      if (!isSame(root, tree.root()))
        return { kind: 'LogChanged', origin, size, agreed, isCut: false }
      agreed = size
      waiting.shift()
    }
    return undefined
  }
  return {
    add: (event) => {
      if (waiting.length === 0) return undefined
      const changed = compare()
      if (changed || waiting.length === 0) return changed
      tree.add(leafHash(eventLine(event)))
      return compare()
    },
    end: () => {
      const changed = compare()
      const [next] = waiting
      if (changed || next === undefined) return changed
      const { origin, size } = next
      return { kind: 'LogChanged', origin, size, agreed, isCut: true }
    },
  }
}
