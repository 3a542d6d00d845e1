import type { Json, JsonOf } from './json.js'

/** What no response may show: raw events (a count of them may), and the one field that holds a secret. */
const isHidden = (field: string, value: unknown): boolean =>
  field === 'clientSecret' || (field === 'events' && typeof value === 'object')

/**
 * Any outcome as plain JSON: sequences as text, as protobuf writes a uint64; dates in RFC 3339, UTC,
 * with milliseconds; no events; nothing secret. Absent fields stay absent.
 */
export function toJson<Outcome>(outcome: Outcome): JsonOf<Outcome>
export function toJson(outcome: unknown): Json {
  if (typeof outcome === 'bigint') return String(outcome)
  if (outcome instanceof Date) return outcome.toISOString()
  if (Array.isArray(outcome)) return outcome.map(toJson)
  if (typeof outcome === 'object' && outcome !== null)
    return Object.fromEntries(
      Object.entries(outcome)
        .filter(([field, value]) => value !== undefined && !isHidden(field, value))
        .map(([field, value]) => [field, toJson(value)]),
    )
  if (typeof outcome === 'string' || typeof outcome === 'boolean') return outcome
  return typeof outcome === 'number' && Number.isFinite(outcome) ? outcome : null
}
