/** Below 0 when `one` comes before `other`, by code points, which is the order of their bytes in UTF-8. */
export const compareCodePoints = (one: string, other: string): number => {
  const length = Math.min(one.length, other.length)
  for (let index = 0; index < length; index++) {
    const difference = one.charCodeAt(index) - other.charCodeAt(index)
    if (difference !== 0) return rank(one.charCodeAt(index)) - rank(other.charCodeAt(index))
  }
  return one.length - other.length
}

/** Surrogates encode the highest code points, but as units they lie below U+E000 to U+FFFF. */
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
  // U+D800 to U+DFFF are no characters.
  return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1)
}
