/** Changes every part of `value` that is not frozen. */
export const spoil = (value: unknown): void => {
  if (typeof value !== 'object' || value === null) return
  if (value instanceof Date) value.setTime(0)
  for (const [key, item] of Object.entries(value)) {
    spoil(item)
    Reflect.set(value, key, 'spoilt')
  }
}
