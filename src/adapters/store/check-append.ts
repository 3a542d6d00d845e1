import { jsonBytes } from '../../domain/encoding.js'
import { isRecord, type StreamId, unstorable } from '../../domain/values.js'
import {
  type Append,
  MAX_APPEND_BYTES,
  MAX_NAME_BYTES,
  MAX_WRITES,
  type Metadata,
  type NewEvent,
  type RecordedEvent,
  type StreamWrite,
  type Version,
} from '../../ports/event-store.js'

/** An append that every store must refuse: a bug in the program, not an error of its users. */
export class InvalidAppend extends Error {
  override readonly name = 'InvalidAppend'

  /** The wrong part of the append, as a path such as `writes[0].stream`. */
  readonly field: string

  /** Always `not_recorded`: it is refused before anything is written. */
  readonly outcome = 'not_recorded'

  constructor(field: string, objection: string) {
    super(`${field} ${objection}`)
    this.field = field
  }
}

/** Why every store must refuse `append` before it writes anything; undefined when it is valid. */
export const checkAppend = (append: Append): InvalidAppend | undefined =>
  checkParts(append) ?? checkSize(append, sum(append.writes, maxJsonBytes))

/** What {@link checkAppend} checks besides the size of the data. */
export const checkParts = ({ id, writes, metadata }: Append): InvalidAppend | undefined => {
  if (writes.length === 0) return new InvalidAppend('writes', 'must not be empty')
  if (writes.length > MAX_WRITES)
    return new InvalidAppend('writes', `must be at most ${MAX_WRITES}`)
  return checkText('id', id) ?? checkMetadata(metadata) ?? checkWrites(writes)
}

const checkMetadata = (metadata: Metadata): InvalidAppend | undefined =>
  checkText('metadata.actor.userId', metadata.actor.userId) ??
  checkText('metadata.actor.orgId', metadata.actor.orgId) ??
  checkText('metadata.resourceOwner', metadata.resourceOwner) ??
  checkText('metadata.correlationId', metadata.correlationId) ??
  checkText('metadata.reason', metadata.reason) ??
  checkText('metadata.idempotencyKey', metadata.idempotencyKey) ??
  checkText('metadata.commandHash', metadata.commandHash) ??
  checkText('metadata.managedBy', metadata.managedBy)

const checkWrites = (writes: readonly StreamWrite[]): InvalidAppend | undefined => {
  for (const [index, { stream, expectedVersion, events }] of writes.entries()) {
    const objection = objectionTo(stream)
    if (objection) return new InvalidAppend(`writes[${index}].stream`, objection)
    if (!Number.isSafeInteger(expectedVersion) || expectedVersion < 0)
      return new InvalidAppend(`writes[${index}].expectedVersion`, 'must be a whole number from 0')
    const invalid = checkEvents(events, index)
    if (invalid) return invalid
  }
  return namesTwice(writes)
    ? new InvalidAppend('writes', 'must not name a stream twice')
    : undefined
}

const checkEvents = (events: readonly NewEvent[], write: number): InvalidAppend | undefined => {
  for (const [index, { type, schemaVersion }] of events.entries()) {
    const objection = objectionTo(type)
    if (objection) return new InvalidAppend(`writes[${write}].events[${index}].type`, objection)
    if (Number.isSafeInteger(schemaVersion) && schemaVersion > 0) continue
    const field = `writes[${write}].events[${index}].schemaVersion`
    return new InvalidAppend(field, 'must be a whole number from 1')
  }
  return undefined
}

const namesTwice = (writes: readonly StreamWrite[]): boolean => {
  if (writes.length === 1) return false
  if (writes.length === 2) return writes[0]?.stream === writes[1]?.stream
  return new Set(writes.map(({ stream }) => stream)).size < writes.length
}

/** Refuses too much data. Its bytes are counted only if there may be too many: `atMost` is an upper bound for them. */
export const checkSize = ({ writes }: Append, atMost: number): InvalidAppend | undefined =>
  atMost > MAX_APPEND_BYTES && sum(writes, jsonBytes) > MAX_APPEND_BYTES
    ? new InvalidAppend('writes', `must have at most ${MAX_APPEND_BYTES} bytes of data`)
    : undefined

