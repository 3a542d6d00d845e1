import type { EventStore, ReadModel } from 'claviger'

/** A log that was opened. */
export interface Opened {
  readonly store: EventStore
  readonly readModel: ReadModel
  readonly close: () => Promise<void>
}

/** Where a log is kept, and what goes wrong there. */
export interface Place extends AsyncDisposable {
  /** Opens the log as a program that starts would; several may have it open. */
  readonly open: () => Promise<Opened>
  /** Lets something go wrong; called about once a second. */
  readonly disturb: () => Promise<void>
  /** From now on nothing goes wrong by itself. */
  readonly calm: () => Promise<void>
  /** Connections to the log that a server holds; 0 where there is none. */
  readonly connections: () => Promise<number>
}

/** A store that is soaked. */
export interface Kind {
  readonly name: 'memory' | 'sqlite' | 'postgres'
  /** The log itself is on the heap, which is flat only from one log to the next. */
  readonly isOnHeap: boolean
  /** Makes an empty log. */
  readonly make: () => Promise<Place>
}
