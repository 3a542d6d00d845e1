import { monotonicFactory } from 'ulid'
import type { StreamId } from '../../domain/values.js'
import type {
  Append,
  EventStore,
  Metadata,
  RecordedEvent,
  StreamWrite,
  Version,
} from '../../ports/event-store.js'
import { BrokenLaw } from '../law.js'

const newId = monotonicFactory()

/** Events with each of `data`, for `stream`, which must be at `expectedVersion`. */
export const write = (
  stream: StreamId,
  expectedVersion: Version,
  ...data: readonly object[]
): StreamWrite => ({
  stream,
  expectedVersion,
  events: data.map((data) => ({ type: 'law.tried', schemaVersion: 1, data })),
})

/** An append of `writes`; `metadata` replaces fields of the default. */
export const appendOf = (
  writes: readonly StreamWrite[],
  metadata: Partial<Metadata> = {},
): Append => ({
  id: newId(),
  writes,
  metadata: { actor: { userId: 'user-1', orgId: 'org-1' }, resourceOwner: 'org-2', ...metadata },
})

/** An append of one event to a stream that does not exist. */
export const firstOf = (stream: StreamId, metadata: Partial<Metadata> = {}): Append =>
  appendOf([write(stream, 0, { first: true })], metadata)

/** What `store` records of `append`, which it must accept. */
export const record = async (
  store: EventStore,
  append: Append,
): Promise<readonly RecordedEvent[]> => {
  const result = await store.append(append)
  if (result.isOk()) return result.value
  throw new BrokenLaw(`Expected the append to be recorded, not ${result.error.kind}`)
}

/** The number of events that `store` recorded of `append`, or why it refused it. */
export const verdict = async (store: EventStore, append: Append): Promise<unknown> => {
  const result = await store.append(append)
  return result.isOk() ? result.value.length : result.error
}

/** Everything that `store` holds. */
export const wholeLog = (store: EventStore): Promise<readonly RecordedEvent[]> =>
  store.readAll(0n, 1_000_000)
