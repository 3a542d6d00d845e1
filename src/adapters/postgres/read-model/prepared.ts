import type { Statement as WithQuestionMarks } from '../../sql/statement.js'
import type { Statement } from '../connection/connection.js'

/**
 * `statement` with the numbers that PostgreSQL gives to parameters.
 *
 * @param schema - quoted; other schemas have other statements of the same name
 */
export const prepared = (
  schema: string,
  { sql, parameters, name }: WithQuestionMarks,
): Statement => {
  let number = 0
  return {
    text: sql.replaceAll('?', () => `$${++number}`),
    values: [...parameters],
    ...(name !== undefined && { name: `${schema} ${name}` }),
  }
}
