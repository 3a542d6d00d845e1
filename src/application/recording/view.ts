import type { Message } from '../../domain/message.js'
import type { StreamId } from '../../domain/values.js'
import type { NewEvent, StreamWrite } from '../../ports/event-store.js'
import { raceAbort } from '../waiting/race-abort.js'
import type { Ledger } from './ledger.js'
import {
  type AnySnapshot,
  type Evolving,
  isOf,
  Snapshot,
  type Status,
  type StreamKind,
  type StreamRecord,
} from './snapshot.js'

/**
 * The streams of one organization, as a decision sees them. One that is not loaded yet looks like one without
 * events; the decision is then taken again, once all that it looked at is loaded.
 */
export interface View {
  /** A stream that must still be as it was read when the decision is recorded. */
  read<Ids, State extends Status, Event extends Message>(
    kind: StreamKind<Ids, State, Event>,
    ids: Ids,
  ): Snapshot<State, Event>

  /** {@link View.read}, of a stream that should have no events: it is not loaded. */
  readNew: View['read']
}

/** A stream in the course of one call. */
interface Seen {
  snapshot: AnySnapshot
  /** Whether it is still to be loaded. */
  isMissing: boolean
  /** Number of the load that it comes from; 0 when it was remembered or assumed. */
  load: number
  /** Number of the last decision that looked at it. */
  decision: number
  /** Whether that decision adds to it. If not, it must not change before the decision is recorded. */
  isWritten: boolean
}

/** The streams that the decision of one call looks at, and when they were loaded. */
export class CallView implements View {
  readonly #ledger: Ledger
  readonly #orgId: string
  readonly #seen = new Map<StreamId, Seen>()
  #decisions = 0
  #loads = 0
  #isPartial = false

  constructor(ledger: Ledger, orgId: string) {
    this.#ledger = ledger
    this.#orgId = orgId
  }

  read<Ids, State extends Status, Event extends Message>(
    kind: StreamKind<Ids, State, Event>,
    ids: Ids,
  ): Snapshot<State, Event> {
    return this.#look(kind, kind.stream(this.#orgId, ids), false)
  }

  readNew<Ids, State extends Status, Event extends Message>(
    kind: StreamKind<Ids, State, Event>,
    ids: Ids,
  ): Snapshot<State, Event> {
    return this.#look(kind, kind.stream(this.#orgId, ids), true)
  }

  /** Takes a decision; it counts for nothing when it {@link isPartial}. */
  decide<Decision>(decision: (view: View) => Decision): Decision {
    this.#decisions++
    this.#isPartial = false
    return decision(this)
  }

  /** Whether the last decision looked at a stream that is still to be loaded. */
  get isPartial(): boolean {
    return this.#isPartial
  }

  /** Whether all that the last decision looked at was loaded together, and last. */
  get isFresh(): boolean {
    return this.#looked().every(({ load }) => load > 0 && load === this.#loads)
  }

  /** Loads what the last decision looked at: what is missing, or everything when nothing is. */
  async load(signal: AbortSignal | undefined): Promise<void> {
    const looked = this.#looked()
    const missing = looked.filter(({ isMissing }) => isMissing)
    const wanted = missing.length > 0 ? missing : looked
    const load = ++this.#loads
    const loading = wanted.map(async (seen) => {
      seen.snapshot = await this.#ledger.load(seen.snapshot)
      seen.isMissing = false
      seen.load = load
    })
    await raceAbort(Promise.all(loading), signal)
  }

  /** Takes over what other calls have seen meanwhile; what was loaded before is no longer fresh. */
  recall(): void {
    this.#loads++
    for (const seen of this.#seen.values()) seen.snapshot = this.#ledger.latest(seen.snapshot)
  }

  /** What is to be appended, on condition that nothing of what the last decision read has changed. */
  writesOf(records: readonly StreamRecord[]): readonly StreamWrite[] {
    const writes = records.map(({ before, events }) => {
      const written = this.#seen.get(before.name)
      if (written) written.isWritten = true
      return { stream: before.name, expectedVersion: before.version, events }
    })
    for (const { snapshot, decision, isWritten } of this.#seen.values())
      if (decision === this.#decisions && !isWritten)
        writes.push({ stream: snapshot.name, expectedVersion: snapshot.version, events: NO_EVENTS })
    return writes
  }

  #looked(): readonly Seen[] {
    return [...this.#seen.values()].filter(({ decision }) => decision === this.#decisions)
  }

  #look<State extends Status, Event extends Message>(
    kind: Evolving<State, Event>,
    name: StreamId,
    isNew: boolean,
  ): Snapshot<State, Event> {
    const decision = this.#decisions
    const seen = this.#seen.get(name)
    if (seen && isOf(seen.snapshot, kind)) {
      seen.decision = decision
      seen.isWritten = false
      this.#isPartial ||= seen.isMissing
      return seen.snapshot
    }
    const remembered = isNew ? undefined : this.#ledger.recall(kind, name)
    const snapshot = remembered ?? new Snapshot(kind, name)
    const isMissing = !isNew && remembered === undefined
    this.#isPartial ||= isMissing
    this.#seen.set(name, { snapshot, isMissing, load: 0, decision, isWritten: false })
    return snapshot
  }
}

const NO_EVENTS: readonly NewEvent[] = []
