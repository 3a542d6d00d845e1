import type { RecordedEvent } from '../../../ports/event-store.js'
import { canonicalJson } from './canonical-json.js'

/**
 * The line of evidence of an event: its canonical JSON (RFC 8785), with the keys `appendId`, `data`, `metadata`,
 * `position` (as text), `schemaVersion`, `stream`, `type` and `version`, as the store has it: a secret stays sealed,
 * and an old event keeps its shape. Leaves of the tree of {@link logCheckpoint} are hashes of it.
 */
export const eventLine = (event: RecordedEvent): string => {
  const { appendId, data, metadata, position, schemaVersion, stream, type, version } = event
  const rest = { schemaVersion, stream, type, version }
  return canonicalJson({ appendId, data, metadata, position: String(position), ...rest })
}
