/**
 * `value` without the difference between upper and lower case, by the rules of Unicode and not of a
 * language. Each code point is folded alone, so a text that contains another still does when both are folded.
 */
export const foldCase = (value: string): string => value.toLowerCase().toUpperCase()
