import { sha256 as hash } from '@noble/hashes/sha2.js'
import { toBase64url } from '../domain/encoding.js'

/** SHA-256 of a value as JSON, in base64url; for values of text, numbers, flags, lists and records. */
export const sha256 = (value: unknown): string => sha256OfText(JSON.stringify(value))

/** SHA-256 of a text as UTF-8, in base64url. */
export const sha256OfText = (text: string): string =>
  toBase64url(hash(new TextEncoder().encode(text)))
