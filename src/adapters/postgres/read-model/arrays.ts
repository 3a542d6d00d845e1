/**
 * `texts` as a parameter of type `text[]`; null is the NULL of SQL. The driver looks for what it has
 * to escape in each text; JSON does so for all at once, and writes them as PostgreSQL would as long as
 * there is nothing to escape.
 */
export const textArray = (
  texts: readonly (string | null)[],
): string | readonly (string | null)[] => {
  const json = JSON.stringify(texts)
  return json.includes('\\') ? texts : `{${json.slice(1, -1)}}`
}

/** `numbers` as a parameter of type `bigint[]`. */
export const bigintArray = (numbers: readonly (number | bigint)[]): string => `{${numbers.join()}}`
