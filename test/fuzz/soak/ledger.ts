import type { EventStore, Position, RecordedEvent } from 'claviger'

/** What a numbered call was answered with: where its first event is; or that nothing was recorded, or may have been. */
export type Answer =
  | { readonly position: Position; readonly events: number }
  | 'nothing'
  | 'unknown'

const NOTHING = 0
const UNKNOWN = -1

/** What calls were answered with, off the heap, by number. */
export interface Ledger {
  readonly calls: number
  readonly recorded: number
  readonly unknown: number
  /** Memory in use, in bytes. */
  readonly bytes: number
  /** The number of the next call. */
  readonly next: () => number
  readonly note: (call: number, answer: Answer) => void
  /** What the log of `store` and the answers disagree on; events carry the number as `correlationId`. */
  readonly check: (store: EventStore) => Promise<readonly string[]>
}

const FIRST_CAPACITY = 1 << 16

/** @see Ledger */
export const openLedger = (): Ledger => {
  // Positions of this millennium are exact as numbers.
  let positions = new Float64Array(FIRST_CAPACITY)
  let events = new Uint16Array(FIRST_CAPACITY)
  let calls = 0
  let recorded = 0
  let unknown = 0

  const grow = (): void => {
    const [oldPositions, oldEvents] = [positions, events]
    positions = new Float64Array(2 * calls)
    events = new Uint16Array(2 * calls)
    positions.set(oldPositions)
    events.set(oldEvents)
  }

  return {
    get calls() {
      return calls
    },
    get recorded() {
      return recorded
    },
    get unknown() {
      return unknown
    },
    get bytes() {
      return positions.byteLength + events.byteLength
    },
    next: () => {
      if (calls === positions.length) grow()
      return calls++
    },
    note: (call, answer) => {
      if (answer === 'nothing') return
      if (answer === 'unknown') unknown++
      else recorded++
      positions[call] = answer === 'unknown' ? UNKNOWN : Number(answer.position)
      events[call] = answer === 'unknown' ? 0 : answer.events
    },
    check: async (store) => {
      const found = new Uint16Array(calls)
      const problems: string[] = []
      let last: RecordedEvent | undefined
      for await (const event of eventsOf(store)) {
        const call = Number(event.metadata.correlationId)
        const begins = event.appendId !== last?.appendId
        last = event
        const answer = positions[call]
        if (begins && found[call]) problems.push(`call ${call} was recorded twice`)
        if (answer === NOTHING) problems.push(`call ${call} was recorded, and not acknowledged`)
        if (begins && answer !== UNKNOWN && answer !== Number(event.position))
          problems.push(`call ${call} was recorded elsewhere than acknowledged`)
        found[call] = (found[call] ?? 0) + 1
      }
      for (const [call, count] of events.subarray(0, calls).entries()) {
        const lost = count - (found[call] ?? 0)
        if (count > 0 && lost !== 0)
          problems.push(`call ${call} has lost ${lost} of ${count} events`)
      }
      return problems
    },
  }
}

/** Every event of the log. */
const eventsOf = async function* (store: EventStore): AsyncGenerator<RecordedEvent> {
  let after = 0n
  for (;;) {
    const page = await store.readAll(after, 1_000)
    yield* page
    const last = page.at(-1)
    if (!last) return
    after = last.position
  }
}
