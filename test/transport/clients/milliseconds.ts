import type { Json } from 'claviger'

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/

/** Times as the specification's `details` have them; most writers leave out a fraction that is zero. */
export const withMillisecondsOf = (json: unknown): Json =>
  JSON.parse(
    JSON.stringify(json, (_name, value) =>
      typeof value === 'string' && TIME.test(value) ? new Date(value).toISOString() : value,
    ),
  )
