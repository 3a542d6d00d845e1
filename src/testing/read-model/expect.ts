/** Throws when `actual` has not the same content as `expected`; absent and undefined are the same. */
export const expectEqual = (actual: unknown, expected: unknown, what: string): void => {
  if (isEqual(actual, expected)) return
  throw new Error(`${what}: expected ${show(expected)}, got ${show(actual)}`)
}

/** Throws unless `promise` rejects. */
export const expectRejection = async (promise: Promise<unknown>, what: string): Promise<void> => {
  const rejected = await promise.then(
    () => false,
    () => true,
  )
  if (!rejected) throw new Error(`${what}: expected a rejection`)
}

const isEqual = (one: unknown, other: unknown): boolean => {
  if (Object.is(one, other)) return true
  if (!isObject(one) || !isObject(other)) return false
  if (one instanceof Date || other instanceof Date) return isSameDate(one, other)
  if (Array.isArray(one) !== Array.isArray(other)) return false
  const keys = new Set([...Object.keys(one), ...Object.keys(other)])
  return [...keys].every((key) => isEqual(one[key], other[key]))
}

const isSameDate = (one: object, other: object): boolean =>
  one instanceof Date && other instanceof Date && one.getTime() === other.getTime()

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

const show = (value: unknown): string =>
  JSON.stringify(value, (_, item) => (typeof item === 'bigint' ? `${item}n` : item)) ?? 'undefined'
