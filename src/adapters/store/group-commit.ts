import type { Result } from 'neverthrow'
import type {
  EventStore,
  IdempotencyKeyUsed,
  RecordedEvent,
  VersionConflict,
} from '../../ports/event-store.js'
import { planGroup } from './plan-group.js'
import { type PreparedAppend, prepareAppend } from './prepare-append.js'

/** What a store answers to one append. */
export type Verdict = Result<readonly RecordedEvent[], VersionConflict | IdempotencyKeyUsed>

/** What a store brings along to write in groups. */
export interface GroupWriter {
  /**
   * Writes the appends of one group in one transaction and answers each; rejects when nothing of the
   * group was recorded or when that is unknown.
   */
  readonly write: (group: readonly PreparedAppend[]) => Promise<readonly Verdict[]>
  /**
   * Whether `fault` hit the group as a whole, so that its appends must not be tried one by one: the
   * connection is lost, or the outcome unknown.
   */
  readonly isConnectionFault: (fault: unknown) => boolean
  /** Runs `next` at the end of the current turn of the event loop: what waits by then is a group. */
  readonly schedule: (next: () => void) => void
}

interface Entry {
  readonly prepared: PreparedAppend
  readonly resolve: (verdict: Verdict) => void
  readonly reject: (fault: unknown) => void
}

/** After so many groups of one in a row, an append is taken to come alone. */
const ALONE = 8

/**
 * Writes together what waits together, one group at a time. What comes alone waits for nobody; every
 * eighth time it does, so that others are noticed, and the event loop turns.
 *
 * @returns `append` of a store; resolves with the verdict on it, whatever becomes of its neighbours
 */
export const groupCommit = (writer: GroupWriter): EventStore['append'] => {
  let waiting: Entry[] = []
  let isRunning = false
  /** How many groups of one there were in a row. */
  let alone = 0

  const run = async (): Promise<void> => {
    alone = waiting.length === 1 ? alone + 1 : 0
    const { group, rest } = planGroup(waiting)
    waiting = rest
    await settle(writer, group)
    isRunning = waiting.length > 0
    // Not at once: those just answered may have more to write.
    if (isRunning) writer.schedule(run)
  }

  return (append) =>
    new Promise((resolve, reject) => {
      waiting.push({ prepared: prepareAppend(append), resolve, reject })
      if (isRunning) return
      isRunning = true
      if (alone < ALONE || alone % ALONE === 0) writer.schedule(run)
      else Promise.resolve().then(run)
    })
}

/** Writes `group` and answers everyone in it. */
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

/** Writes one after the other, so that only the append that is at fault fails. */
const settleEach = async (writer: GroupWriter, group: readonly Entry[]): Promise<void> => {
  for (const entry of group) await settle(writer, [entry])
}
