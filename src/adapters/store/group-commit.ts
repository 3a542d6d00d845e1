import type { Result } from 'neverthrow'
import type {
  EventStore,
  IdempotencyKeyUsed,
  RecordedEvent,
  VersionConflict,
} from '../../ports/event-store.js'
import { planGroup } from './plan-group.js'
import { type PreparedAppend, prepareAppend } from './prepare-append.js'

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
