import type { Statement as WithQuestionMarks } from '../../list-statements.js'
import type { Statement } from '../session.js'

/** `statement` with the numbers that PostgreSQL gives to parameters. */
export const numbered = ({ sql, parameters }: WithQuestionMarks): Statement => {
  let number = 0
  return { text: sql.replaceAll('?', () => `$${++number}`), values: [...parameters] }
}
