import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { aesGcmCipher, type SealedSecret } from '../index.js'
import { Refused } from './refusal.js'

/** Longest time between `begin` and `finish`, in milliseconds. */
const LIFETIME = 600_000

/** Most characters of a sealed attempt. */
const MAX_LENGTH = 8_000

/** The values that `finish` needs from `begin`. */
export interface Attempt {
  readonly orgId: string
  readonly idpId: string
  readonly redirectUri: string
  /** Keyed hash of the provider's configuration. */
  readonly configuration: string
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  readonly returnTo?: string | undefined
  readonly projectId?: string | undefined
  readonly projectOrgId?: string | undefined
}

/** Encrypts attempts and hashes configurations with the host's key. */
export interface Sealing {
  readonly seal: (attempt: Attempt) => Promise<string>
  /** @throws Refused */
  readonly open: (sealed: unknown) => Promise<Attempt>
  readonly hash: (values: readonly unknown[]) => string
}

/** No id has a space, so an attempt opens as no client secret, even if a host encrypts both with the same key. */
const OWNER = { orgId: 'claviger', idpId: 'sign-in attempt' }

/** @see Sealing */
export const sealing = (given: Uint8Array): Sealing => {
  const key = new Uint8Array(given)
  const cipher = aesGcmCipher({ current: 'key', keys: { key } })
  return {
    seal: (attempt) =>
      cipher.seal(JSON.stringify({ ...attempt, until: Date.now() + LIFETIME }), OWNER),
    open: async (sealed) => {
      if (typeof sealed !== 'string' || sealed.length > MAX_LENGTH) throw tampered()
      // Cast: the cipher refuses what it has not sealed.
      const opened = await cipher.open(sealed as SealedSecret, OWNER)
      if (opened.isErr()) throw tampered()
      const { until, ...attempt } = JSON.parse(opened.value)
      if (Date.now() > until) throw new Refused({ kind: 'AttemptExpired' })
      return attempt
    },
    hash: (values) => {
      const text = JSON.stringify(['claviger configuration', ...values])
      return bytesToHex(hmac(sha256, key, utf8ToBytes(text)))
    },
  }
}

const tampered = (): Refused => new Refused({ kind: 'AttemptTampered' })
