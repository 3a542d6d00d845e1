import type { HistoryQuery } from '../ports/read-model.js'
import { streamOf } from '../projections/stream-name.js'
import { ENTRY_COLUMNS } from './kept-rows.js'
import { boundedPosition } from './largest-integer.js'
import type { Dialect, Statement } from './list-statements.js'

/** How the page of history that `query` asks for is found. */
export const historyStatement = (dialect: Dialect, query: HistoryQuery): Statement => {
  const { orgId, object, actor, types, after, limit } = query
  const conditions: (readonly [string, string | number | bigint])[] = [
    // The name of a stream holds its organization.
    object === undefined ? ['org_id = ?', orgId] : ['stream = ?', streamOf(orgId, object)],
    ['position > ?', boundedPosition(after)],
  ]
  if (actor !== undefined) conditions.push(['actor = ?', actor])
  if (types !== undefined) conditions.push([dialect.isListed('type'), JSON.stringify(types)])
  const where = conditions.map(([condition]) => condition).join(' AND ')
  return {
    sql: `SELECT ${ENTRY_COLUMNS} FROM ${dialect.history} WHERE ${where} ORDER BY position LIMIT ?`,
    parameters: [...conditions.map(([, parameter]) => parameter), limit],
  }
}
