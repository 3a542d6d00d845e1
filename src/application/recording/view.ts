import type { Message } from '../../domain/message.js'
import type { StreamId } from '../../domain/values.js'
import type { NewEvent, StreamWrite } from '../../ports/event-store.js'
import { raceAbort } from '../waiting.js'
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
 * The streams of one organization, or of another one that a decision names, as the decision sees them. One that is not
 * loaded yet looks like one without events; the decision is then taken again, once all that it looked at is loaded.
 */
export interface View {
  /** The organization whose streams are read where none is given. */
  readonly orgId: string

  /** A stream that must still be as it was read when the decision is recorded. */
  read<Ids, State extends Status, Event extends Message>(
    kind: StreamKind<Ids, State, Event>,
    ids: Ids,
    orgId?: string,
  ): Snapshot<State, Event>

  /** {@link View.read}, of a stream that should have no events: it is not loaded. */
  readNew: View['read']

  /**
   * {@link View.read}, of a stream that may change before the decision is recorded. Since no append can lose a race for
   * it, it is always loaded for the call.
   */
  glance: View['read']

  /** {@link View.read}, of a stream of which it does not matter what was added since it was last seen. */
  lastSeen: View['read']
}

/** The streams that the decision of one call looks at, and when they were loaded. */
export class CallView implements View {
  readonly orgId: string
  readonly #ledger: Ledger
  /** What the last decision looked at. */
  #looked = new Set<AnySnapshot>()
  /** What of it must not change before the decision is recorded. */
  #guards = new Set<AnySnapshot>()
  /** What of it is still to be loaded, by stream; undefined when nothing is. */
  #missing: Map<StreamId, AnySnapshot> | undefined
  /** What of it should have no events and is not loaded, by stream; undefined when nothing is. */
  #new: Map<StreamId, AnySnapshot> | undefined
  /** What was loaded for the call, by stream; undefined while nothing was. */
  #loaded: Map<StreamId, AnySnapshot> | undefined
  /** What was loaded together, and last. */
  #fresh: ReadonlySet<AnySnapshot> = NOTHING

  constructor(ledger: Ledger, orgId: string) {
    this.#ledger = ledger
    this.orgId = orgId
  }

  read<Ids, State extends Status, Event extends Message>(
    kind: StreamKind<Ids, State, Event>,
    ids: Ids,
    orgId = this.orgId,
  ): Snapshot<State, Event> {
    return this.#guard(this.lastSeen(kind, ids, orgId))
  }

  lastSeen<Ids, State extends Status, Event extends Message>(
    kind: StreamKind<Ids, State, Event>,
    ids: Ids,
    orgId = this.orgId,
  ): Snapshot<State, Event> {
    const name = kind.stream(orgId, ids)
    const known = this.#loadedOf(kind, name) ?? this.#ledger.recall(kind, name)
    return this.#look(known ?? this.#toLoad(kind, name))
  }

  glance<Ids, State extends Status, Event extends Message>(
    kind: StreamKind<Ids, State, Event>,
    ids: Ids,
    orgId = this.orgId,
  ): Snapshot<State, Event> {
    const name = kind.stream(orgId, ids)
    return this.#look(this.#loadedOf(kind, name) ?? this.#toLoad(kind, name))
  }

  readNew<Ids, State extends Status, Event extends Message>(
    kind: StreamKind<Ids, State, Event>,
    ids: Ids,
    orgId = this.orgId,
  ): Snapshot<State, Event> {
    const name = kind.stream(orgId, ids)
    this.#new ??= new Map()
    return this.#guard(
      this.#look(this.#loadedOf(kind, name) ?? this.#lastSeenIn(this.#new, kind, name)),
    )
  }

  /** Takes a decision; it counts for nothing when it {@link isPartial}. */
  decide<Decision>(decision: (view: View) => Decision): Decision {
    this.#looked.clear()
    this.#guards.clear()
    this.#missing = undefined
    this.#new = undefined
    return decision(this)
  }

  /** Whether the last decision looked at a stream that is still to be loaded. */
  get isPartial(): boolean {
    return this.#missing !== undefined
  }

  /** Whether all that the last decision looked at was loaded together, and last. */
  get isFresh(): boolean {
    for (const snapshot of this.#looked) if (!this.#fresh.has(snapshot)) return false
    return true
  }

  /** Loads what the last decision looked at: what is missing, or everything when nothing is. */
  async load(signal: AbortSignal | undefined): Promise<void> {
    const wanted = [...(this.#missing?.values() ?? this.#looked)]
    const loading = wanted.map((snapshot) => this.#ledger.load(snapshot))
    this.#fresh = new Set(await raceAbort(Promise.all(loading), signal))
    this.#loaded ??= new Map()
    for (const snapshot of this.#fresh) this.#loaded.set(snapshot.name, snapshot)
  }

  /** Takes over what other calls have seen meanwhile; what was loaded before is no longer fresh. */
  recall(): void {
    this.#fresh = NOTHING
    this.#loaded?.forEach((snapshot, name, loaded) => {
      loaded.set(name, this.#ledger.latest(snapshot))
    })
  }

  /** What is to be appended, on condition that nothing of what the last decision read has changed. */
  writesOf(records: readonly StreamRecord[]): readonly StreamWrite[] {
    const written = new Set(records.map(({ before }) => before))
    const writes = records.map(({ before, events }) => writeOf(before, events))
    for (const snapshot of this.#guards)
      if (!written.has(snapshot)) writes.push(writeOf(snapshot, NO_EVENTS))
    return writes
  }

  /** Marks a stream as one to load. Until then it is as it was last seen, or without events. */
  #toLoad<State extends Status, Event extends Message>(
    kind: Evolving<State, Event>,
    name: StreamId,
  ): Snapshot<State, Event> {
    this.#missing ??= new Map()
    return this.#lastSeenIn(this.#missing, kind, name)
  }

  /** A stream in `snapshots`, which is added to them as it was last seen or without events: the same at each look. */
  #lastSeenIn<State extends Status, Event extends Message>(
    snapshots: Map<StreamId, AnySnapshot>,
    kind: Evolving<State, Event>,
    name: StreamId,
  ): Snapshot<State, Event> {
    const known = snapshots.get(name)
    if (isOf(known, kind)) return known
    const last = this.#ledger.recall(kind, name) ?? new Snapshot(kind, name)
    snapshots.set(name, last)
    return last
  }

  /** What was loaded of a stream. */
  #loadedOf<State extends Status, Event extends Message>(
    kind: Evolving<State, Event>,
    name: StreamId,
  ): Snapshot<State, Event> | undefined {
    const loaded = this.#loaded?.get(name)
    return isOf(loaded, kind) ? loaded : undefined
  }

  #guard<Guard extends AnySnapshot>(snapshot: Guard): Guard {
    this.#guards.add(snapshot)
    return snapshot
  }

  #look<Looked extends AnySnapshot>(snapshot: Looked): Looked {
    this.#looked.add(snapshot)
    return snapshot
  }
}

const NO_EVENTS: readonly NewEvent[] = []
const NOTHING: ReadonlySet<AnySnapshot> = new Set()

const writeOf = (
  { name: stream, version: expectedVersion }: AnySnapshot,
  events: readonly NewEvent[],
): StreamWrite => ({ stream, expectedVersion, events })
