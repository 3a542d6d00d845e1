import { type HttpRequest, isEncoded, MAX_REQUEST_BYTES } from '../transport/http.js'
import { malformed, Refusal } from './refusal.js'

/** An object of JSON. */
export type JsonObject = Readonly<Record<string, unknown>>

/** The body of a request. @throws Refusal if it is compressed or too large */
export const bytesOf = async ({ header, body, signal }: HttpRequest): Promise<Uint8Array> => {
  if (isEncoded(header)) throw new Refusal(415, 'Compressed requests are not supported')
  const bytes = (await body?.(MAX_REQUEST_BYTES)) ?? new Uint8Array()
  if (bytes.length > MAX_REQUEST_BYTES) throw new Refusal(413, 'The request is larger than 1 MiB')
  signal.throwIfAborted()
  return bytes
}

/** Deepest nesting of objects and lists. */
const MAX_DEPTH = 32

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The object in the body of a request. @throws Refusal if it is malformed */
export const readBody = (bytes: Uint8Array): JsonObject => {
  const body = objectIn(parsed(bytes), 'The body')
  if (isDeeper(body, MAX_DEPTH))
    throw malformed(`The body must be at most ${MAX_DEPTH} levels deep`)
  return body
}

const parsed = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch {
    throw malformed('The body must be JSON in UTF-8')
  }
}

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1)))

/** @throws Refusal unless `value` is an object */
export const objectIn = (value: unknown, name: string): JsonObject => {
  if (!isObject(value)) throw malformed(`${name} must be an object`)
  return value
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
