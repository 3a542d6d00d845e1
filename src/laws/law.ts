import { isRecord } from '../domain/values.js'

/** A promise of a port, to be checked on any implementation, in any test runner. */
export interface Law<Harness> {
  /** The promise, as a sentence. */
  readonly name: string
  /** Rejects with a {@link BrokenLaw} when the implementation behind `harness` breaks it. */
  readonly check: (harness: Harness) => Promise<void>
}

export const lawsOf = <Harness>(
  checks: Readonly<Record<string, Law<Harness>['check']>>,
): readonly Law<Harness>[] => Object.entries(checks).map(([name, check]) => ({ name, check }))

/** An implementation breaks a law. The message says what the law expected and what it found. */
export class BrokenLaw extends Error {
  override readonly name = 'BrokenLaw'
}

/** Throws unless `condition` is true; the message says `Expected` and the expectation. */
export function demand(condition: boolean, expectation: string): asserts condition {
  if (!condition) throw new BrokenLaw(`Expected ${expectation}`)
}

/** Throws unless `actual`, called `what` in the message, equals `expected`: both are plain values. */
export const demandEqual = (what: string, actual: unknown, expected: unknown): void => {
  if (isEqual(actual, expected)) return
  const [expectedText, found] = [textOf(expected), textOf(actual)]
  const begin = placeToShow(expectedText, found)
  throw new BrokenLaw(
    `Expected ${what} to be ${cut(expectedText, begin)}, not ${cut(found, begin)}`,
  )
}

/** Throws when `promise`, called `what` in the message, resolves. */
export const demandRejection = async (what: string, promise: Promise<unknown>): Promise<void> => {
  let answer: unknown
  try {
    answer = await promise
  } catch {
    return
  }
  throw new BrokenLaw(`Expected ${what} to be rejected, not answered with ${cut(textOf(answer))}`)
}

/** Like `Promise.all`, but waits for all `works` even when one fails, so that none outlives its law. */
export const allOf = async <Value>(works: readonly Promise<Value>[]): Promise<readonly Value[]> => {
  await Promise.allSettled(works)
  return Promise.all(works)
}

/** Changes every part of `value` that is not frozen. */
export const spoil = (value: unknown): void => {
  if (!isRecord(value)) return
  if (value instanceof Date) value.setTime(0)
  for (const [key, item] of Object.entries(value)) {
    spoil(item)
    Reflect.set(value, key, 'spoilt')
  }
}

/** Whether two structures of plain values and dates are equal. */
export const isEqual = (left: unknown, right: unknown): boolean => {
  if (!isRecord(left) || !isRecord(right)) return Object.is(left, right)
  if (left instanceof Date && right instanceof Date) return left.getTime() === right.getTime()
  if (Array.isArray(left) !== Array.isArray(right)) return false
  if (Array.isArray(left) && Array.isArray(right) && left.length !== right.length) return false
  const keys = definedKeys(left)
  return (
    keys.length === definedKeys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && isEqual(left[key], right[key]))
  )
}

/** An undefined property equals an absent one, as in JSON. */
const definedKeys = (value: Readonly<Record<string, unknown>>): readonly string[] =>
  Object.keys(value).filter((key) => value[key] !== undefined)

/** Most characters of a value that a message shows. */
const MAX_SHOWN = 1000

const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, item) => (typeof item === 'bigint' ? `${item}n` : item)) ??
  String(value)

/** Index from which two texts are shown, so that the message includes their first difference. */
const placeToShow = (one: string, other: string): number => {
  let place = 0
  while (place < one.length && one[place] === other[place]) place++
  return place < MAX_SHOWN ? 0 : place - MAX_SHOWN / 2
}

const cut = (text: string, begin = 0): string =>
  `${begin > 0 ? '…' : ''}${text.slice(begin, begin + MAX_SHOWN)}${text.length > begin + MAX_SHOWN ? '…' : ''}`
