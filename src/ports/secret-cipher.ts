import type { Result } from 'neverthrow'
import type { SealedSecret } from '../domain/values.js'

/** The identity provider that a secret belongs to. A sealed secret decrypts only for its own provider. */
export interface SecretOwner {
  /** The organization of the provider. */
  readonly orgId: string
  /** Id of the provider. */
  readonly idpId: string
}

/** A sealed secret that cannot be decrypted. HTTP status 500. */
export interface SecretUnreadable {
  readonly kind: 'SecretUnreadable'
  /**
   * `unknown_key`: the key is not in the ring. `tampered`: another key has the id, or the secret was altered or sealed
   * for another owner.
   */
  readonly reason: 'unknown_key' | 'tampered'
  /** Absent if the sealed secret does not name a key. */
  readonly keyId?: string
}

/**
 * Encrypts client secrets before they are stored. Rejects only when it cannot work; the error must not contain a
 * secret, because operators see it.
 */
export interface SecretCipher {
  /** Encrypts `secret` for `owner` with the current key. */
  seal(secret: string, owner: SecretOwner): Promise<SealedSecret>

  /** Decrypts a secret that was sealed for the same owner. */
  open(sealed: SealedSecret, owner: SecretOwner): Promise<Result<string, SecretUnreadable>>

  /** Whether it is encrypted with the current key; `resealSecrets` encrypts all others again. */
  isCurrent(sealed: SealedSecret): boolean
}
