import type { Result } from 'neverthrow'
import type { Environment } from '../../ports/environment.js'
import type {
  EventStore,
  IdempotencyKeyUsed,
  RecordedEvent,
  VersionConflict,
} from '../../ports/event-store.js'
import { type PreparedAppend, prepareAppend } from './record-events.js'

/** The answer to one append. */
export type Verdict = Result<readonly RecordedEvent[], VersionConflict | IdempotencyKeyUsed>

/** Writes appends of a store in groups. */
export interface GroupWriter {
  /**
   * Writes the appends of a group in one transaction and returns a verdict for each. Rejects when nothing
   * was recorded, or when the outcome is unknown.
   */
  readonly write: (group: readonly PreparedAppend[]) => Promise<readonly Verdict[]>
  /**
   * Whether `fault` affects the whole group, so that its appends must not be tried one by one: the
   * connection is lost, or the outcome is unknown.
   */
  readonly isConnectionFault: (fault: unknown) => boolean
}

interface Entry {
  readonly prepared: PreparedAppend
  readonly resolve: (verdict: Verdict) => void
  readonly reject: (fault: unknown) => void
}

/** After this many groups of one in a row, an append no longer waits for others. */
const SINGLES_BEFORE_NO_WAIT = 8

/**
 * Collects appends that are sent at the same time into groups and writes one group after the other. While appends
 * arrive one at a time, only every eighth waits for others.
 *
 * @returns `append` of a store; its answer does not depend on the rest of the group
 */
export const groupCommit = (
  writer: GroupWriter,
  environment: Environment,
): EventStore['append'] => {
  let waiting: Entry[] = []
  let isRunning = false
  /** Number of groups of one in a row. */
  let singles = 0

  const run = async (): Promise<void> => {
    singles = waiting.length === 1 ? singles + 1 : 0
    const { group, rest } = planGroup(waiting)
    waiting = rest
    await answerGroup(writer, group)
    isRunning = waiting.length > 0
    // Not at once: callers that were just answered may send more.
    if (isRunning) environment.yield().then(run)
  }

  return (append) =>
    new Promise((resolve, reject) => {
      waiting.push({ prepared: prepareAppend(append), resolve, reject })
      if (isRunning) return
      isRunning = true
      if (singles < SINGLES_BEFORE_NO_WAIT || singles % SINGLES_BEFORE_NO_WAIT === 0)
        // At the end of the turn of the event loop; appends sent until then form a group.
        environment.yield().then(run)
      else Promise.resolve().then(run)
    })
}

/** Writes `group` and answers each of its appends. When a group fails, its appends are tried one by one. */
const answerGroup = async (writer: GroupWriter, group: readonly Entry[]): Promise<void> => {
  try {
    const verdicts = await writer.write(group.map(({ prepared }) => prepared))
    for (const [index, { resolve, reject }] of group.entries()) {
      const verdict = verdicts[index]
      if (verdict) resolve(verdict)
      else reject(new Error('The writer returned no verdict for an append'))
    }
  } catch (fault) {
    if (group.length === 1 || writer.isConnectionFault(fault)) {
      for (const { reject } of group) reject(fault)
      return
    }
    for (const entry of group) await answerGroup(writer, [entry])
  }
}

/** Most appends of one group: a larger one only takes longer to answer. */
const MAX_GROUP_APPENDS = 1000

/** Most UTF-16 units of one group; a single append may have more. */
const MAX_GROUP_SIZE = 8 * 1024 * 1024

/**
 * Chooses appends that can be written together with the same verdicts as alone. The `rest` waits for a later
 * group; both keep their order.
 *
 * No append of a group writes a stream that another one writes or guards, and no two have the same
 * idempotency key. An append never overtakes an earlier one that conflicts with it.
 */
export const planGroup = <Item extends { readonly prepared: PreparedAppend }>(
  waiting: readonly Item[],
): { readonly group: readonly Item[]; readonly rest: Item[] } => {
  if (waiting.length === 1) return { group: waiting, rest: [] }
  const group: Item[] = []
  const rest: Item[] = []
  const claims: Claims = { written: new Set(), guarded: new Set(), keys: new Set() }
  let size = 0
  let seen = 0
  for (const item of waiting.slice(0, 2 * MAX_GROUP_APPENDS)) {
    const isFull =
      group.length === MAX_GROUP_APPENDS ||
      (group.length > 0 && size + item.prepared.size > MAX_GROUP_SIZE)
    if (isFull) break
    seen++
    if (claim(claims, item.prepared)) {
      group.push(item)
      size += item.prepared.size
    } else rest.push(item)
  }
  return { group, rest: [...rest, ...waiting.slice(seen)] }
}

/** The streams and idempotency keys of the appends seen so far. */
interface Claims {
  readonly written: Set<string>
  readonly guarded: Set<string>
  readonly keys: Set<string | undefined>
}

/** Adds the streams and the key of an append; false when it conflicts with an earlier one. */
const claim = (
  { written, guarded, keys }: Claims,
  { append: { writes, metadata } }: PreparedAppend,
): boolean => {
  const { idempotencyKey } = metadata
  let isFree = idempotencyKey === undefined || !keys.has(idempotencyKey)
  keys.add(idempotencyKey)
  for (const { stream, events } of writes) {
    const isGuard = events.length === 0
    if (written.has(stream) || (!isGuard && guarded.has(stream))) isFree = false
    if (isGuard) guarded.add(stream)
    else written.add(stream)
  }
  return isFree
}
