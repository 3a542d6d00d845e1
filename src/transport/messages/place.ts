import type { Violation } from '../../index.js'
import { malformed } from '../errors/status-error.js'

/** What a request has had so far. */
interface Read {
  readonly violations: Violation[]
  /** Messages in lists. */
  objects: number
}

/** Where a value stands in a request. */
export interface Place {
  /** What it is a part of; undefined for the request as a whole. */
  readonly whole: Place | undefined
  /** Its name, or its index in a list. */
  readonly part: string | number
  readonly read: Read
}

/** More violations than any answer has room for. */
const MOST_VIOLATIONS = 250

/** Whether enough is wrong with the request, so that nothing more of it matters. */
export const isFull = ({ read }: Place): boolean => read.violations.length >= MOST_VIOLATIONS

/** The place of a request as a whole. */
export const wholeRequest = (): Place => ({
  whole: undefined,
  part: '',
  read: { violations: [], objects: 0 },
})

/** The place of a part of the value at `whole`. No text is made for it: of a list there may be 300,000. */
export const partAt = (whole: Place, part: string | number): Place => ({
  whole,
  part,
  read: whole.read,
})

/** Such as `roles[1].roleKey`. */
export const pathOf = ({ whole, part }: Place): string => {
  const before = whole ? pathOf(whole) : ''
  if (typeof part === 'number') return `${before}[${part}]`
  return before === '' ? part : `${before}.${part}`
}

/** Notes what is wrong with the value at `place`; undefined stands for that value. */
export const refuse = (place: Place, description: string): undefined => {
  if (!isFull(place)) place.read.violations.push({ field: pathOf(place), description })
}

/** Most messages in the lists of a request: in JSON of 1 MiB, no more can be well-formed. */
const MOST_OBJECTS = 30_000

/** Counts messages in a list. @throws ConnectError where a request has too many: each takes time in every protocol */
export const countObjects = (read: Pick<Read, 'objects'>, more: number): void => {
  read.objects += more
  if (read.objects > MOST_OBJECTS) throw malformed({ field: '', description: TOO_MANY })
}

const TOO_MANY = `must have at most ${MOST_OBJECTS} objects in its lists`