const checkText = (field: string, value: string | undefined): InvalidAppend | undefined => {
  const objection = value === undefined ? undefined : objectionTo(value)
  return objection === undefined ? undefined : new InvalidAppend(field, objection)
}

const objectionTo = (text: string): string | undefined =>
  unstorable(text) ??
  (exceedsBytes(text, MAX_NAME_BYTES) ? `must be at most ${MAX_NAME_BYTES} bytes` : undefined)

/** Most bytes of UTF-8 that one UTF-16 unit takes. */
export const MAX_BYTES_PER_UNIT = 3

/** Most bytes that one UTF-16 unit takes in JSON: a control character or a lone surrogate. */
const MAX_JSON_BYTES_PER_UNIT = 6

/** Most bytes of JSON for a value without text: a number, a date, a pair of brackets. */
const MAX_SCALAR_BYTES = 30

const encoder = new TextEncoder()

/** Whether `text` takes more than `limit` bytes of UTF-8. */
export const exceedsBytes = (text: string, limit: number): boolean =>
  text.length * MAX_BYTES_PER_UNIT > limit && encoder.encode(text).length > limit

const sum = (writes: readonly StreamWrite[], bytesOf: (data: unknown) => number): number => {
  let bytes = 0
  for (const { events } of writes) for (const { data } of events) bytes += bytesOf(data)
  return bytes
}

/** An upper bound for the bytes of `value` as JSON. */
const maxJsonBytes = (value: unknown): number => {
  if (typeof value === 'string') return 2 + value.length * MAX_JSON_BYTES_PER_UNIT
  // It has no JSON: JSON.stringify throws.
  if (typeof value === 'bigint') return Number.POSITIVE_INFINITY
  if (!isRecord(value)) return MAX_SCALAR_BYTES
  let bytes = MAX_SCALAR_BYTES
  // Faster than `Object.entries`; inherited properties only raise the bound.
  for (const key in value)
    bytes += 4 + key.length * MAX_JSON_BYTES_PER_UNIT + maxJsonBytes(value[key])
  return bytes
}

/**
 * The largest position that is restored. Appends get higher positions, which must stay below 2^53 to be exact as
 * numbers; 2^32 of them remain.
 */
export const MAX_RESTORED_POSITION = 2n ** 53n - 2n ** 32n

/** Events that cannot be added to a log as they are. */
export class InvalidRestore extends Error {
  override readonly name = 'InvalidRestore'
}

/** Whether `event` is the first of its append in a log where it follows `previous`. */
export const beginsAppend = (event: RecordedEvent, previous: RecordedEvent | undefined): boolean =>
  event.appendId !== previous?.appendId

/** Why `events` cannot be added to a store with the content `stored`; undefined when they can. */
export const checkRestore = (
  events: readonly RecordedEvent[],
  stored: {
    /** The last event; undefined when the store is empty. */
    readonly last: RecordedEvent | undefined
    readonly versionOf: (stream: StreamId) => Version
    readonly isKeyUsed: (idempotencyKey: string) => boolean
  },
): InvalidRestore | undefined => {
  const versions = new Map<StreamId, Version>()
  const keys = new Set<string>()
  let previous = stored.last
  for (const event of events) {
    const { stream, version, position, metadata } = event
    if (position <= (previous?.position ?? 0n))
      return new InvalidRestore(`Position ${position} is not above the one before`)
    if (position > MAX_RESTORED_POSITION)
      return new InvalidRestore(`Position ${position} is above ${MAX_RESTORED_POSITION}`)
    if (version !== (versions.get(stream) ?? stored.versionOf(stream)) + 1)
      return new InvalidRestore(`Version ${version} does not continue the stream ${stream}`)
    versions.set(stream, version)
    const key = beginsAppend(event, previous) ? metadata.idempotencyKey : undefined
    if (key !== undefined) {
      if (keys.has(key) || stored.isKeyUsed(key))
        return new InvalidRestore(`The idempotency key ${key} was used before`)
      keys.add(key)
    }
    previous = event
  }
  return undefined
}
