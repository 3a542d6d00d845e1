import type { EventRestore, EventStore } from '../../ports/event-store.js'
import type { Law } from '../law.js'

/** How the laws open a store. The caller of a law closes what it opened. */
export interface EventStoreHarness<Store extends EventStore = EventStore> {
  /** An empty store. */
  open(): Promise<Store>
  /**
   * A second handle on the data of `store`, as another process would have it: races are run on both.
   * In memory, the same store.
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
  /** Kills the program or server of `store`, and opens the data again. */
  crash(store: EventStore): Promise<EventStore>
}

/** One promise of the port `EventStore`. */
export type EventStoreLaw = Law<EventStoreHarness>

/** One promise of a store that takes its time from the host. */
export type EventClockLaw = Law<EventClockHarness>

/** One promise of the port `EventRestore`. */
export type EventRestoreLaw = Law<EventStoreHarness<EventStore & EventRestore>>

/** One promise of a store that outlives the program. */
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
