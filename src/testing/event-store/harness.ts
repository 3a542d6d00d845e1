import type { EventRestore, EventStore } from '../../ports/event-store.js'
import type { Law } from '../law.js'

/** How the laws get at a store. What is opened stays open until the caller of a law closes it. */
export interface EventStoreHarness<Store extends EventStore = EventStore> {
  /** An empty store. */
  open(): Promise<Store>
  /**
   * A second handle on what `store` holds, as another process would have it: races are run over
   * both. In memory, the same store.
   */
  reopen(store: Store): Promise<Store>
}

/** How the laws of time get at a store that takes its time from the host. */
export interface EventClockHarness {
  /** An empty store that reads the time from `now`. */
  openAt(now: () => Date): Promise<EventStore>
}

/** How the laws of recovery get at a store that outlives the program. */
export interface EventRecoveryHarness {
  /** An empty store. */
  open(): Promise<EventStore>
  /** Ends the program or server behind `store` without warning, and opens what it leaves behind. */
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
