import type { Patch } from './message.js'

/** Fields of `next` that `previous` lacks or has with another value; the order of lists matters. */
export const changedFields = <Fields extends object>(
  previous: { readonly [Field in keyof Fields]?: unknown },
  next: Fields,
): readonly (keyof Fields & string)[] => {
  const changed: (keyof Fields & string)[] = []
  for (const field in next) {
    if (!sameValue(previous[field], next[field])) changed.push(field)
  }
  return changed
}

/** Whether every field of `next` has the same value in `previous`. */
export const changesNothing = <Fields extends object>(
  previous: { readonly [Field in keyof Fields]?: unknown },
  next: Fields,
): boolean => changedFields(previous, next).length === 0

/** `fields` with the values that `patch` gives instead of its own. */
export const patched = <Fields extends object>(fields: Fields, patch: Patch<Fields>): Fields => {
  const given = Object.entries(patch).filter(([, value]) => value !== undefined)
  return { ...fields, ...Object.fromEntries(given) }
}

const sameValue = (one: unknown, other: unknown): boolean => {
  if (!Array.isArray(one) || !Array.isArray(other)) return one === other
  return one.length === other.length && one.every((item, index) => item === other[index])
}
