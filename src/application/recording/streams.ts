import type { Message } from '../../domain/message.js'
import type { StreamId } from '../../domain/values.js'
import type { EventStore, NewEvent, Position, StreamWrite } from '../../ports/event-store.js'
import { fromPort } from '../errors/fault.js'
import { raceAbort } from '../waiting.js'
import type { StateCache } from './state-cache.js'
import {
  type AnyStreamState,
  asOneOf,
  type Evolving,
  isOf,
  type Status,
  type StreamChange,
  StreamState,
  type StreamsOf,
} from './stream-state.js'

export interface ReadOptions {
  /** The organization that owns the stream. Default: the organization of the call. */
  readonly orgId?: string | undefined
  /**
   * - `cached` (when absent): as the process last saw the stream; loaded when it is not cached.
   * - `latest`: loaded for this call.
   * - `assume-empty`: not loaded unless a race was lost; for the stream of an object that is about to be added.
   */
  readonly load?: 'cached' | 'latest' | 'assume-empty'
  /** Whether the stream must be unchanged when the decision is recorded. True when absent. */
  readonly guard?: boolean
}

/**
 * The streams that a decision reads. Reads that begin together are loaded in one round, so a decision that needs
 * several streams reads them with `Promise.all`.
 */
export interface Streams {
  /** The organization of the call. */
  readonly orgId: string

  /** The state of the stream of one object. */
  read<Ids, State extends Status, Event extends Message>(
    aggregate: StreamsOf<Ids, State, Event>,
    ids: Ids,
    options?: ReadOptions,
  ): Promise<StreamState<State, Event>>
}

/** The streams of one call that decides, perhaps several times, and records. */
export class CallStreams implements Streams {
  readonly orgId: string
  readonly #cache: StateCache
  readonly #signal: AbortSignal | undefined
  /** The streams that the last decision read. */
  readonly #read = new Map<StreamId, AnyStreamState>()
  /** The streams among them that must be unchanged when the decision is recorded. */
  readonly #guards = new Set<AnyStreamState>()
  /** Whether the last decision read a stream once as cached, and then as it was loaded. */
  #isMixed = false
  /** Undefined while nothing was loaded: most calls find all that they read in the cache. */
  #loads: Loads | undefined

  constructor(
    cache: StateCache,
    { orgId, signal }: { readonly orgId: string; readonly signal: AbortSignal | undefined },
  ) {
    this.#cache = cache
    this.orgId = orgId
    this.#signal = signal
  }

