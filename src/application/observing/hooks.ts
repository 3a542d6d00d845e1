import type { Position } from '../../ports/event-store.js'
import type { IamError, Unavailable } from '../errors/errors.js'

/**
 * Functions that the library calls as it works, for metrics, traces and logs of the host. Their arguments hold
 * no secret, no id of a person or of an object, and no text that a user entered.
 *
 * Hooks are called synchronously, in the asynchronous context of the call that they are about, so they should be
 * quick. What a hook throws or rejects with is ignored: hooks never change the outcome of a call.
 */
export interface Hooks {
  /** A method has answered. */
  readonly onCall?: ((call: CallDone) => void) | undefined
  /** Events were recorded. */
  readonly onAppend?: ((append: Appended) => void) | undefined
  /**
   * A decision could not be recorded: another writer was faster, the object to create exists already, or
   * the idempotency key was used before.
   */
  readonly onConflict?: ((conflict: Conflicted) => void) | undefined
  /** A write is decided anew after a conflict. */
  readonly onRetry?: ((retry: Retried) => void) | undefined
  /** A read model or a projection was fed a batch of events. */
  readonly onCatchUp?: ((batch: CaughtUp) => void) | undefined
  /** A port of the host, an event or a projection has a fault. */
  readonly onFault?: ((fault: FaultSeen) => void) | undefined
}

/** A method that has answered. */
export interface CallDone {
  /** Such as `projectRoles.add`. */
  readonly method: string
  /** `ok`, the kind of the error, or `threw` for a bug in the library or in an `onProgress`. */
  readonly verdict: 'ok' | IamError['kind'] | 'threw'
  /** In milliseconds. */
  readonly duration: number
  /** Number of decisions; 0 for a read, and for a call that was refused before. */
  readonly attempts: number
}

/** An append that was recorded. */
export interface Appended {
  /** The method that was called. */
  readonly method: string
  /** Types of the events, in order. */
  readonly types: readonly string[]
  /** Position of the last event. */
  readonly position: Position
  /** Time that the store took, in milliseconds. */
  readonly duration: number
}

/** An append that the store refused. */
export interface Conflicted {
  /** The method that was called. */
  readonly method: string
  /** A stream was changed or existed already, or the idempotency key was used before. */
  readonly kind: 'VersionConflict' | 'IdempotencyKeyUsed'
}

/** A write that is decided anew. */
export interface Retried {
  /** The method that was called. */
  readonly method: string
  /** 2 for the first repetition. */
  readonly attempt: number
}

/** A batch of events that was fed to a read model or a projection. */
export interface CaughtUp {
  /** Name of the projection. */
  readonly projection: string
  /** Events applied; 0 when another process was faster. */
  readonly events: number
  /** Age of the oldest of them, by the clock of this process, in milliseconds. */
  readonly lag: number
  /** Time that applying them took, in milliseconds. */
  readonly duration: number
}

/** Errors that concern the host and not the caller. */
export type FaultKind = Extract<
  IamError['kind'],
  'Unavailable' | 'UnknownEvent' | 'CorruptEvent' | 'SecretUnreadable' | 'ProjectionFailed'
>

/** A fault of a port, an event or a projection. */
export interface FaultSeen {
  /** The method that found it; also `subscribe`, `catchUp` or `run`. */
  readonly method: string
  /** Kind of the error. */
  readonly kind: FaultKind
  /** Whether the write is certain not to be recorded; of `Unavailable` only. */
  readonly outcome?: Unavailable['outcome']
  /**
   * Name and code of the error that a port threw, such as `Error` and `ECONNREFUSED`. Its message may hold
   * anything, so it is only in the answer of the method.
   */
  readonly cause?: {
    /** Name of its class. */
    readonly name: string
    /** Absent when it has none; for SQLite the result code, such as 13 for a full disk. */
    readonly code?: string | number
  }
  /** Position of the event that cannot be read or applied. */
  readonly position?: Position
}
