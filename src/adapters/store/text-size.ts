import type { StreamWrite } from '../../ports/event-store.js'

/** Most bytes of UTF-8 that one UTF-16 unit takes. */
const MAX_BYTES_PER_UNIT = 3

/** Most bytes that one UTF-16 unit takes within JSON: a control character or a lone surrogate. */
const MAX_JSON_BYTES_PER_UNIT = 6

/** Most bytes of JSON that a value without text takes: a number, a date, a pair of brackets. */
const MAX_SCALAR_BYTES = 30

const encoder = new TextEncoder()

/** Whether `text` takes more than `limit` bytes of UTF-8. */
export const exceedsBytes = (text: string, limit: number): boolean =>
  text.length * MAX_BYTES_PER_UNIT > limit && encoder.encode(text).length > limit

/** Whether the data of all events takes more than `limit` bytes as JSON, which is only made when it might. */
export const jsonExceedsBytes = (writes: readonly StreamWrite[], limit: number): boolean => {
  const bound = sum(writes, (event) => boundOf(event.data))
  return bound > limit && sum(writes, jsonBytes) > limit
}

const jsonBytes = ({ data }: { readonly data: object }): number =>
  encoder.encode(JSON.stringify(data)).length

const sum = (
  writes: readonly StreamWrite[],
  sizeOf: (event: StreamWrite['events'][number]) => number,
): number => {
  let size = 0
  for (const { events } of writes) for (const event of events) size += sizeOf(event)
  return size
}

/** An upper bound of the bytes of `value` as JSON, without making it. */
const boundOf = (value: unknown): number => {
  if (typeof value === 'string') return 2 + value.length * MAX_JSON_BYTES_PER_UNIT
  // It has no JSON: making it throws.
  if (typeof value === 'bigint') return Number.POSITIVE_INFINITY
  if (!isRecord(value)) return MAX_SCALAR_BYTES
  let bound = MAX_SCALAR_BYTES
  // Faster than `Object.entries`; inherited properties only raise the bound.
  for (const key in value) {
    bound += 4 + key.length * MAX_JSON_BYTES_PER_UNIT + boundOf(value[key])
  }
  return bound
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null
