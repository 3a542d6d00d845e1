/** Below 0 when `one` comes before `other`, code point by code point; as UTF-8 sorts by its bytes. */
export const compareCodePoints = (one: string, other: string): number => {
  const length = Math.min(one.length, other.length)
  for (let index = 0; index < length; index++) {
    const difference = one.charCodeAt(index) - other.charCodeAt(index)
    if (difference !== 0) return rank(one.charCodeAt(index)) - rank(other.charCodeAt(index))
  }
  return one.length - other.length
}

/** Surrogates stand for code points above all others, but lie below U+E000 to U+FFFF as units. */
const rank = (unit: number): number => {
  if (unit < 0xd800) return unit
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800
}

/** The least text above every text that begins with `prefix`; undefined when there is none. */
export const afterPrefix = (prefix: string): string | undefined => {
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0)
  while (points.at(-1) === 0x10ffff) points.pop()
  const last = points.pop()
  if (last === undefined) return undefined
  // Surrogates are no code points of a text: the next after U+D7FF is U+E000.
  return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1)
}
