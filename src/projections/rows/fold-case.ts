/**
 * `value` without the difference between upper and lower case, after the rules of Unicode and not
 * of a language. Goes by single code points, so that what one text begins with or contains still
 * does when both are folded.
 */
export const foldCase = (value: string): string => value.toLowerCase().toUpperCase()
