import type { Position } from '../../ports/event-store.js'
import type { IamError, Unavailable } from '../errors/errors.js'

/**
 * What a host is told as the library works, for its metrics, traces and logs. None of it holds a
 * secret, an id of a person or of an object, or text that anybody entered.
 *
 * Hooks are called at once, in the asynchronous context of the call they tell of, so they should be
 * quick. What a hook throws or rejects with is dropped: watching never changes what is watched.
 */
export interface Hooks {
  /** A method has its answer. */
  readonly onCall?: ((call: CallDone) => void) | undefined
  /** Events were recorded. */
  readonly onAppend?: ((append: Appended) => void) | undefined
  /**
   * What was decided could not be recorded: others were faster, the object that was to be created is
   * there already, or the idempotency key was used before.
   */
  readonly onConflict?: ((conflict: Conflicted) => void) | undefined
  /** A decision is taken anew after a conflict. */
  readonly onRetry?: ((retry: Retried) => void) | undefined
  /** A read model or a projection was fed a batch of events. */
  readonly onCatchUp?: ((batch: CaughtUp) => void) | undefined
  /** Something is out of order: what the host supplies, an event, or a projection. */
  readonly onFault?: ((fault: FaultSeen) => void) | undefined
}

/** A method that has its answer. */
export interface CallDone {
  /** Such as `projectRoles.add`. */
  readonly method: string
  /** `ok`, the kind of the error, or `threw` for a bug of the library or of an `onProgress`. */
  readonly verdict: 'ok' | IamError['kind'] | 'threw'
  /** In milliseconds. */
  readonly duration: number
  /** How often a decision was taken; 0 for a read, and for what was refused before any was. */
  readonly attempts: number
}

/** An append that was recorded. */
export interface Appended {
  /** The method that it was for. */
  readonly method: string
  /** Types of the events, in order. */
  readonly types: readonly string[]
  /** Position of the last event. */
  readonly position: Position
  /** What the store took for it, in milliseconds. */
  readonly duration: number
}

/** An append that the store refused. */
export interface Conflicted {
  /** The method that it was for. */
  readonly method: string
  /** Whether a stream had moved on or was there already, or the idempotency key was used before. */
  readonly kind: 'VersionConflict' | 'IdempotencyKeyUsed'
}

/** A decision that is taken anew. */
export interface Retried {
  /** The method that it is for. */
  readonly method: string
  /** 2 for the first that is taken anew. */
  readonly attempt: number
}

/** A batch of events that was fed to a read model or a projection. */
export interface CaughtUp {
  /** Name of the projection. */
  readonly projection: string
  /** Events applied; 0 when another process was faster. */
  readonly events: number
  /** How long the oldest of them had been waiting, by the clock of this process, in milliseconds. */
  readonly lag: number
  /** What it took to apply them, in milliseconds. */
  readonly duration: number
}

/** Errors that a host should look into, rather than its callers. */
export type FaultKind = Extract<
  IamError['kind'],
  'Unavailable' | 'UnknownEvent' | 'CorruptEvent' | 'SecretUnreadable' | 'ProjectionFailed'
>

/** Something that is out of order. */
export interface FaultSeen {
  /** The method that met it; `subscribe`, `catchUp` and `run` among them. */
  readonly method: string
  /** What is out of order. */
  readonly kind: FaultKind
  /** Whether the write was left unrecorded for certain; of `Unavailable` only. */
  readonly outcome?: Unavailable['outcome']
  /**
   * Name and code of the error that a port threw, such as `Error` and `ECONNREFUSED`; its message may
   * quote anything, and stays in the answer of the method.
   */
  readonly cause?: {
    /** Name of its class. */
    readonly name: string
    /** Absent when it has none; of SQLite its own result code, such as 13 for a full disk. */
    readonly code?: string | number
  }
  /** Where the event lies that cannot be read or applied. */
  readonly position?: Position
}
