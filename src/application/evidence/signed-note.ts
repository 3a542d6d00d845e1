import { sha256 } from '@noble/hashes/sha2.js'
import { fromBase64, fromBase64url, toBase64 } from '../../domain/encoding.js'

/** A new key pair, as text. */
export interface SignerKey {
  /** `PRIVATE+KEY+<name>+<hash>+<seed>`: a secret. */
  readonly signer: string
  /** `<name>+<hash>+<public key>`: the key to verify with. */
  readonly verifier: string
}

/**
 * Draws a key that signs checkpoints of a log: Ed25519, in the format of transparency logs (C2SP signed-note).
 *
 * @param name the origin of the log, such as `acme.example/iam`: 1 to 200 characters without spaces and `+`
 * @throws TypeError for another name
 */
export const generateSignerKey = async (name: string): Promise<SignerKey> => {
  if (!isName(name))
    throw new TypeError('name must be 1 to 200 characters without spaces and without +')
  const seed = crypto.getRandomValues(new Uint8Array(KEY_BYTES))
  const publicKey = await publicKeyOf(seed)
  const id = idOf(name, publicKey)
  return {
    signer: `${PREFIX}${keyText(name, id, seed)}`,
    verifier: keyText(name, id, publicKey),
  }
}

/** A key that was read: its name, its four-byte id in notes, and 32 bytes of key. */
export interface NoteKey {
  readonly name: string
  readonly id: Uint8Array<ArrayBuffer>
  readonly key: Uint8Array<ArrayBuffer>
}

/** Reads the key that checks signatures; undefined unless `text` is one. */
export const readVerifier = (text: unknown): NoteKey | undefined => {
  const key = typeof text === 'string' ? readKey(text) : undefined
  return key && isSameId(key.id, idOf(key.name, key.key)) ? key : undefined
}

/** Reads the key that signs, with its verifier; undefined unless `text` is one. */
export const readSigner = async (
  text: unknown,
): Promise<{ readonly seed: NoteKey; readonly verifier: NoteKey } | undefined> => {
  if (typeof text !== 'string' || !text.startsWith(PREFIX)) return undefined
  const seed = readKey(text.slice(PREFIX.length))
  if (!seed) return undefined
  const key = await publicKeyOf(seed.key)
  const id = idOf(seed.name, key)
  return isSameId(id, seed.id) ? { seed, verifier: { name: seed.name, id, key } } : undefined
}

/** Signs a text, which ends in a line break (C2SP signed-note). */
export const signNote = async (text: string, seed: NoteKey): Promise<string> => {
  const bytes = new TextEncoder().encode(text)
  const signature = await crypto.subtle.sign('Ed25519', await privateKeyOf(seed.key), bytes)
  const signed = Uint8Array.of(...seed.id, ...new Uint8Array(signature))
  return `${text}\n\u2014 ${seed.name} ${toBase64(signed)}\n`
}

/** The text of a note, when a key of `keys` has signed it; signatures of other keys do not matter. */
export const openNote = async (
  note: string,
  keys: readonly NoteKey[],
): Promise<string | undefined> => {
  const end = note.lastIndexOf('\n\n')
  if (end < 0 || !note.endsWith('\n')) return undefined
  const text = note.slice(0, end + 1)
  for (const line of note.slice(end + 2, -1).split('\n'))
    for (const key of keys) if (await isSignedBy(text, line, key)) return text
  return undefined
}

const isSignedBy = async (text: string, line: string, { name, id, key }: NoteKey) => {
  const [, signer, encoded = ''] = /^\u2014 (\S+) (\S+)$/.exec(line) ?? []
  const signed = fromBase64(encoded)
  if (signer !== name || signed?.length !== 68) return false
  if (!id.every((byte, index) => byte === signed[index])) return false
  const publicKey = await crypto.subtle.importKey('raw', key, 'Ed25519', false, ['verify'])
  const bytes = new TextEncoder().encode(text)
  return crypto.subtle.verify('Ed25519', publicKey, signed.slice(4), bytes)
}

/** Names of keys: the origin of a log. */
const NAME = /^[^\s+\p{Cc}]{1,200}$/u

const isName = (name: unknown): name is string => typeof name === 'string' && NAME.test(name)

const PREFIX = 'PRIVATE+KEY+'

/** Ed25519 among the algorithms of signed notes. */
const ALGORITHM = 1
const KEY_BYTES = 32

const KEY_TEXT = /^([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/

const keyText = (name: string, id: Uint8Array, key: Uint8Array): string =>
  `${name}+${inHex(id)}+${toBase64(Uint8Array.of(ALGORITHM, ...key))}`

const readKey = (text: string): NoteKey | undefined => {
  const [, name, id = '', encoded = ''] = KEY_TEXT.exec(text) ?? []
  const bytes = fromBase64(encoded)
  if (!isName(name) || bytes?.length !== KEY_BYTES + 1 || bytes[0] !== ALGORITHM) return undefined
  const idBytes = Uint8Array.from(id.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
  return { name, id: idBytes, key: bytes.slice(1) }
}

const idOf = (name: string, publicKey: Uint8Array): Uint8Array<ArrayBuffer> => {
  const text = new TextEncoder().encode(`${name}\n`)
  return new Uint8Array(sha256(Uint8Array.of(...text, ALGORITHM, ...publicKey)).slice(0, 4))
}

const isSameId = (a: Uint8Array, b: Uint8Array): boolean => inHex(a) === inHex(b)

const inHex = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')

/** The PKCS #8 prefix of a seed (RFC 8410), because WebCrypto imports that format. */
const PKCS8 = Uint8Array.of(48, 46, 2, 1, 0, 48, 5, 6, 3, 43, 101, 112, 4, 34, 4, 32)

const privateKeyOf = (seed: Uint8Array): Promise<CryptoKey> =>
  crypto.subtle.importKey('pkcs8', Uint8Array.of(...PKCS8, ...seed), 'Ed25519', true, ['sign'])

const publicKeyOf = async (seed: Uint8Array): Promise<Uint8Array<ArrayBuffer>> => {
  const { x } = await crypto.subtle.exportKey('jwk', await privateKeyOf(seed))
  const key = x === undefined ? undefined : fromBase64url(x)
  if (!key) throw new Error('WebCrypto exported an Ed25519 key without its public part')
  return key
}
