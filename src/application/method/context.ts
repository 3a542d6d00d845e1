import type { Caller } from '../../ports/authorize.js'
import type { Position } from '../../ports/event-store.js'
import type { Observer } from '../observing/observer.js'

interface AnyContext {
  /** The user, as the host authenticated them; when absent, the call is refused as unauthenticated. */
  readonly caller: Caller | undefined
  /**
   * Organization that owns the objects, 1 to 64 characters as in `caller`; the caller's own when
   * absent. Spec: Authentication.
   */
  readonly orgId?: string | undefined
  /** A write is refused when the object's `details.sequence` differs. */
  readonly expectedSequence?: Position | undefined
  /**
   * 1 to 255 printable ASCII characters. A write is recorded at most once under a key; a repeat answers what was
   * recorded. A write that records nothing (it is refused, or changes nothing) does not use up its key: a repeat
   * is decided anew. All callers of an organization share its keys, for ever, so draw them at random.
   */
  readonly idempotencyKey?: string | undefined
  /**
   * `strong` (default): a read sees every write that completed before it began, in every process; it costs
   * one query of the store and, when there are new events, a catch-up. `eventual`: the read model as it is;
   * `Unavailable` when it was never fed.
   */
  readonly consistency?: 'strong' | 'eventual' | undefined
  /** Id by which the host traces the request; at most 255 characters, kept with the events. */
  readonly correlationId?: string | undefined
  /** Ends the call early; an append that was sent is waited for, and stays recorded. */
  readonly signal?: AbortSignal | undefined
}

/**
 * The caller, the organization and the options of a call. `undefined` counts as absent everywhere. Other own
 * properties of the object are refused, so that a misspelt one is not ignored.
 */
export interface Context extends AnyContext {
  /** `true` decides a write without recording it. */
  readonly dryRun?: false | undefined
}

/**
 * A {@link Context} in which writes are decided on fresh state and not recorded. The type of the answer depends
 * on `dryRun`, so its value has to be known to the compiler. For a flag that is only known at run time make two
 * calls: `dryRun ? add(input, { ...context, dryRun }) : add(input, context)`.
 */
export interface DryRunContext extends AnyContext {
  /** The write is decided as usual; nothing is recorded, and no idempotency key is used up. */
  readonly dryRun: true
}

/**
 * The context of a write: a {@link DryRunContext} where `dryRun` is `true`, otherwise a {@link Context}. A value
 * that may be either is not accepted.
 */
export type WriteContext<DryRun extends boolean> = Partial<Record<'dryRun', DryRun | undefined>> &
  ([DryRun] extends [true] ? DryRunContext : Context)

/** A call with a well-formed context. */
export interface AdmittedCall {
  /** Such as `projects.add`. */
  readonly method: string
  /** Absent when the host has no hooks. */
  readonly observer?: Observer | undefined
  /** The host's own object, for `authorize`: its fields may change during the call. */
  readonly caller: Caller
  /** `userId` of the caller when the call was made. */
  readonly actorId: string
  /** `orgId` of the caller when the call was made. */
  readonly actorOrgId: string
  readonly orgId: string
  readonly expectedSequence: Position | undefined
  readonly idempotencyKey: string | undefined
  readonly dryRun: boolean
  readonly consistency: 'strong' | 'eventual'
  readonly correlationId: string | undefined
  readonly signal: AbortSignal | undefined
  /** Of a long write: receives its progress. */
  readonly onProgress?: unknown
}
