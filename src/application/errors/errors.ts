import type { AlreadyExists, NotFound, ProofNotFound } from '../../domain/decider.js'
import type { LoginRefusal } from '../../domain/project/login.js'
import type { ObjectRef, Permission, PermissionTarget, StreamId } from '../../domain/values.js'
import type { Position, Version } from '../../ports/event-store.js'
import type { CorruptEvent, UnknownEvent } from '../../ports/known-event.js'
import type { SecretUnreadable } from '../../ports/secret-cipher.js'

/** Every error that a method may return. */
export type IamError = WriteError | LoginRefusal | AccessDenied

/** Errors that a method that reads may return. */
export type ReadError =
  | Unauthenticated
  | InvalidArgument
  | PermissionDenied
  | NotFound
  | Cancelled
  | Unavailable
  | UnknownEvent
  | CorruptEvent
  | SecretUnreadable
  | ProjectionFailed

/** Errors that a method that writes may return. */
export type WriteError =
  | ReadError
  | AlreadyExists
  | SequenceMismatch
  | Protected
  | PlanOutdated
  | IdempotencyKeyReused
  | Aborted
  | SourceFailed
  | ProofNotFound
  | NotConfigured

/** The context has no `caller`. HTTP status 401. */
export interface Unauthenticated {
  readonly kind: 'Unauthenticated'
}

/** One malformed field, or one that a warning is about. It never contains the field's value. */
export interface Violation {
  /** Path of the field, such as `roles[2].roleKey`; empty for the input as a whole. */
  readonly field: string
  /** The rule that the value breaks, in English, such as `must not be empty`. */
  readonly description: string
}

/** The input or the context is malformed. HTTP status 400. */
export interface InvalidArgument {
  readonly kind: 'InvalidArgument'
  /** At least one. */
  readonly violations: readonly Violation[]
}

/** The caller lacks a permission in the organization. HTTP status 403. */
export interface PermissionDenied {
  readonly kind: 'PermissionDenied'
  /** The missing permission. */
  readonly permission: Permission
  /** The organization in which it is missing. */
  readonly orgId: string
  /** The object that needed the permission, if there is one. Not enumerable: JSON and spread leave it out. */
  readonly object?: PermissionTarget
}

/**
 * The object belongs to a desired state: only `apply` with its `managedBy` may change it. If it does not protect the
 * object, this refuses only desired states with another `managedBy`. HTTP status 409.
 */
export interface Protected {
  readonly kind: 'Protected'
  /** The `managedBy` of that desired state. */
  readonly managedBy: string
  /** The object, by its type and ids. Not enumerable: JSON and spread leave it out. */
  readonly object?: ObjectRef
}

/** The user lacks the access that `access.require` was called for. HTTP status 403. */
export interface AccessDenied {
  readonly kind: 'AccessDenied'
  /** All reasons that apply; at least one. */
  readonly reasons: readonly AccessReason[]
  /** Keys of all roles that the user has in the project, sorted by code point. */
  readonly roleKeys: readonly string[]
}

/** Why a role does not count, or a user may not log in. */
export interface AccessReason {
  /**
   * - `ProjectNotFound`: the organization has no such project.
   * - `ProjectInactive`: the project was deactivated.
   * - `ProjectGrantMissing`: the project of another organization is not granted to this one, or does not exist.
   * - `ProjectGrantInactive`: the grant of the project was deactivated.
   * - `NoGrant`: the user has no grant of the project, and no group that gives the role or permission.
   * - `GrantInactive`: the user's grant was deactivated.
   * - `RoleNotGranted`: the user was not given the role, or their organization no longer has it.
   * - `RoleRemoved`: the role was removed after the user got it, even if it was added again.
   * - `PermissionNotGranted`: none of the user's roles has the permission.
   * - `Expired`: the role, or each role with the permission, was given until a time that has passed.
   * - `MembershipExpired`: the last report of the user's groups is older than the mapping's `validFor`.
   * - `ProviderInactive`: the identity provider of the user's group was deactivated.
   * - `Stale`: a live check does not follow the log at the moment, so it gives no other reason.
   */
  readonly kind:
    | 'ProjectNotFound'
    | 'ProjectInactive'
    | 'ProjectGrantMissing'
    | 'ProjectGrantInactive'
    | 'NoGrant'
    | 'GrantInactive'
    | 'RoleNotGranted'
    | 'RoleRemoved'
    | 'PermissionNotGranted'
    | 'Expired'
    | 'MembershipExpired'
    | 'ProviderInactive'
    | 'Stale'
}

/** The object has changed since `expectedSequence`. HTTP status 409. */
export interface SequenceMismatch {
  readonly kind: 'SequenceMismatch'
  /** The value from the input. */
  readonly expected: Position
  /** The current `details.sequence` of the object. */
  readonly actual: Position
}

