import { toBase64url } from '../domain/encoding.js'

/** SHA-256 of a value as JSON, in base64url; for values of text, numbers, flags, lists and records. */
export const sha256 = async (value: unknown): Promise<string> => {
  const bytes = new TextEncoder().encode(JSON.stringify(value))
  return toBase64url(new Uint8Array(await globalThis.crypto.subtle.digest('SHA-256', bytes)))
}
