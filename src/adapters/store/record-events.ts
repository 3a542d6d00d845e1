import { jsonBytes } from '../../domain/encoding.js'
import { type StreamId, unstorable } from '../../domain/values.js'
import { systemEnvironment } from '../../ports/environment.js'
import {
  type Append,
  MAX_APPEND_BYTES,
  MAX_NAME_BYTES,
  MAX_WRITES,
  type Metadata,
  type NewEvent,
  type RecordedEvent,
  StoreFault,
  type StreamWrite,
  type Version,
} from '../../ports/event-store.js'

/** A valid append with its JSON. */
export interface PreparedAppend {
  readonly append: Append
  /** The data of each event as JSON, in the order written. */
  readonly data: readonly string[]
  /** The metadata as JSON. */
  readonly metadata: string
  /** Length of all JSON, in UTF-16 units. */
  readonly size: number
}

/**
 * Checks `append` and makes its JSON, before a group is formed: a mistake must fail this append alone.
 *
 * @throws InvalidAppend
 */
export const prepareAppend = (append: Append): PreparedAppend => {
  const invalid = checkParts(append)
  if (invalid) throw invalid
  const metadata = metadataJson(append.metadata)
  const data: string[] = []
  let units = 0
  for (const { events } of append.writes) {
    for (const event of events) {
      const json = JSON.stringify(event.data)
      data.push(json)
      units += json.length
    }
  }
  const tooLarge = checkSize(append, units * MAX_BYTES_PER_UNIT)
  if (tooLarge) throw tooLarge
  return { append, data, metadata, size: units + metadata.length * data.length }
}

/** The JSON of the data of the event at `index`, in the order written. */
export const dataAt = ({ append, data }: PreparedAppend, index: number): string => {
  const json = data[index]
  if (json === undefined) throw new Error(`Event ${index} of the append ${append.id} has no JSON`)
  return json
}

/** The last metadata and its JSON: consecutive appends often share one object, and its JSON takes 0.3 µs. */
let last: { readonly metadata: Metadata; readonly json: string } | undefined

const metadataJson = (metadata: Metadata): string => {
  if (metadata === last?.metadata) return last.json
  const json = JSON.stringify(metadata)
  // An object that is not frozen may change before the next append.
  if (Object.isFrozen(metadata) && Object.isFrozen(metadata.actor)) last = { metadata, json }
  return json
}

/**
 * The events of `append` as recorded, at consecutive positions from `first`.
 *
 * @throws StoreFault when a position would not be exact as a number, in the year 2255
 */
export const recordEvents = (
  { id: appendId, writes, metadata }: Append,
  first: number,
): readonly RecordedEvent[] => {
  const recorded: RecordedEvent[] = []
  const count = writes.reduce((sum, { events }) => sum + events.length, 0)
  if (!Number.isSafeInteger(first + (count - 1)))
    throw new StoreFault('No positions are left above the last event', 'not_recorded')
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

/** Returns the time. */
export type Clock = () => Date

/** Returns the time in whole microseconds since the Unix epoch. Numbers are exact until the year 2255. */
export type MicrosecondClock = () => number

/**
 * `clock` in microseconds; without it the system's time, read without a `Date`.
 *
 * @throws TypeError that names the option `now`, unless `clock` is a function
 */
export const microsecondClock = (clock?: Clock): MicrosecondClock => {
  if (clock === undefined) return () => systemEnvironment.now() * 1000
  if (typeof clock !== 'function') throw new TypeError('now must be a function')
  return () => {
    let cause: unknown
    try {
      const now = clock().getTime() * 1000
      if (Number.isSafeInteger(now)) return now
    } catch (thrown) {
      cause = thrown
    }
    throw new StoreFault('now must return a time before the year 2255', 'not_recorded', cause)
  }
}

/** Position of an event recorded at `now`; `last` is the last position, 0 in an empty store. */
export const nextPosition = (now: number, last: number): number => Math.max(now, last + 1)

/** The listeners of `onAppend`. The same function may be added twice. */
export const listeners = () => {
  const waiting = new Set<{ readonly wake: () => void }>()
  return {
    /** Adds a listener; the function returned removes it. */
    add: (wake: () => void): (() => void) => {
      const listener = { wake }
      waiting.add(listener)
      return () => {
        waiting.delete(listener)
      }
    },
    /** Calls all listeners in microtasks, so that their errors do not reach the writer. */
    wakeAll: (): void => {
      for (const listener of waiting) {
        Promise.resolve().then(() => {
          if (waiting.has(listener)) listener.wake()
        })
      }
    },
    isEmpty: (): boolean => waiting.size === 0,
  }
}

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
  checkParts(append) ??
  checkSize(
    append,
    sum(append.writes, (data) => JSON.stringify(data).length * MAX_BYTES_PER_UNIT),
  )

/** What {@link checkAppend} checks besides the size of the data. */
const checkParts = ({ id, writes, metadata }: Append): InvalidAppend | undefined => {
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
const checkSize = ({ writes }: Append, atMost: number): InvalidAppend | undefined =>
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
const MAX_BYTES_PER_UNIT = 3

const encoder = new TextEncoder()

/** Whether `text` takes more than `limit` bytes of UTF-8. */
export const exceedsBytes = (text: string, limit: number): boolean =>
  text.length * MAX_BYTES_PER_UNIT > limit && encoder.encode(text).length > limit

const sum = (writes: readonly StreamWrite[], bytesOf: (data: unknown) => number): number => {
  let bytes = 0
  for (const { events } of writes) for (const { data } of events) bytes += bytesOf(data)
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
