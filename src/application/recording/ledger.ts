import type { Message } from '../../domain/message.js'
import { isRecord, type StreamId } from '../../domain/values.js'
import type { EventStore, RecordedEvent } from '../../ports/event-store.js'
import { fromPort } from '../errors/fault.js'
import { Locks } from './lock.js'
import { Recent } from './recent.js'
import {
  type AnySnapshot,
  type Evolving,
  isOf,
  Snapshot,
  type Status,
  type StreamKind,
} from './snapshot.js'

/** About how many bytes the remembered snapshots may take. */
const MAX_BYTES = 16 * 1024 * 1024

/** About what a snapshot takes beside its name and its state. */
const SNAPSHOT_BYTES = 256

/** Remembers the states of streams that were lately used, and gives out locks by stream. */
export class Ledger {
  readonly locks = new Locks()
  readonly #store: EventStore
  readonly #recent: Recent<StreamId, AnySnapshot>

  /** @param maxBytes - see {@link MAX_BYTES}, which it is when absent */
  constructor(store: EventStore, maxBytes = MAX_BYTES) {
    this.#store = store
    this.#recent = new Recent(
      maxBytes,
      ({ name, state }) => SNAPSHOT_BYTES + bytesOf(name) + bytesOf(state),
    )
  }

  /** The stream as it was last seen, which may be out of date; undefined when it is not remembered. */
  recall<State extends Status, Event extends Message>(
    kind: Evolving<State, Event>,
    name: StreamId,
  ): Snapshot<State, Event> | undefined {
    const found = this.#recent.get(name)
    return isOf(found, kind) ? found : undefined
  }

  /** The stream of `seen` as any call last saw it. */
  latest(seen: AnySnapshot): AnySnapshot {
    return this.#recent.get(seen.name) ?? seen
  }

  remember(snapshot: AnySnapshot): void {
    this.#recent.set(snapshot.name, snapshot)
  }

  /** The stream of `seen` as the store has it: what was added since is read. */
  async load(seen: AnySnapshot): Promise<AnySnapshot> {
    // The event last seen is read again: after a failover that lost it, it is another one.
    const added = await this.#read(seen.name, Math.max(0, seen.version - 1))
    const loaded = continued(seen, added) ?? seen.beginning().replay(await this.#read(seen.name, 0))
    // Streams without events are not kept: most are not used again, and would replace others.
    if (seen.version > 0 || loaded.version > 0) this.remember(loaded)
    return loaded
  }

  /** The stream of an object as the store has it. */
  async read<Ids, State extends Status, Event extends Message>(
    kind: StreamKind<Ids, State, Event>,
    orgId: string,
    ids: Ids,
  ): Promise<Snapshot<State, Event>> {
    const name = kind.stream(orgId, ids)
    const beginning = new Snapshot(kind, name)
    const loaded = await this.load(this.recall(kind, name) ?? beginning)
    return isOf(loaded, kind) ? loaded : beginning
  }

  #read(name: StreamId, afterVersion: number): Promise<readonly RecordedEvent[]> {
    return fromPort(() => this.#store.readStream(name, afterVersion))
  }
}

/** `seen` and what came after its last event, which `events` begin with; undefined when they do not. */
const continued = (
  seen: AnySnapshot,
  events: readonly RecordedEvent[],
): AnySnapshot | undefined => {
  if (seen.version === 0) return seen.replay(events)
  const [last, ...added] = events
  return last?.position === seen.changed ? seen.replay(added) : undefined
}

/** About what plain data takes in memory. */
const bytesOf = (value: unknown): number => {
  if (typeof value === 'string') return 16 + 2 * value.length
  if (!isRecord(value)) return 8
  let bytes = 16
  // Faster than `Object.values`.
  for (const key in value) bytes += bytesOf(value[key])
  return bytes
}
