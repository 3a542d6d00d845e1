import type { LoginRefusal } from '../../domain/project/login.js'
import type { AlreadyExists, NotFound } from '../../domain/refusals.js'
import type { ObjectRef } from '../../domain/values.js'
import type { Permission } from '../../ports/authorize.js'
import type { Position } from '../../ports/event-store.js'
import type { SecretUnreadable } from '../../ports/secret-cipher.js'
import type { CorruptEvent, UnknownEvent } from '../../ports/unreadable-event.js'

/** The context names no caller. */
export interface Unauthenticated {
  readonly kind: 'Unauthenticated'
}

/** What is wrong with one field; never repeats its value. */
export interface Violation {
  /** Path of the field, such as `roles[2].roleKey`; empty for the input as a whole. */
  readonly field: string
  /** What the value must be, in English. */
  readonly description: string
}

/** Input or context is malformed. Spec: Errors, status 400. */
export interface InvalidArgument {
  readonly kind: 'InvalidArgument'
  /** At least one. */
  readonly violations: readonly Violation[]
}

/** The caller lacks a permission in the organization. Spec: Errors, status 403. */
export interface PermissionDenied {
  readonly kind: 'PermissionDenied'
  /** The one that is lacking. */
  readonly permission: Permission
  /** The organization that it is lacking in. */
  readonly orgId: string
}

/** The object has changed since `expectedSequence`. Spec: Errors, status 409. */
export interface SequenceMismatch {
  readonly kind: 'SequenceMismatch'
  /** As given. */
  readonly expected: Position
  /** `details.sequence` of the object as it is. */
  readonly actual: Position
}

/** What became of an object since a plan saw it. */
export interface Moved {
  /** By its type and ids. */
  readonly object: ObjectRef
  /** What happened to it. */
  readonly change: 'added' | 'changed' | 'removed'
}

/**
 * The world has moved on since the plan was made: plan again. What was recorded of the plan before
 * that was found stays.
 */
export interface PlanOutdated {
  readonly kind: 'PlanOutdated'
  /** At least one. */
  readonly moved: readonly Moved[]
}

/** Another command was recorded under this idempotency key. */
export interface IdempotencyKeyReused {
  readonly kind: 'IdempotencyKeyReused'
  /** As given. */
  readonly idempotencyKey: string
}

/** Others kept changing the same objects, for the ten seconds in which the decision was taken anew. */
export interface Aborted {
  readonly kind: 'Aborted'
  /** How often it was taken. */
  readonly attempts: number
}

/**
 * The `signal` of the context ended the call; no append was sent since it aborted. Of a call that
 * makes several, those that were sent before stand.
 */
export interface Cancelled {
  readonly kind: 'Cancelled'
}

/** Something that the host supplies (store, read model, cipher, `authorize`) is out of order. */
export interface Unavailable {
  readonly kind: 'Unavailable'
  /** Only after `not_recorded` a blind retry is safe; after `unknown`, retry with an idempotency key. */
  readonly outcome: 'not_recorded' | 'unknown'
  /** How long to wait before another try, in milliseconds; absent when the port does not say. */
  readonly retryAfter?: number
  /** What it threw or rejected with. */
  readonly cause: unknown
}

/**
 * A projection threw at an event, twice, and not for a lost connection or the like: that is `Unavailable`.
 * It stays right before the event; nothing was skipped, and running it again begins with that event.
 */
export interface ProjectionFailed {
  readonly kind: 'ProjectionFailed'
  /** Name of the projection. */
  readonly projection: string
  /** Type of the event. */
  readonly type: string
  /** Where the event lies. */
  readonly position: Position
  /** What the projection threw or rejected with. */
  readonly cause: unknown
}

/** The source of rows to import failed. What was added before stays; importing again goes on. */
export interface SourceFailed {
  readonly kind: 'SourceFailed'
  /** Of the row that the source did not give. */
  readonly index: number
  /** What the source threw or rejected with. */
  readonly cause: unknown
}

/** Every reason for which a method may not do what it was asked. */
export type IamError =
  | Unauthenticated
  | InvalidArgument
  | PermissionDenied
  | NotFound
  | AlreadyExists
  | SequenceMismatch
  | PlanOutdated
  | IdempotencyKeyReused
  | Aborted
  | Cancelled
  | Unavailable
  | UnknownEvent
  | CorruptEvent
  | SecretUnreadable
  | ProjectionFailed
  | SourceFailed
  | LoginRefusal

/** An {@link InvalidArgument} about one field. */
export const invalid = (field: string, description: string): InvalidArgument => ({
  kind: 'InvalidArgument',
  violations: [{ field, description }],
})
