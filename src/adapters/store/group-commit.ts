import type { Result } from 'neverthrow'
import type {
  EventStore,
  IdempotencyKeyUsed,
  RecordedEvent,
  VersionConflict,
} from '../../ports/event-store.js'
import { type PreparedAppend, prepareAppend } from './record-events.js'

/** The answer to one append. */
export type Verdict = Result<readonly RecordedEvent[], VersionConflict | IdempotencyKeyUsed>

/** What a store supplies to write in groups. */
export interface GroupWriter {
  /**
   * Writes the appends of one group in one transaction and answers each; rejects when nothing of the
   * group was recorded or when that is unknown.
   */
  readonly write: (group: readonly PreparedAppend[]) => Promise<readonly Verdict[]>
  /**
   * Whether `fault` affected the whole group, so that its appends must not be tried one by one: the
   * connection is lost, or the outcome unknown.
   */
  readonly isConnectionFault: (fault: unknown) => boolean
  /** Runs `next` at the end of the current turn of the event loop: what waits by then forms a group. */
  readonly schedule: (next: () => void) => void
}

interface Entry {
  readonly prepared: PreparedAppend
  readonly resolve: (verdict: Verdict) => void
  readonly reject: (fault: unknown) => void
}

/** Number of groups of one in a row after which an append is written without waiting for others. */
const SINGLES_BEFORE_NO_WAIT = 8

/**
 * Writes the appends that wait at the same time as one group, one group after the other. When appends come
 * one at a time, only every eighth waits for others.
 *
 * @returns `append` of a store; its answer does not depend on the rest of the group
 */
export const groupCommit = (writer: GroupWriter): EventStore['append'] => {
  let waiting: Entry[] = []
  let isRunning = false
  /** Number of groups of one in a row. */
  let singles = 0

  const run = async (): Promise<void> => {
    singles = waiting.length === 1 ? singles + 1 : 0
    const { group, rest } = planGroup(waiting)
    waiting = rest
    await settle(writer, group)
    isRunning = waiting.length > 0
    // Not at once: callers that were just answered may send more.
    if (isRunning) writer.schedule(run)
  }

  return (append) =>
    new Promise((resolve, reject) => {
      waiting.push({ prepared: prepareAppend(append), resolve, reject })
      if (isRunning) return
      isRunning = true
      if (singles < SINGLES_BEFORE_NO_WAIT || singles % SINGLES_BEFORE_NO_WAIT === 0)
        writer.schedule(run)
      else Promise.resolve().then(run)
    })
}

/** Writes `group` and answers each of its appends. */
const settle = async (writer: GroupWriter, group: readonly Entry[]): Promise<void> => {
  try {
    const verdicts = await writer.write(group.map(({ prepared }) => prepared))
    for (const [index, { resolve, reject }] of group.entries()) {
      const verdict = verdicts[index]
      if (verdict) resolve(verdict)
      else reject(new Error('The writer left an append unanswered'))
    }
  } catch (fault) {
    if (group.length > 1 && !writer.isConnectionFault(fault)) return settleEach(writer, group)
    for (const { reject } of group) reject(fault)
  }
}

/** Writes one append after the other, so that only the one at fault fails. */
const settleEach = async (writer: GroupWriter, group: readonly Entry[]): Promise<void> => {
  for (const entry of group) await settle(writer, [entry])
}

/** Most appends of one group: a larger one only takes longer to answer. */
const MAX_GROUP_APPENDS = 1000

/** Most UTF-16 units of one group; a single append may have more. */
const MAX_GROUP_SIZE = 8 * 1024 * 1024

/**
 * Chooses appends that can be checked and written together, each as if it were alone. The `rest` waits for a later
 * group; both keep their order.
 *
 * No append of a group writes what another one writes or guards, and no two have the same idempotency key. A
 * later append never overtakes a waiting one with the same streams.
 */
export const planGroup = <Item extends { readonly prepared: PreparedAppend }>(
  waiting: readonly Item[],
): { readonly group: readonly Item[]; readonly rest: Item[] } => {
  if (waiting.length === 1) return { group: waiting, rest: [] }
  const group: Item[] = []
  const rest: Item[] = []
  const claims = newClaims()
  let size = 0
  let index = 0
  for (; index < waiting.length && index < 2 * MAX_GROUP_APPENDS; index++) {
    const item = waiting[index]
    if (item === undefined) break
    const isFull =
      group.length === MAX_GROUP_APPENDS ||
      (group.length > 0 && size + item.prepared.size > MAX_GROUP_SIZE)
    if (isFull) break
    if (claims.add(item.prepared)) {
      group.push(item)
      size += item.prepared.size
    } else rest.push(item)
  }
  return { group, rest: [...rest, ...waiting.slice(index)] }
}

/** The streams and keys of the appends seen so far. */
const newClaims = () => {
  const written = new Set<string>()
  const guarded = new Set<string>()
  const keys = new Set<string>()
  return {
    /** Adds those of an append; false when it conflicts with one added before. */
    add: ({ append: { writes, metadata } }: PreparedAppend): boolean => {
      const { idempotencyKey } = metadata
      let isFree = idempotencyKey === undefined || !keys.has(idempotencyKey)
      if (idempotencyKey !== undefined) keys.add(idempotencyKey)
      for (const { stream, events } of writes) {
        const isGuard = events.length === 0
        if (written.has(stream) || (!isGuard && guarded.has(stream))) isFree = false
        if (isGuard) guarded.add(stream)
        else written.add(stream)
      }
      return isFree
    },
  }
}
