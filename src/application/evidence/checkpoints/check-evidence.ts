import { err, ok, type Result } from 'neverthrow'
import type { RecordedEvent } from '../../../ports/event-store.js'
import { type InvalidArgument, invalid } from '../../errors/errors.js'
import type { LogChanged } from '../../errors/log-fault.js'
import { type NoteKey, readVerifier } from '../notes/note-key.js'
import { eventLine } from '../tree/event-line.js'
import { growingTree, isSame, leafHash } from '../tree/tree.js'
import { type Checkpoint, readCheckpoint } from './checkpoint.js'

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
