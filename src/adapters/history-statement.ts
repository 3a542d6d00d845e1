import type { HistoryQuery, ViewType } from '../ports/read-model.js'
import { placeOf } from '../projections/place.js'
import { readColumns } from './kept-rows.js'
import { boundedPosition } from './largest-integer.js'
import { allOf, type Dialect, type Statement } from './list-statements.js'

/** How the page of history that `query` asks for is found. */
export const historyStatement = (dialect: Dialect, query: HistoryQuery): Statement => {
  const { after, actor, types, limit } = query
  const { sql, parameters } = allOf([
    ...belonging(dialect, query),
    { sql: 'position > ?', parameters: [boundedPosition(after)] },
    ...(actor === undefined ? [] : [{ sql: 'actor = ?', parameters: [actor] }]),
    ...(types === undefined ? [] : [isAnyOf(dialect, types)]),
  ])
  return {
    sql: `SELECT ${readColumns(dialect.names)} FROM ${dialect.history} WHERE ${sql} ORDER BY position LIMIT ?`,
    parameters: [...parameters, limit],
  }
}

/** To the organization, or to one object of it. */
const belonging = (dialect: Dialect, { orgId, object }: HistoryQuery): readonly Statement[] => {
  if (object === undefined) return [isNamed(dialect, 'org', orgId)]
  const { scope, key } = placeOf(orgId, object)
  return [
    isNamed(dialect, 'scope', scope),
    { sql: 'key = ?', parameters: [key] },
    // A project and an identity provider may have the same id.
    tellsOf(dialect, object.type),
  ]
}

const isNamed = ({ names }: Dialect, column: string, name: string): Statement => ({
  sql: `${column} = (SELECT number FROM ${names} WHERE name = ?)`,
  parameters: [name],
})

const isAnyOf = ({ names, isListed }: Dialect, types: readonly string[]): Statement => ({
  sql: `type IN (SELECT number FROM ${names} WHERE ${isListed('name')})`,
  parameters: [JSON.stringify(types)],
})

const tellsOf = ({ names }: Dialect, type: ViewType): Statement => ({
  sql: `type IN (SELECT number FROM ${names} WHERE name > ? AND name < ?)`,
  // Of the characters a slash follows the dot.
  parameters: [`${type}.`, `${type}/`],
})
