import type { Json } from 'claviger'

/** Dates as the specification's `details` have them; most writers leave out a fraction that is zero. */
export const withMillisecondsOf = (json: unknown): Json =>
  JSON.parse(
    JSON.stringify(json, (name, value) =>
      /(Date|^time)$/.test(name) ? new Date(value).toISOString() : value,
    ),
  )
