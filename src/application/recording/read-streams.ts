import {
  type EventStore,
  MAX_WRITES,
  type RecordedEvent,
  type StreamRead,
} from '../../ports/event-store.js'
import { fromPort } from '../errors/fault.js'

/** The events of each stream in `reads`, in that order; each stream at most once. Reads them together if the store can. */
export const readStreams = async (
  store: EventStore,
  reads: readonly StreamRead[],
): Promise<readonly (readonly RecordedEvent[])[]> => {
  if (reads.length === 1 || store.readStreams === undefined)
    return Promise.all(
      reads.map(({ stream, afterVersion }) =>
        fromPort(() => store.readStream(stream, afterVersion)),
      ),
    )
  const found: (readonly RecordedEvent[])[] = []
  for (let from = 0; from < reads.length; from += MAX_WRITES) {
    const some = reads.slice(from, from + MAX_WRITES)
    found.push(...(await fromPort(async () => store.readStreams?.(some) ?? [])))
  }
  return found
}
