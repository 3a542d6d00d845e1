import type { Violation } from '../../index.js'

/** Where a value stands in a request, and what is wrong with the request so far. */
export interface Place {
  /** What it is a part of; undefined for the request as a whole. */
  readonly whole: Place | undefined
  /** Its name, or its index in a list. */
  readonly part: string | number
  readonly violations: Violation[]
}

/** More violations than any answer has room for. */
const MOST_VIOLATIONS = 250

/** Whether enough is wrong with the request, so that nothing more of it matters. */
export const isFull = ({ violations }: Place): boolean => violations.length >= MOST_VIOLATIONS

/** The place of a request as a whole. */
export const wholeRequest = (): Place => ({ whole: undefined, part: '', violations: [] })

/** The place of a part of the value at `whole`. No text is made for it: of a list there may be 300,000. */
export const partAt = (whole: Place, part: string | number): Place => ({
  whole,
  part,
  violations: whole.violations,
})

/** Such as `roles[1].roleKey`. */
export const pathOf = ({ whole, part }: Place): string => {
  const before = whole ? pathOf(whole) : ''
  if (typeof part === 'number') return `${before}[${part}]`
  return before === '' ? part : `${before}.${part}`
}

/** Notes what is wrong with the value at `place`; undefined stands for that value. */
export const refuse = (place: Place, description: string): undefined => {
  if (!isFull(place)) place.violations.push({ field: pathOf(place), description })
}
