import { allOf, type Statement } from '../../sql/statement.js'

/**
 * One statement that runs all of `writes`, in any order, if `guard` finds a row, and then finds one itself. The
 * commit does not wait for the disk: what is lost is made again from the log.
 *
 * @param writes - each ends with a condition; there may be none
 */
export const guarded = (guard: Statement, writes: readonly Statement[]): Statement => {
  const parts = [`guard AS (${guard.sql})`]
  for (const [index, { sql }] of writes.entries())
    parts.push(`write_${index} AS (${sql} AND EXISTS (SELECT FROM guard))`)
  return {
    sql: `WITH ${parts.join(', ')}
      SELECT pg_catalog.set_config('synchronous_commit', 'off', TRUE) FROM guard`,
    parameters: allOf([guard, ...writes]).parameters,
  }
}
