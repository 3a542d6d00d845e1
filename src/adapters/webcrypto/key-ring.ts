/** Bytes of an AES-256 key. */
const KEY_BYTES = 32

/** Without `.`, which ends the id in an envelope. */
const KEY_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/

/** The keys of a cipher. */
export interface KeyRing {
  /** Id of the key that seals. */
  readonly current: string
  readonly currentKey: () => Promise<CryptoKey>
  /** Undefined when there is no such key. */
  readonly key: (keyId: string) => Promise<CryptoKey> | undefined
}

const importKey = (bytes: Uint8Array<ArrayBuffer>): Promise<CryptoKey> =>
  crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt'])

const once = <Value>(make: () => Value): (() => Value) => {
  let made: { readonly value: Value } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** Not `instanceof`: in another realm, as in jsdom, a `Buffer` is no instance of its `Uint8Array`. */
const isBytes = (value: unknown): value is Uint8Array =>
  ArrayBuffer.isView(value) && Object.prototype.toString.call(value) === '[object Uint8Array]'

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

/**
 * Checks and copies the keys, and imports each at its first use, not extractable.
 *
 * @throws TypeError or RangeError that names the wrong option and shows nothing of a key
 */
export const keyRing = ({
  current,
  keys,
}: {
  readonly current?: string
  readonly keys?: Readonly<Record<string, Uint8Array>>
} = {}): KeyRing => {
  if (typeof keys !== 'object' || keys === null)
    throw new TypeError('keys must be an object of keys by key id')
  if (typeof current !== 'string') throw new TypeError('current must be a key id')

  const ring = new Map<string, () => Promise<CryptoKey>>()
  for (const [keyId, bytes] of Object.entries(keys)) {
    const copy = checkedKey(keyId, bytes)
    ring.set(
      keyId,
      once(() => importKey(copy)),
    )
  }
  const currentKey = ring.get(current)
  if (currentKey === undefined) throw new RangeError('current must be the id of one of keys')
  return { current, currentKey, key: (keyId) => ring.get(keyId)?.() }
}
