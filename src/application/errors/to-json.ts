import type { Json, JsonOf } from './json.js'

/** A response never shows raw events (a number of events is allowed), nor the one field that holds a secret. */
const isHidden = (field: string, value: unknown): boolean =>
  field === 'clientSecret' || (field === 'events' && typeof value === 'object')

/**
 * An outcome as plain JSON: sequences as text, as protobuf writes a uint64; dates in RFC 3339, UTC, with
 * milliseconds; without events and secrets. Absent fields stay absent.
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
