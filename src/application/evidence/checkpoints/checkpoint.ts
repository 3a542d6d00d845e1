import type { Position } from '../../../ports/event-store.js'
import { fromBase64, toBase64 } from '../notes/base64.js'
import { openNote } from '../notes/note.js'
import type { NoteKey } from '../notes/note-key.js'
import { frontierLength, type Hash, isSame, rootOf, type Tree } from '../tree/tree.js'

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
