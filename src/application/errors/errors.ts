import type { AlreadyExists, NotFound, ProofNotFound } from '../../domain/decider.js'
import type { LoginRefusal } from '../../domain/project/login.js'
import type { ObjectRef, Permission, StreamId } from '../../domain/values.js'
import type { Position, Version } from '../../ports/event-store.js'
import type { CorruptEvent, UnknownEvent } from '../../ports/known-event.js'
import type { SecretUnreadable } from '../../ports/secret-cipher.js'

/** Every error that a method may answer with. */
export type IamError = WriteError | LoginRefusal | AccessDenied

/** What a method that reads may answer with. */
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

/** What a method that writes may answer with. */
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

/** The context names no caller. */
export interface Unauthenticated {
  readonly kind: 'Unauthenticated'
}

/** What is wrong with one field; never holds its value. */
export interface Violation {
  /** Path of the field, such as `roles[2].roleKey`; empty for the input as a whole. */
  readonly field: string
  /** What the value must be, in English. */
  readonly description: string
}

/** The input or the context is malformed. Spec: Errors, status 400. */
export interface InvalidArgument {
  readonly kind: 'InvalidArgument'
  /** At least one. */
  readonly violations: readonly Violation[]
}

/** The caller lacks a permission in the organization. Spec: Errors, status 403. */
export interface PermissionDenied {
  readonly kind: 'PermissionDenied'
  /** The missing permission. */
  readonly permission: Permission
  /** The organization in which it is missing. */
  readonly orgId: string
}

/** A desired state protects the object, so that only `apply` under its `managedBy` may change it. */
export interface Protected {
  readonly kind: 'Protected'
  /** Of the desired state that declares the object. */
  readonly managedBy: string
}

/** The user does not have the access that `access.require` was asked for. Spec: Errors, status 403. */
export interface AccessDenied {
  readonly kind: 'AccessDenied'
  /** All that apply; at least one. */
  readonly reasons: readonly AccessReason[]
  /** Keys of all roles of the project that count for the user, in the order of code points. */
  readonly roleKeys: readonly string[]
}

/** Why a role does not count, or a user may not log in. */
export interface AccessReason {
  /**
   * - `ProjectNotFound`: the organization has no such project.
   * - `ProjectInactive`: the project was deactivated.
   * - `ProjectGrantMissing`: the project of another organization is not granted to this one, or does not exist.
   * - `ProjectGrantInactive`: the grant of the project was deactivated.
   * - `NoGrant`: the user has no grant of the project, nor a group that gives what is asked for.
   * - `GrantInactive`: the grant of the user was deactivated.
   * - `RoleNotGranted`: the user was not given the role, or the organization is no longer granted it.
   * - `RoleRemoved`: the role was removed since the user was given it, even if it was added again.
   * - `PermissionNotGranted`: no role that the user was given has the permission.
   * - `Expired`: the role, or each role with the permission, was given until a time that is over.
   * - `MembershipExpired`: the last report of the user's groups is older than the mapping lets it count.
   * - `ProviderInactive`: the identity provider of the user's group was deactivated.
   * - `Stale`: a live check could not follow the log, so it says nothing else.
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

/** The object has changed since `expectedSequence`. Spec: Errors, status 409. */
export interface SequenceMismatch {
  readonly kind: 'SequenceMismatch'
  /** As given. */
  readonly expected: Position
  /** The current `details.sequence` of the object. */
  readonly actual: Position
}

/** A change of an object after a plan was made. */
export interface Moved {
  /** By its type and ids. */
  readonly object: ObjectRef
  /** What happened to it. */
  readonly change: 'added' | 'changed' | 'removed'
}

/** Objects have changed since the plan was made: plan again. Parts of the plan that were recorded before stay. */
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

/** Other writers kept changing the same objects for ten seconds, in which the write was retried. */
export interface Aborted {
  readonly kind: 'Aborted'
  /** Number of decisions. */
  readonly attempts: number
}

/**
 * The `signal` of the context ended the call; no append was sent after it aborted. Appends that were sent
 * before stay recorded.
 */
export interface Cancelled {
  readonly kind: 'Cancelled'
}

/** A port of the host (store, read model, cipher, `authorize`) cannot do its work. */
export interface Unavailable {
  readonly kind: 'Unavailable'
  /** A retry is safe after `not_recorded`; after `unknown` only with the same idempotency key. */
  readonly outcome: 'not_recorded' | 'unknown'
  /** How long to wait before a retry, in milliseconds; absent when the port does not say. */
  readonly retryAfter?: number
  /** What the port threw or rejected with. */
  readonly cause: unknown
}

/**
 * A projection threw at an event, twice, and not because of a lost connection or the like: that is `Unavailable`.
 * It stays right before the event; none was skipped, and running it again begins with that event.
 */
export interface ProjectionFailed {
  readonly kind: 'ProjectionFailed'
  /** Name of the projection. */
  readonly projection: string
  /** Type of the event. */
  readonly type: string
  /** Position of the event. */
  readonly position: Position
  /** What the projection threw or rejected with. */
  readonly cause: unknown
}

/** The source of rows to import failed. Roles that were added before stay; importing again continues. */
export interface SourceFailed {
  readonly kind: 'SourceFailed'
  /** Index of the row that could not be read. */
  readonly index: number
  /** What the source threw or rejected with. */
  readonly cause: unknown
}

/** The host has not supplied what the method needs: `createIam`, or the transport, was called without the option. */
export interface NotConfigured {
  readonly kind: 'NotConfigured'
  /** Name of the option; the last is one of the transport. */
  readonly option: 'domains.resolveTxt' | 'domains.isPublicSuffix' | 'testIdentityProvider'
}

/** An {@link InvalidArgument} about one field. */
export const invalid = (field: string, description: string): InvalidArgument => ({
  kind: 'InvalidArgument',
  violations: [{ field, description }],
})

/** The first fault that was found in a log. `UnknownEvent` and `CorruptEvent` are about types and data. */
export type LogFault = PositionOutOfOrder | VersionOutOfOrder | SealBroken | LogChanged | ReadError

/** An event whose position does not lie above that of the event before it. */
export interface PositionOutOfOrder {
  readonly kind: 'PositionOutOfOrder'
  /** Position of the event. */
  readonly position: Position
  /** Position of the event before it. */
  readonly previous: Position
}

/** An event whose version does not follow that of the event before it in its stream. */
export interface VersionOutOfOrder {
  readonly kind: 'VersionOutOfOrder'
  /** Position of the event. */
  readonly position: Position
  /** Its stream. */
  readonly stream: StreamId
  /** Its version. */
  readonly version: Version
  /** The version that follows the event before it. */
  readonly expected: Version
}

/** An event that holds a client secret whose seal does not open. */
export interface SealBroken {
  readonly kind: 'SealBroken'
  /** Position of the event. */
  readonly position: Position
  /** Its stream. */
  readonly stream: StreamId
  /** Why it does not open. */
  readonly cause: SecretUnreadable
}

/** The log differs from a checkpoint: an event before it was changed, removed, inserted, moved or cut off. */
export interface LogChanged {
  readonly kind: 'LogChanged'
  /** Origin of the checkpoint: the name of the key that signed it. */
  readonly origin: string
  /** Number of events of the checkpoint. */
  readonly size: number
  /** Number of events, from the first, that agree with an earlier checkpoint; 0 without one. */
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
