import type { DomainRef, ObjectRef } from './values.js'

/** No such object in the organization, or one that was removed. Spec: Errors, status 404. */
export interface NotFound<Ref extends ObjectRef = ObjectRef> {
  readonly kind: 'NotFound'
  /** By its type and ids. */
  readonly object: Ref
}

/**
 * Another object has this id or key; an id stays taken when its object is removed, a role's key
 * does not. Spec: Project role, "unique within the project"; its status is not shown.
 */
export interface AlreadyExists<Ref extends ObjectRef = ObjectRef> {
  readonly kind: 'AlreadyExists'
  /** By its type and ids. */
  readonly object: Ref
}

/** The challenge of a domain is not published: the organization is not shown to own it. */
export interface ProofNotFound {
  readonly kind: 'ProofNotFound'
  /** Which domain. */
  readonly object: DomainRef
  /** Where the challenge must stand, as a TXT record. */
  readonly recordName: string
}
