import type { RecordedEvent } from 'claviger'
import type { Answer } from './messages.ts'

/** How many of each should not be. */
export interface Verdict {
  readonly acknowledged: number
  readonly unknown: number
  /** Acknowledged events that the log does not have. */
  readonly lost: number
  /** Commands that were recorded twice. */
  readonly recordedTwice: number
  /** Commands that were said to have recorded nothing, and have. */
  readonly recordedUntold: number
}

/** Holds the answers to commands against the log. */
export const checkAnswers = (
  log: readonly RecordedEvent[],
  answers: readonly Answer[],
): Verdict => {
  const byPosition = new Map(log.map((event) => [String(event.position), event]))
  const appends = new Map<string, Set<string>>()
  for (const { metadata, appendId } of log) {
    const key = metadata.correlationId ?? ''
    appends.set(key, (appends.get(key) ?? new Set()).add(appendId))
  }
  let [acknowledged, unknown, lost, recordedUntold] = [0, 0, 0, 0]
  for (const { key, answer } of answers) {
    if (answer === 'unknown') unknown++
    else if (answer === 'nothing') recordedUntold += appends.has(key) ? 1 : 0
    else {
      acknowledged++
      for (const position of answer) {
        if (byPosition.get(position)?.metadata.correlationId !== key) lost++
      }
    }
  }
  const told = new Set(answers.map(({ key }) => key))
  const doubled = [...appends].filter(([key, ids]) => told.has(key) && ids.size > 1)
  return { acknowledged, unknown, lost, recordedTwice: doubled.length, recordedUntold }
}

/** How many events of the log `seen` has left out, and how many it has more than once or too late. */
export const checkFollower = (
  log: readonly RecordedEvent[],
  seen: readonly string[],
): { readonly skipped: number; readonly doubled: number } => {
  const positions = new Set(seen)
  const skipped = log.filter(({ position }) => !positions.has(String(position))).length
  const isLate = (position: string, index: number) =>
    index > 0 && BigInt(position) <= BigInt(seen[index - 1] ?? 0)
  return { skipped, doubled: seen.filter(isLate).length }
}