/** A change of an object after a plan was made. */
export interface Moved {
  /** By its type and ids. */
  readonly object: ObjectRef
  /** How it changed. */
  readonly change: 'added' | 'changed' | 'removed'
}

/** Objects have changed since the plan was made. Plan again. Parts recorded before stay. HTTP status 409. */
export interface PlanOutdated {
  readonly kind: 'PlanOutdated'
  /** At least one. */
  readonly moved: readonly Moved[]
}

/** The idempotency key was used for another command. HTTP status 409. */
export interface IdempotencyKeyReused {
  readonly kind: 'IdempotencyKeyReused'
  /** The value from the input. */
  readonly idempotencyKey: string
}

/** The write was retried for ten seconds, while other writers kept changing the same objects. HTTP status 409. */
export interface Aborted {
  readonly kind: 'Aborted'
  /** How many times the write was tried. */
  readonly attempts: number
}

/**
 * The `signal` of the context was aborted. Nothing was written after that; what was written before stays. HTTP status
 * 499.
 */
export interface Cancelled {
  readonly kind: 'Cancelled'
}

/** A port of the host (store, read model, cipher, `authorize`) failed. HTTP status 503. */
export interface Unavailable {
  readonly kind: 'Unavailable'
  /** After `not_recorded` a retry is safe; after `unknown` it needs the same idempotency key. */
  readonly outcome: 'not_recorded' | 'unknown'
  /** How long to wait before a retry, in milliseconds; absent when the port does not say. */
  readonly retryAfter?: number
  /** The exception of the port. */
  readonly cause: unknown
}

/**
 * A projection threw twice at the same event. HTTP status 500. It stops before that event and continues with it when it
 * runs again; no event is skipped. A lost connection is `Unavailable` instead.
 */
export interface ProjectionFailed {
  readonly kind: 'ProjectionFailed'
  /** Name of the projection. */
  readonly projection: string
  /** Type of the event. */
  readonly type: string
  /** Position of the event. */
  readonly position: Position
  /** The exception of the projection. */
  readonly cause: unknown
}

/** The source of rows to import failed. Rows imported before stay; importing again continues. HTTP status 500. */
export interface SourceFailed {
  readonly kind: 'SourceFailed'
  /** Index of the row that could not be read. */
  readonly index: number
  /** The exception of the source. */
  readonly cause: unknown
}

/** `createIam` or the transport was called without an option that the method needs. HTTP status 409. */
export interface NotConfigured {
  readonly kind: 'NotConfigured'
  /** Name of the option; `testIdentityProvider` is an option of the transport. */
  readonly option: 'domains.resolveTxt' | 'domains.isPublicSuffix' | 'testIdentityProvider'
}

/** An {@link InvalidArgument} about one field. */
export const invalid = (field: string, description: string): InvalidArgument => ({
  kind: 'InvalidArgument',
  violations: [{ field, description }],
})

/** The first fault found in a log. `UnknownEvent` and `CorruptEvent` report an event's type or data. */
export type LogFault = PositionOutOfOrder | VersionOutOfOrder | SealBroken | LogChanged | ReadError

/** An event's position is not above the position of the event before it. */
export interface PositionOutOfOrder {
  readonly kind: 'PositionOutOfOrder'
  /** Position of the event. */
  readonly position: Position
  /** Position of the event before it. */
  readonly previous: Position
}

/** An event's version does not follow the version of the event before it in its stream. */
export interface VersionOutOfOrder {
  readonly kind: 'VersionOutOfOrder'
  /** Position of the event. */
  readonly position: Position
  /** Its stream. */
  readonly stream: StreamId
  /** Its version. */
  readonly version: Version
  /** The version it should have. */
  readonly expected: Version
}

/** An event contains a client secret that does not decrypt. */
export interface SealBroken {
  readonly kind: 'SealBroken'
  /** Position of the event. */
  readonly position: Position
  /** Its stream. */
  readonly stream: StreamId
  /** Why it does not decrypt. */
  readonly cause: SecretUnreadable
}

/** The log differs from a checkpoint: an event before it was changed, removed, inserted, moved or cut off. */
export interface LogChanged {
  readonly kind: 'LogChanged'
  /** Name of the key that signed the checkpoint. */
  readonly origin: string
  /** Number of events of the checkpoint. */
  readonly size: number
  /** How many events, from the first, agree with an earlier checkpoint; 0 without one. */
  readonly agreed: number
  /** Whether the log has fewer events than the checkpoint. */
  readonly isCut: boolean
}

/** The last event of the target is not in the source, so the target is not a copy of it. */
export interface DifferentLog {
  readonly kind: 'DifferentLog'
  /** The last position of the target. */
  readonly position: Position
}
