import type { Violation } from '../../index.js'

/** Where a value stands in a request, and what is wrong with the request so far. */
export interface Place {
  readonly path: string
  readonly violations: Violation[]
}

/** More violations than any answer has room for. */
const MOST_VIOLATIONS = 250

/** Whether enough is wrong with the request, so that nothing more of it matters. */
export const isFull = ({ violations }: Place): boolean => violations.length >= MOST_VIOLATIONS

/** The place of a request as a whole. */
export const wholeRequest = (): Place => ({ path: '', violations: [] })

/** The place of a part of the value at `place`: `.name` or `[0]`. */
export const partAt = ({ path, violations }: Place, part: string): Place => ({
  path: `${path}${part}`,
  violations,
})

/** Notes what is wrong with the value at `place`; undefined stands for that value. */
export const refuse = (place: Place, description: string): undefined => {
  if (!isFull(place)) place.violations.push({ field: place.path.replace(/^\./, ''), description })
}
