/**
 * JSON texts as one parameter. As elements of an array each of their quotes would have to be escaped,
 * here and there again.
 */
export const toJsonLines = (texts: readonly string[]): string => texts.join('\n')

/** The array of texts that a parameter made by {@link toJsonLines} stands for: JSON has no line breaks. */
export const jsonLines = (parameter: string): string => `string_to_array(${parameter}, E'\\n')`
