import type { Message } from '../../domain/message.js'
import { isRecord, type StreamId } from '../../domain/values.js'
import { type EventStore, type RecordedEvent, readStreams } from '../../ports/event-store.js'
import { fromPort } from '../waiting.js'
import {
  type AnyStreamState,
  asOneOf,
  type Evolving,
  isOf,
  type Status,
  StreamState,
  type StreamsOf,
} from './stream-state.js'

/** About how many bytes the cached states may take. */
const MAX_BYTES = 16 * 1024 * 1024

/** About how many bytes a state takes besides its data and the name of its stream. */
const STATE_BYTES = 256

/**
 * Caches the states of streams that the process used lately, and loads them. A cached state may be out of date: an
 * append that relies on it then loses the race, and the decision is made again.
 */
export class StateCache {
  readonly #store: EventStore
  readonly #maxBytes: number
  // Two maps: when the new one takes half of all bytes, it becomes the old one, and the old one is dropped. A state
  // that is used moves to the new one.
  #recent = new Map<StreamId, AnyStreamState>()
  #older = new Map<StreamId, AnyStreamState>()
  #recentBytes = 0

  constructor(store: EventStore, maxBytes = MAX_BYTES) {
    this.#store = store
    this.#maxBytes = maxBytes
  }

  /** The stream as the process last saw it; undefined when it is not cached. */
  get<State extends Status, Event extends Message>(
    aggregate: Evolving<State, Event>,
    name: StreamId,
  ): StreamState<State, Event> | undefined {
    const found = this.#get(name)
    return isOf(found, aggregate) ? found : undefined
  }

  /** The cached state of the stream; `known` if none is cached. */
  latest(known: AnyStreamState): AnyStreamState {
    return this.#get(known.name) ?? known
  }

  set(stream: AnyStreamState): void {
    const { name, state } = stream
    this.#recent.set(name, stream)
    // A replaced state is counted twice, which only fills the new map earlier.
    this.#recentBytes += STATE_BYTES + bytesOf(name) + bytesOf(state)
    if (this.#recentBytes <= this.#maxBytes / 2) return
    this.#older = this.#recent
    this.#recent = new Map()
    this.#recentBytes = 0
  }

  /** Loads the streams of `known` from the store, each at most once; only the events added since are read. */
  async load(known: readonly AnyStreamState[]): Promise<readonly AnyStreamState[]> {
    const added = await this.#read(known)
    const loaded: AnyStreamState[] = []
    for (const [index, before] of known.entries()) {
      const after =
        continued(before, added[index] ?? []) ?? (await this.#loadWhole(before.beginning()))
      // Streams without events are not kept: most are not used again, and would replace others.
      if (before.version > 0 || after.version > 0) this.set(after)
      loaded.push(after)
    }
    return loaded
  }

  /** Loads the stream of the object that `ids` name. */
  async readLatest<Ids, State extends Status, Event extends Message>(
    aggregate: StreamsOf<Ids, State, Event>,
    orgId: string,
    ids: Ids,
  ): Promise<StreamState<State, Event>> {
    const name = aggregate.stream(orgId, ids)
    const known = this.get(aggregate, name) ?? new StreamState(aggregate, name)
    const [loaded = known] = await this.load([known])
    return asOneOf(loaded, aggregate)
  }

  #get(name: StreamId): AnyStreamState | undefined {
    const recent = this.#recent.get(name)
    if (recent !== undefined) return recent
    const older = this.#older.get(name)
    if (older !== undefined) this.set(older)
    return older
  }

  async #loadWhole(beginning: AnyStreamState): Promise<AnyStreamState> {
    const [events = []] = await this.#read([beginning])
    return beginning.replay(events)
  }

  /** The last event seen is read again, because after a failover that lost it, another event has its place. */
  #read(known: readonly AnyStreamState[]): Promise<readonly (readonly RecordedEvent[])[]> {
    const reads = known.map(({ name, version }) => ({
      stream: name,
      afterVersion: Math.max(0, version - 1),
    }))
    return fromPort(() => readStreams(this.#store, reads))
  }
}

/** Continues `known` with `events`, which begin with its last event; undefined when they do not. */
const continued = (
  known: AnyStreamState,
  events: readonly RecordedEvent[],
): AnyStreamState | undefined => {
  if (known.version === 0) return known.replay(events)
  const [last, ...added] = events
  return last?.position === known.changed ? known.replay(added) : undefined
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
