import { err, ok } from 'neverthrow'
import { fromBase64url, toBase64url } from '../../domain/encoding.js'
import { fieldOf, SealedSecret } from '../../domain/values.js'
import type { SecretCipher, SecretOwner } from '../../ports/secret-cipher.js'

/** Version of the envelope: `aes1.<key id>.<base64url of IV, cipher text and tag>`. */
const FORMAT = 'aes1'
const ENVELOPE = /^aes1\.([A-Za-z0-9][A-Za-z0-9_-]{0,63})\.([A-Za-z0-9_-]*)$/

const IV_BYTES = 12
const TAG_BYTES = 16

/**
 * Creates a cipher that encrypts client secrets with AES-256-GCM and a random IV of 96 bits, bound to organization and
 * identity provider. To change keys, add a key, make it `current`, and run `resealSecrets`; only then remove the old
 * one. Runs wherever WebCrypto is available. Keys are copied, and no method returns them.
 *
 * @throws TypeError when an option is missing or of a wrong type
 * @throws RangeError when a key does not have 32 bytes, a key id has other characters, or `current` is not the id of a
 *   key
 */
export const aesGcmCipher = (options: {
  /** Id of the key to encrypt with. */
  readonly current: string
  /**
   * 32 random bytes each, by key id: 1 to 64 letters, digits, `_` or `-`, starting with a letter or
   * digit; the id is stored in plain text with every secret.
   */
  readonly keys: Readonly<Record<string, Uint8Array>>
}): SecretCipher => {
  const { current, keys }: Partial<typeof options> = options ?? {}
  if (typeof keys !== 'object' || keys === null)
    throw new TypeError('keys must be an object of keys by key id')
  if (typeof current !== 'string') throw new TypeError('current must be a key id')
  const ring = new Map<string, () => Promise<CryptoKey>>()
  for (const [keyId, bytes] of Object.entries(keys))
    ring.set(keyId, importedOnce(checkedKey(keyId, bytes)))
  const currentKey = ring.get(current)
  if (currentKey === undefined) throw new RangeError('current must be the id of one of keys')
  /** Prefix of everything that the current key encrypts. */
  const prefix = `${FORMAT}.${current}.`
  return {
    async seal(secret, owner) {
      const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES))
      const plain = encoder.encode(secret)
      const cipherText = await crypto.subtle.encrypt(
        algorithm(iv, owner),
        await currentKey(),
        plain,
      )
      const envelope = new Uint8Array([...iv, ...new Uint8Array(cipherText)])
      return SealedSecret.parse(prefix + toBase64url(envelope))
    },
    async open(sealed, owner) {
      const [, keyId, encoded] = ENVELOPE.exec(sealed) ?? []
      if (keyId === undefined || encoded === undefined)
        return err({ kind: 'SecretUnreadable', reason: 'tampered' })
      const opening = await ring.get(keyId)?.()
      if (opening === undefined)
        return err({ kind: 'SecretUnreadable', reason: 'unknown_key', keyId })
      const plain = await decrypt(opening, fromBase64url(encoded), owner)
      if (plain === undefined) return err({ kind: 'SecretUnreadable', reason: 'tampered', keyId })
      return ok(plain)
    },
    isCurrent: (sealed) => sealed.startsWith(prefix),
  }
}

const encoder = new TextEncoder()
/** Without `ignoreBOM`, text that begins with U+FEFF would lose its first character. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

const algorithm = (iv: Uint8Array<ArrayBuffer>, { orgId, idpId }: SecretOwner): AesGcmParams => ({
  name: 'AES-GCM',
  iv,
  // A JSON list, so that no two owners have the same encoding.
  additionalData: encoder.encode(JSON.stringify(['claviger client secret', orgId, idpId])),
  tagLength: TAG_BYTES * 8,
})

/** The secret in `envelope`; undefined when it was not sealed with `key` for `owner`. */
const decrypt = async (
  key: CryptoKey,
  envelope: Uint8Array<ArrayBuffer> | undefined,
  owner: SecretOwner,
): Promise<string | undefined> => {
  // For short input, engines throw different errors.
  if (envelope === undefined || envelope.length < IV_BYTES + TAG_BYTES) return undefined
  const iv = envelope.subarray(0, IV_BYTES)
  const cipherText = envelope.subarray(IV_BYTES)
  try {
    return decoder.decode(await crypto.subtle.decrypt(algorithm(iv, owner), key, cipherText))
  } catch (cause) {
    // Not by `instanceof`: if WebCrypto is of another realm, as under Jest, its errors are too.
    if (fieldOf(cause, 'name') === 'OperationError') return undefined
    throw cause
  }
}

/** Bytes of an AES-256 key. */
const KEY_BYTES = 32

/** Without `.`, which ends the id in an envelope. */
const KEY_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/

/** Imports a key at its first use, not extractable. */
const importedOnce = (bytes: Uint8Array<ArrayBuffer>) => {
  let imported: Promise<CryptoKey> | undefined
  return () => {
    imported ??= crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt'])
    return imported
  }
}

// No message repeats a given value: it could be a key in the wrong place.
const checkedKey = (keyId: string, bytes: unknown): Uint8Array<ArrayBuffer> => {
  if (!KEY_ID.test(keyId))
    throw new RangeError(
      'keys: a key id must be 1 to 64 letters, digits, _ or -, starting with a letter or digit',
    )
  if (!isBytes(bytes)) throw new TypeError(`keys.${keyId} must be a Uint8Array`)
  if (bytes.length !== KEY_BYTES) throw new RangeError(`keys.${keyId} must be ${KEY_BYTES} bytes`)
  // The constructor copies, where `slice` of a Node.js Buffer would not.
  return new Uint8Array(bytes)
}

/** Not `instanceof`: in another realm, as in jsdom, a `Buffer` is not an instance of its `Uint8Array`. */
const isBytes = (value: unknown): value is Uint8Array =>
  ArrayBuffer.isView(value) && Object.prototype.toString.call(value) === '[object Uint8Array]'
