import type { Statement as WithQuestionMarks } from '../../sql/dialect.js'
import type { Statement } from '../connection/connection.js'

/** `sql` with the numbers that parameters have in PostgreSQL. */
export const numbered = (sql: string): string => {
  let number = 0
  return sql.replaceAll('?', () => `$${++number}`)
}

/**
 * Makes statements for PostgreSQL; the text of a named one once.
 *
 * @param schema - quoted; the statements of other schemas have other names
 * @param mark - one character, for statements that have another text under the same name; a pool may serve both
 */
export const preparer = (
  schema: string,
  mark = ' ',
): ((statement: WithQuestionMarks) => Statement) => {
  const texts = new Map<string, string>()
  return ({ sql, parameters, name }) => {
    const values = [...parameters]
    if (name === undefined) return { text: numbered(sql), values }
    const text = texts.get(name) ?? numbered(sql)
    texts.set(name, text)
    return { name: `${schema}${mark}${name}`, text, values }
  }
}
