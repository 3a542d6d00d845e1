import type { Result } from 'neverthrow'
import type { SealedSecret } from '../domain/values.js'

/** The identity provider that a secret belongs to; a seal opens for no other. */
export interface SecretOwner {
  /** The organization of the provider. */
  readonly orgId: string
  /** Id of the provider. */
  readonly idpId: string
}

/** A sealed secret that cannot be opened. */
export interface SecretUnreadable {
  readonly kind: 'SecretUnreadable'
  /** Its key is unknown; or it was changed, or sealed for another owner. */
  readonly reason: 'unknown_key' | 'tampered'
  /** Absent when the sealed secret names no key. */
  readonly keyId?: string
}

/**
 * Encrypts client secrets before they are stored. Rejects only when it cannot work; the error must not contain a
 * secret, because operators see it.
 */
export interface SecretCipher {
  /** Seals `secret` for `owner` with the current key. */
  seal(secret: string, owner: SecretOwner): Promise<SealedSecret>

  /** Opens a secret that was sealed for the same owner. */
  open(sealed: SealedSecret, owner: SecretOwner): Promise<Result<string, SecretUnreadable>>

  /** Whether the current key sealed it; `resealSecrets` seals all others again. */
  isCurrent(sealed: SealedSecret): boolean
}
