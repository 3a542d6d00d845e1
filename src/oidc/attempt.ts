import { Refused } from './refusal.js'

/** Longest time between `begin` and `finish`, in milliseconds. */
const LIFETIME = 600_000

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
  /** `finish` refuses it. */
  readonly isPreview?: boolean | undefined
}

const COOKIE = '__Host-sign-in'

/** `set-cookie` that keeps an attempt as long as it is valid, or deletes it. */
export const attemptCookie = (attempt: string | undefined): string =>
  `${COOKIE}=${attempt ?? ''}; Path=/; Max-Age=${attempt ? LIFETIME / 1_000 : 0}; HttpOnly; Secure; SameSite=Lax`

/** The attempt in the cookies of a request. */
export const attemptIn = (cookies: string | null): string | undefined =>
  new RegExp(`(?:^|;\\s*)${COOKIE}=([^;]*)`).exec(cookies ?? '')?.[1]

/** Encrypts attempts and hashes configurations with the host's key. */
export interface Sealing {
  readonly seal: (attempt: Attempt) => Promise<string>
  /** @throws Refused */
  readonly open: (sealed: unknown) => Promise<Attempt>
  readonly hash: (values: readonly unknown[]) => Promise<string>
}

const encoder = new TextEncoder()
const additionalData = encoder.encode('claviger sign-in attempt')

const toText = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

const fromText = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) =>
    letter.charCodeAt(0),
  )

/** @see Sealing */
export const sealing = (key: Uint8Array): Sealing => {
  const bytes = new Uint8Array(key)
  const aes = () => crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt'])
  const hmac = { name: 'HMAC', hash: 'SHA-256' }
  return {
    seal: async (attempt) => {
      const iv = crypto.getRandomValues(new Uint8Array(12))
      const plain = encoder.encode(JSON.stringify({ ...attempt, until: Date.now() + LIFETIME }))
      const sealed = await crypto.subtle.encrypt(
        { name: 'AES-GCM', iv, additionalData },
        await aes(),
        plain,
      )
      return toText(new Uint8Array([...iv, ...new Uint8Array(sealed)]))
    },
    open: async (sealed) => {
      if (typeof sealed !== 'string' || !/^[\w-]{40,8000}$/.test(sealed)) throw tampered()
      const opened = await opening(sealed, await aes())
      const { until, ...attempt } = JSON.parse(opened)
      if (Date.now() > until) throw new Refused({ kind: 'AttemptExpired' })
      return attempt
    },
    hash: async (values) => {
      const signing = await crypto.subtle.importKey('raw', bytes, hmac, false, ['sign'])
      const text = encoder.encode(JSON.stringify(['claviger configuration', ...values]))
      return toText(new Uint8Array(await crypto.subtle.sign(hmac, signing, text)))
    },
  }
}

const tampered = (): Refused => new Refused({ kind: 'AttemptTampered' })

const opening = async (sealed: string, key: CryptoKey): Promise<string> => {
  try {
    const bytes = fromText(sealed)
    const algorithm = { name: 'AES-GCM', iv: bytes.subarray(0, 12), additionalData }
    return new TextDecoder().decode(await crypto.subtle.decrypt(algorithm, key, bytes.subarray(12)))
  } catch {
    throw tampered()
  }
}
