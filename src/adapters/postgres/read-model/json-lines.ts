/**
 * JSON texts as one parameter. As elements of an array each of their quotes would have to be escaped,
 * here and there again.
 */
export const toJsonLines = (texts: readonly string[]): string => texts.join('\n')
