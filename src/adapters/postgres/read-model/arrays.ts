import type { Parameter } from '../../sql/statement.js'

/**
 * `texts` as a parameter of type `text[]`; null is the NULL of SQL. JSON writes them as PostgreSQL would as long as
 * there is nothing to escape, and much faster.
 */
export const textArray = (texts: readonly Parameter[]): string => {
  const json = JSON.stringify(texts)
  if (!json.includes('\\')) return `{${json.slice(1, -1)}}`
  return `{${texts.map((text) => (text === null ? 'NULL' : escaped(String(text)))).join()}}`
}

const escaped = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&')}"`

/** `numbers` as a parameter of type `bigint[]`; null is the NULL of SQL. */
export const bigintArray = (numbers: readonly Parameter[]): string =>
  `{${(numbers.includes(null) ? numbers.map((number) => number ?? 'NULL') : numbers).join()}}`
