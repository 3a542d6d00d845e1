import type { Result } from 'neverthrow'
import type { Message } from '../../domain/message.js'
import type { OrgId, StreamId } from '../../domain/values.js'
import {
  type EventStore,
  type NewEvent,
  type Position,
  readStreams,
  type StreamWrite,
} from '../../ports/event-store.js'
import type { Authorize, Caller } from '../../ports/host.js'
import type { WriteError } from '../errors/errors.js'
import { fromPort, raceAbort } from '../waiting.js'
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
  readonly orgId: OrgId

  /** The state of the stream of one object. */
  read<Ids, State extends Status, Event extends Message>(
    aggregate: StreamsOf<Ids, State, Event>,
    ids: Ids,
    options?: ReadOptions,
  ): Promise<StreamState<State, Event>>
}

/** The streams of one call that decides, perhaps several times, and records. */
export class CallStreams implements Streams {
  readonly orgId: OrgId
  readonly #cache: StateCache
  readonly #signal: AbortSignal | undefined
  /** The streams that the last decision read. */
  readonly #read = new Map<StreamId, AnyStreamState>()
  /** The streams among them that must be unchanged when the decision is recorded. */
  readonly #guards = new Set<AnyStreamState>()
  /** Whether the last decision read a stream once as cached, and then as it was loaded. */
  #isMixed = false
  /** The streams that were loaded for this call: as they were loaded, or adopted since. */
  readonly #loaded = new Map<StreamId, AnyStreamState>()
  /** As they were loaded since the last reload, or the last wait for a lock. */
  readonly #fresh = new Set<AnyStreamState>()
  readonly #load = loadTogether((known) => this.#loadAll(known))

  constructor(
    cache: StateCache,
    { orgId, signal }: { readonly orgId: OrgId; readonly signal: AbortSignal | undefined },
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
    const stream =
      this.#known(aggregate, name, load) ??
      asOneOf(await this.#load(this.#cached(aggregate, name)), aggregate)
    if ((this.#read.get(name) ?? stream) !== stream) this.#isMixed = true
    this.#read.set(name, stream)
    if (guard) this.#guards.add(stream)
    return stream
  }

  /** A stream that was decided on before as `known`: so, or as it was loaded since. It guards the append. */
  current(known: AnyStreamState): AnyStreamState {
    const stream = this.#loaded.get(known.name) ?? known
    this.#read.set(known.name, stream)
    this.#guards.add(stream)
    return stream
  }

  /** Makes a decision and forgets the reads of earlier decisions. */
  decide<Decision>(decision: (streams: CallStreams) => Promise<Decision>): Promise<Decision> {
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
    const isUnchanged = (stream: AnyStreamState) => this.#fresh.has(stream)
    if (read.length < 2 && read.every(isUnchanged)) return true
    await this.reload()
    return read.every(isUnchanged)
  }

  /** Loads all that the last decision read, in one round. */
  async reload(): Promise<void> {
    this.#fresh.clear()
    await this.#loadAll([...this.#read.values()])
  }

  /** Adopts what other calls of the process have read since; it may be older than what the store has. */
  adoptCached(): void {
    this.#fresh.clear()
    for (const [name, stream] of this.#loaded) this.#loaded.set(name, this.#cache.latest(stream))
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
    const loaded = this.#loaded.get(name)
    if (isOf(loaded, aggregate)) return loaded
    const read = this.#read.get(name)
    if (isOf(read, aggregate) && load !== 'latest') return read
    if (load === 'latest') return undefined
    const cached = this.#cache.get(aggregate, name)
    return cached ?? (load === 'assume-empty' ? new StreamState(aggregate, name) : undefined)
  }

  #cached<State extends Status, Event extends Message>(
    aggregate: Evolving<State, Event>,
    name: StreamId,
  ): StreamState<State, Event> {
    return this.#cache.get(aggregate, name) ?? new StreamState(aggregate, name)
  }

  async #loadAll(known: readonly AnyStreamState[]): Promise<readonly AnyStreamState[]> {
    const loaded = await raceAbort(this.#cache.load(known), this.#signal)
    for (const stream of loaded) {
      this.#loaded.set(stream.name, stream)
      this.#fresh.add(stream)
    }
    return loaded
  }
}

/** Loads one stream, given as it was last known. */
type LoadStream = (known: AnyStreamState) => Promise<AnyStreamState>

/** Loads in one call of `loadAll` the streams that are asked for in one turn. */
const loadTogether = (
  loadAll: (known: readonly AnyStreamState[]) => Promise<readonly AnyStreamState[]>,
): LoadStream => {
  let next: { known: Map<StreamId, AnyStreamState>; loading: Promise<Loaded> } | undefined
  const begin = () => {
    const known = new Map<StreamId, AnyStreamState>()
    const loading = Promise.resolve().then(async () => {
      next = undefined
      const loaded = await loadAll([...known.values()])
      return new Map(loaded.map((stream) => [stream.name, stream]))
    })
    return { known, loading }
  }
  return async (stream) => {
    next ??= begin()
    const { known, loading } = next
    if (!known.has(stream.name)) known.set(stream.name, stream)
    return (await loading).get(stream.name) ?? stream
  }
}

type Loaded = ReadonlyMap<StreamId, AnyStreamState>

const writeOf = (
  { name: stream, version: expectedVersion }: AnyStreamState,
  events: readonly NewEvent[],
): StreamWrite => ({ stream, expectedVersion, events })

/** The streams at position `at`; of `orgId` unless a read names another organization. */
export const streamsAt = (store: EventStore, orgId: OrgId, at: Position): Streams => {
  const read = new Map<StreamId, Promise<AnyStreamState>>()
  const load = loadTogether(async (beginnings) => {
    const names = beginnings.map(({ name }) => ({ stream: name, afterVersion: 0 }))
    const recorded = await fromPort(() => readStreams(store, names))
    return beginnings.map((beginning, index) =>
      beginning.replay((recorded[index] ?? []).filter(({ position }) => position <= at)),
    )
  })
  return {
    orgId,
    read: async (aggregate, ids, options) => {
      const beginning = new StreamState(aggregate, aggregate.stream(options?.orgId ?? orgId, ids))
      const loading = read.get(beginning.name) ?? load(beginning)
      read.set(beginning.name, loading)
      return asOneOf(await loading, aggregate)
    },
  }
}

/** What a caller may do to whom the library itself has given permissions; the host is not asked about it. */
export interface Delegation {
  readonly authorize: Authorize
  /** Refuses changes that the caller may not make. It reads what it depends on, so that they are recorded only with that. */
  readonly limit: (
    streams: Streams,
    changes: readonly StreamChange[],
  ) => Promise<Result<readonly StreamChange[], WriteError>>
}

/** The delegations of one `createIam`, by the caller's object: a copy of it is an ordinary caller. */
export type Delegations = WeakMap<Caller, Delegation>

type Decide<Decided, Read extends Streams> = (streams: Read) => Promise<Result<Decided, WriteError>>

/** `decide`, within the limits of the caller. */
export const withinLimits = <
  Decided extends { readonly changes: readonly StreamChange[] },
  Read extends Streams,
>(
  delegation: Delegation | undefined,
  decide: Decide<Decided, Read>,
): Decide<Decided, Read> => {
  if (!delegation) return decide
  return async (streams) => {
    const decided = await decide(streams)
    if (decided.isErr()) return decided
    const limited = await delegation.limit(streams, decided.value.changes)
    return limited.map((changes) => ({ ...decided.value, changes }))
  }
}
