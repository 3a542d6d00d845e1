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

/** The place of a field of the object at `place`. */
export const fieldAt = ({ path, violations }: Place, name: string): Place => ({
  path: path === '' ? name : `${path}.${name}`,
  violations,
})

/** The place of an item of the list at `place`. */
export const itemAt = ({ path, violations }: Place, index: number): Place => ({
  path: `${path}[${index}]`,
  violations,
})

/** Notes what is wrong with the value at `place`; undefined stands for that value. */
export const refuse = (place: Place, description: string): undefined => {
  if (!isFull(place)) place.violations.push({ field: place.path, description })
}
