import type { StreamId } from '../../domain/values.js'
import type { Metadata, RecordedEvent } from '../../ports/event-store.js'

/** The table of the events. */
export const EVENTS = 'events'

/** The columns of the table `events` that {@link eventsOf} reads. */
export const EVENT_COLUMNS =
  'position, stream, version, type, schema_version, data, metadata, append_id'

/** A row of the table `events`, in the order of {@link EVENT_COLUMNS}. */
export type EventRow<Integer> = readonly [
  position: Integer,
  stream: StreamId,
  version: Integer,
  type: string,
  schemaVersion: Integer,
  data: string,
  metadata: string,
  appendId: string,
]

/** Rows of the table `events` as events; the data of a damaged row are undefined. */
export const eventsOf = (rows: readonly EventRow<number | string>[]): readonly RecordedEvent[] => {
  const metadataOf = metadataReader()
  return rows.map(([position, stream, version, type, schemaVersion, data, metadata, appendId]) => ({
    type,
    schemaVersion: Number(schemaVersion),
    data: storedJson(data) as object,
    appendId,
    stream,
    version: Number(version),
    position: BigInt(position),
    metadata: metadataOf(metadata),
  }))
}

/**
 * The value of a column of JSON; undefined when it is damaged. The reader of the event reports that with its
 * position: to throw here would look like a store that is unavailable.
 */
export const storedJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Parses metadata. Adjacent events often have the same, which is parsed once. */
const metadataReader = (): ((json: string) => Metadata) => {
  let last: { readonly json: string; readonly metadata: Metadata } | undefined
  return (json) => {
    if (last?.json !== json) last = { json, metadata: storedJson(json) as Metadata }
    return last.metadata
  }
}
