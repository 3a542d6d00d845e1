import type { StreamId } from '../../domain/values.js'
import type { RecordedEvent, Version } from '../../ports/event-store.js'

/** Events that cannot be added to a log as they are. */
export class InvalidRestore extends Error {
  override readonly name = 'InvalidRestore'
}

/** What a store holds before a restore. */
export interface Held {
  /** Its last event; undefined when it is empty. */
  readonly last: RecordedEvent | undefined
  readonly versionOf: (stream: StreamId) => Version
  readonly isKeyUsed: (idempotencyKey: string) => boolean
}

/** Whether `event` begins an append in a log in which it follows `previous`. */
export const beginsAppend = (event: RecordedEvent, previous: RecordedEvent | undefined): boolean =>
  event.appendId !== previous?.appendId

/** Why `events` cannot be added to a store that holds `held`; undefined when they can. */
export const checkRestore = (
  events: readonly RecordedEvent[],
  held: Held,
): InvalidRestore | undefined => {
  const versions = new Map<StreamId, Version>()
  const keys = new Set<string>()
  let previous = held.last
  for (const event of events) {
    const { stream, version, position, metadata } = event
    const { idempotencyKey } = metadata
    if (position <= (previous?.position ?? 0n) || position > BigInt(Number.MAX_SAFE_INTEGER)) {
      return new InvalidRestore(`Position ${position} is not above the one before and below 2^53`)
    }
    if (version !== (versions.get(stream) ?? held.versionOf(stream)) + 1) {
      return new InvalidRestore(`Version ${version} does not continue the stream ${stream}`)
    }
    const key = beginsAppend(event, previous) ? idempotencyKey : undefined
    if (key !== undefined && (keys.has(key) || held.isKeyUsed(key))) {
      return new InvalidRestore(`The idempotency key ${key} was used before`)
    }
    versions.set(stream, version)
    if (key !== undefined) keys.add(key)
    previous = event
  }
  return undefined
}
