import type { LoginRefusal } from '../domain/project/login.js'
import type { AlreadyExists, NotFound } from '../domain/refusals.js'
import type { Permission } from '../ports/authorize.js'
import type { Position } from '../ports/event-store.js'
import type { SecretUnreadable } from '../ports/secret-cipher.js'
import type { CorruptEvent, UnknownEvent } from '../ports/unreadable-event.js'

/** The context names no caller. */
export interface Unauthenticated {
  readonly kind: 'Unauthenticated'
}

/** What is wrong with one field; never repeats its value. */
export interface Violation {
  /** Path of the field, such as `roles[2].roleKey`; empty for the input as a whole. */
  readonly field: string
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
  readonly permission: Permission
  readonly orgId: string
}

/** The object has changed since `expectedSequence`. Spec: Errors, status 409. */
export interface SequenceMismatch {
  readonly kind: 'SequenceMismatch'
  readonly expected: Position
  readonly actual: Position
}

/** Another command was recorded under this idempotency key. */
export interface IdempotencyKeyReused {
  readonly kind: 'IdempotencyKeyReused'
  readonly idempotencyKey: string
}

/** Others kept changing the same objects, however often the decision was taken anew. */
export interface Aborted {
  readonly kind: 'Aborted'
  readonly attempts: number
}

/** The `signal` of the context ended the call; nothing was recorded. */
export interface Cancelled {
  readonly kind: 'Cancelled'
}

/** Something that the host supplies (store, read model, cipher, `authorize`) is out of order. */
export interface Unavailable {
  readonly kind: 'Unavailable'
  /** Only after `not_recorded` a blind retry is safe; after `unknown`, retry with an idempotency key. */
  readonly outcome: 'not_recorded' | 'unknown'
  readonly cause: unknown
}

/**
 * A projection threw at an event. It stays right before it; nothing was skipped, and running it
 * again begins with that event.
 */
export interface ProjectionFailed {
  readonly kind: 'ProjectionFailed'
  /** Name of the projection. */
  readonly projection: string
  /** Type of the event. */
  readonly type: string
  readonly position: Position
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
  | IdempotencyKeyReused
  | Aborted
  | Cancelled
  | Unavailable
  | UnknownEvent
  | CorruptEvent
  | SecretUnreadable
  | ProjectionFailed
  | LoginRefusal

/** An {@link InvalidArgument} about one field. */
export const invalid = (field: string, description: string): InvalidArgument => ({
  kind: 'InvalidArgument',
  violations: [{ field, description }],
})
