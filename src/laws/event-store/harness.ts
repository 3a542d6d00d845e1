import { monotonicFactory } from 'ulid'
import type { StreamId } from '../../domain/values.js'
import type {
  Append,
  EventRestore,
  EventStore,
  Metadata,
  Position,
  RecordedEvent,
  StreamWrite,
  Version,
} from '../../ports/event-store.js'
import { BrokenLaw, demand, type Law } from '../law.js'

/** How the laws open a store. The caller of a law closes the stores. */
export interface EventStoreHarness<Store extends EventStore = EventStore> {
  /** An empty store. */
  open(): Promise<Store>
  /**
   * A second handle on the data of `store`, as another process would have it, for races. In memory, the same
   * store.
   */
  reopen(store: Store): Promise<Store>
}

/** How the laws of the clock open a store that takes its time from the host. */
export interface EventClockHarness {
  /** An empty store that reads the time from `now`. */
  openAt(now: () => Date): Promise<EventStore>
}

/** How the laws of recovery open a store that outlives the program. */
export interface EventRecoveryHarness {
  /** An empty store. */
  open(): Promise<EventStore>
  /** Kills the program or server of `store`, and reopens the data. */
  crash(store: EventStore): Promise<EventStore>
}

/** A promise of the port `EventStore`. */
export type EventStoreLaw = Law<EventStoreHarness>

/** A promise of a store that takes its time from the host. */
export type EventClockLaw = Law<EventClockHarness>

/** A promise of the port `EventRestore`. */
export type EventRestoreLaw = Law<EventStoreHarness<EventStore & EventRestore>>

/** A promise of a store that outlives the program. */
export type EventRecoveryLaw = Law<EventRecoveryHarness>

/** Laws by their names, each checked with an empty store. */
export const storeLaws = <Store extends EventStore = EventStore>(
  checks: Readonly<
    Record<string, (store: Store, harness: EventStoreHarness<Store>) => Promise<void>>
  >,
): readonly Law<EventStoreHarness<Store>>[] =>
  Object.entries(checks).map(([name, check]) => ({
    name,
    check: async (harness) => check(await harness.open(), harness),
  }))

const newId = monotonicFactory()

/** Events with each of `data`, for `stream`, which must be at `expectedVersion`. */
export const write = (
  stream: StreamId,
  expectedVersion: Version,
  ...data: readonly object[]
): StreamWrite => ({
  stream,
  expectedVersion,
  events: data.map((data) => ({ type: 'law.tried', schemaVersion: 1, data })),
})

/** An append of `writes`; `metadata` replaces fields of the default. */
export const appendOf = (
  writes: readonly StreamWrite[],
  metadata: Partial<Metadata> = {},
): Append => ({
  id: newId(),
  writes,
  metadata: { actor: { userId: 'user-1', orgId: 'org-1' }, resourceOwner: 'org-2', ...metadata },
})

/** An append of one event to a stream that does not exist. */
export const firstOf = (stream: StreamId, metadata: Partial<Metadata> = {}): Append =>
  appendOf([write(stream, 0, { first: true })], metadata)

/** The events that `store` records for `append`, which it must accept. */
export const record = async (
  store: EventStore,
  append: Append,
): Promise<readonly RecordedEvent[]> => {
  const result = await store.append(append)
  if (result.isOk()) return result.value
  throw new BrokenLaw(`Expected the append to be recorded, not ${result.error.kind}`)
}

/** The number of events that `store` records for `append`, or its refusal. */
export const verdict = async (store: EventStore, append: Append): Promise<unknown> => {
  const result = await store.append(append)
  return result.isOk() ? result.value.length : result.error
}

/** The position of an event that must exist. */
export const positionOf = (event: RecordedEvent | undefined): Position => {
  demand(event !== undefined, 'an event')
  return event.position
}

/** All events of `store`. */
export const wholeLog = (store: EventStore): Promise<readonly RecordedEvent[]> =>
  store.readAll(0n, 1_000_000)
