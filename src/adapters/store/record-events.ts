import type { Append, RecordedEvent } from '../../ports/event-store.js'

/** The events of `append` as recorded at position `first` and those after it. */
export const recordEvents = (
  { id: appendId, writes, metadata }: Append,
  first: number,
): readonly RecordedEvent[] => {
  const recorded: RecordedEvent[] = []
  for (const { stream, expectedVersion, events } of writes) {
    let version = expectedVersion
    for (const { type, schemaVersion, data } of events) {
      const position = BigInt(first + recorded.length)
      version++
      recorded.push({ type, schemaVersion, data, appendId, stream, version, position, metadata })
    }
  }
  return recorded
}