  async read<Ids, State extends Status, Event extends Message>(
    aggregate: StreamsOf<Ids, State, Event>,
    ids: Ids,
    { orgId = this.orgId, load, guard = true }: ReadOptions = {},
  ): Promise<StreamState<State, Event>> {
    const name = aggregate.stream(orgId, ids)
    const known = this.#known(aggregate, name, load)
    const stream = known ?? (await this.#load(aggregate, name))
    if ((this.#read.get(name) ?? stream) !== stream) this.#isMixed = true
    this.#read.set(name, stream)
    if (guard) this.#guards.add(stream)
    return stream
  }

  /** Makes a decision and forgets the reads of earlier decisions. */
  decide<Decision>(decision: (streams: Streams) => Promise<Decision>): Promise<Decision> {
    this.#read.clear()
    this.#guards.clear()
    this.#isMixed = false
    return decision(this)
  }

  /** Whether the last decision saw one stream in two states. Made again, it sees the loaded one. */
  get isMixed(): boolean {
    return this.#isMixed
  }

  /** Position of the last event of all streams that the last decision read. */
  get lastRead(): Position {
    const positions = [...this.#read.values()].map(({ changed }) => changed)
    return positions.reduce((last, position) => (position > last ? position : last), 0n)
  }

  /**
   * Whether all that the last decision read was so at one moment of this call. One stream that was loaded was. Several
   * are loaded once more: if none has changed, they were so when that began.
   */
  async confirm(): Promise<boolean> {
    const read = [...this.#read.values()]
    const isUnchanged = (stream: AnyStreamState) => this.#loads?.fresh.has(stream) === true
    if (read.length < 2 && read.every(isUnchanged)) return true
    await this.reload()
    return read.every(isUnchanged)
  }

  /** Loads all that the last decision read, in one round. */
  async reload(): Promise<void> {
    this.#loads?.fresh.clear()
    await Promise.all([...this.#read.values()].map((stream) => this.#startLoad(stream)))
  }

  /** Adopts what other calls of the process have seen since; it may be older than what the store has. */
  adoptCached(): void {
    if (!this.#loads) return
    const { done, fresh } = this.#loads
    fresh.clear()
    for (const [name, stream] of done) done.set(name, this.#cache.latest(stream))
  }

  /** The writes to append, on condition that no guarded stream has changed. */
  writesOf(changes: readonly StreamChange[]): readonly StreamWrite[] {
    const changed = new Set(changes.map(({ before }) => before))
    const writes = changes.map(({ before, events }) => writeOf(before, events))
    for (const guard of this.#guards) if (!changed.has(guard)) writes.push(writeOf(guard, []))
    return writes
  }

  #known<State extends Status, Event extends Message>(
    aggregate: Evolving<State, Event>,
    name: StreamId,
    load: ReadOptions['load'],
  ): StreamState<State, Event> | undefined {
    const loaded = this.#loads?.done.get(name)
    if (isOf(loaded, aggregate)) return loaded
    const read = this.#read.get(name)
    if (isOf(read, aggregate) && load !== 'latest') return read
    if (load === 'latest') return undefined
    const cached = this.#cache.get(aggregate, name)
    return cached ?? (load === 'assume-empty' ? new StreamState(aggregate, name) : undefined)
  }

  async #load<State extends Status, Event extends Message>(
    aggregate: Evolving<State, Event>,
    name: StreamId,
  ): Promise<StreamState<State, Event>> {
    const seen = this.#cache.get(aggregate, name) ?? new StreamState(aggregate, name)
    return asOneOf(await this.#startLoad(seen), aggregate)
  }

  #startLoad(seen: AnyStreamState): Promise<AnyStreamState> {
    const { name } = seen
    this.#loads ??= { done: new Map(), underWay: new Map(), fresh: new Set() }
    const { done, underWay, fresh } = this.#loads
    const begun = underWay.get(name)
    if (begun) return begun
    const loading = raceAbort(this.#cache.load(seen), this.#signal)
      .then((loaded) => {
        done.set(name, loaded)
        fresh.add(loaded)
        return loaded
      })
      .finally(() => underWay.delete(name))
    underWay.set(name, loading)
    return loading
  }
}

/** The streams that were loaded for one call. */
interface Loads {
  /** As it was loaded, or adopted since. */
  readonly done: Map<StreamId, AnyStreamState>
  readonly underWay: Map<StreamId, Promise<AnyStreamState>>
  /** As they were loaded since the last reload, or the last wait for a lock. */
  readonly fresh: Set<AnyStreamState>
}

const writeOf = (
  { name: stream, version: expectedVersion }: AnyStreamState,
  events: readonly NewEvent[],
): StreamWrite => ({ stream, expectedVersion, events })

/** The streams at position `at`; of `orgId` unless a read names another organization. */
export const streamsAt = (store: EventStore, orgId: string, at: Position): Streams => {
  const loaded = new Map<StreamId, Promise<AnyStreamState>>()
  const load = async (beginning: AnyStreamState): Promise<AnyStreamState> => {
    const events = await fromPort(() => store.readStream(beginning.name))
    return beginning.replay(events.filter(({ position }) => position <= at))
  }
  return {
    orgId,
    read: async (aggregate, ids, options) => {
      const beginning = new StreamState(aggregate, aggregate.stream(options?.orgId ?? orgId, ids))
      const loading = loaded.get(beginning.name) ?? load(beginning)
      loaded.set(beginning.name, loading)
      return asOneOf(await loading, aggregate)
    },
  }
}
