import type { Result } from 'neverthrow'
import type { SealedSecret } from '../domain/values.js'

/** The identity provider that a secret belongs to; a seal opens for no other. */
export interface SecretOwner {
  /** The organization of the provider. */
  readonly orgId: string
  /** Id of the provider. */
  readonly idpId: string
}

/** A seal that cannot be opened. */
export interface SecretUnreadable {
  readonly kind: 'SecretUnreadable'
  /** Its key is not in the key ring; or it is not as it was sealed, or not for this owner. */
  readonly reason: 'unknown_key' | 'tampered'
  /** Absent when the seal does not even name one. */
  readonly keyId?: string
}

/**
 * Encrypts client secrets before they are stored. Rejects only when it cannot work, with nothing secret in the
 * error: operators see it.
 */
export interface SecretCipher {
  /** Seals `secret` for `owner` with the current key. */
  seal(secret: string, owner: SecretOwner): Promise<SealedSecret>

  /** Opens what was sealed for the same owner. */
  open(sealed: SealedSecret, owner: SecretOwner): Promise<Result<string, SecretUnreadable>>

  /** Whether the current key sealed it; if not, `resealSecrets` seals it anew. */
  isCurrent(sealed: SealedSecret): boolean
}
