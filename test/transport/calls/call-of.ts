import type { Json } from 'claviger'
import { type Call, type Details, headersOf, type JsonObject } from '../call.js'

type Essential = Pick<Call, 'rpc' | 'request' | 'http' | 'inProcess'> & Partial<Pick<Call, 'shape'>>

/** A call that is answered with `details` alone, unless it says otherwise. */
export const callOf = (details: Details, essential: Essential): Call => ({
  shape: ({ details: written }) => ({ details: written ?? null }),
  headers: headersOf(details),
  ...essential,
})

/** An object whose state is named as protobuf does. */
export const shown = (outcome: JsonObject): JsonObject => ({
  ...outcome,
  state: `STATE_${String(outcome['state']).toUpperCase()}`,
})

/** A domain, whose states are an enumeration of their own. */
export const shownDomain = (outcome: JsonObject): JsonObject => ({
  ...outcome,
  state: `DOMAIN_STATE_${String(outcome['state']).toUpperCase()}`,
})

/** A link, whose states are an enumeration of their own. */
export const shownSetupLink = (outcome: JsonObject): JsonObject => ({
  ...outcome,
  state: `SETUP_LINK_STATE_${String(outcome['state']).toUpperCase()}`,
})

/** A page of objects that protobuf has under `name`. */
export const page =
  (name: string, shownAs = shown) =>
  ({ items, nextPageToken, totalSize, totalSizeCapped, sequence }: JsonObject): Json => ({
    [name]: Array.isArray(items) ? items.map(shownAs) : [],
    nextPageToken: nextPageToken ?? '',
    totalSize: totalSize ?? 0,
    totalSizeCapped: totalSizeCapped ?? false,
    sequence: sequence ?? '',
  })

/** A text as one segment or parameter of a URL. */
export const segment = encodeURIComponent

/** What a client sends; the library takes it untrusted, whatever its type. */
// biome-ignore lint/suspicious/noExplicitAny: tests send what no type allows
export type Untrusted = any
