import { allOf, type Statement } from '../../sql/statement.js'

/**
 * One statement that runs all of `writes`, in any order, when `guard` finds a row; finds one then. What can be made
 * anew need not be on disk when it is committed.
 *
 * @param writes - each ends with a condition
 */
export const guarded = (guard: Statement, writes: readonly Statement[]): Statement => {
  const parts = writes.map(
    ({ sql }, index) => `write_${index} AS (${sql} AND EXISTS (SELECT FROM guard))`,
  )
  return {
    sql: `WITH guard AS (${guard.sql}), ${parts.join(', ')}
      SELECT pg_catalog.set_config('synchronous_commit', 'off', TRUE) FROM guard`,
    parameters: allOf([guard, ...writes]).parameters,
  }
}
