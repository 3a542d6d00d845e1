import { systemEnvironment } from '../../ports/environment.js'
import {
  type Append,
  type Metadata,
  type RecordedEvent,
  StoreFault,
} from '../../ports/event-store.js'
import { checkParts, checkSize, MAX_BYTES_PER_UNIT } from './check-append.js'

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
