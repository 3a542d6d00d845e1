import type { ProjectRoleRef } from '../domain/values.js'
import type { HistoryQuery, ViewType } from '../ports/read-model.js'
import { placeOf, rolesOf } from '../projections/place.js'
import { readColumns } from './kept-rows.js'
import { boundedPosition } from './largest-integer.js'
import { allOf, type Dialect, type Statement } from './list-statements.js'

/** How the page of history that `query` asks for is found. */
export const historyStatement = (dialect: Dialect, query: HistoryQuery): Statement => {
  const { order = 'asc', limit } = query
  const sought = seeking(dialect, query)
  // Each part is looked up in an index of its own; a condition with OR might be looked for in all of the table.
  const parts = belonging(dialect, query).map((part) => allOf([part, ...sought]))
  const found = parts.map(({ sql }) => `SELECT * FROM ${dialect.history} WHERE ${sql}`)
  const inOrder = `ORDER BY position ${order}`
  return {
    // Names are looked up for the page alone, not for all that is put in order.
    sql: `SELECT ${readColumns(dialect.names)} FROM (
      ${found.join(' UNION ALL ')} ${inOrder} LIMIT ?
    ) AS page ${inOrder}`,
    parameters: [...parts.flatMap(({ parameters }) => parameters), limit],
  }
}

const seeking = (
  dialect: Dialect,
  { after, before, actor, types }: HistoryQuery,
): readonly Statement[] => [
  { sql: 'position > ?', parameters: [boundedPosition(after)] },
  ...(before === undefined ? [] : [{ sql: 'position < ?', parameters: [boundedPosition(before)] }]),
  ...(actor === undefined ? [] : [{ sql: 'actor = ?', parameters: [actor] }]),
  ...(types === undefined ? [] : [isAnyOf(dialect, types)]),
]

/** What belongs to the organization, or to one object of it; no entry to more than one part. */
const belonging = (
  dialect: Dialect,
  { orgId, object, including }: HistoryQuery,
): readonly Statement[] => {
  if (object === undefined) return [isNamed(dialect, 'org', orgId)]
  const { scope, key } = placeOf(orgId, object)
  const own = allOf([
    isNamed(dialect, 'scope', scope),
    { sql: 'key = ?', parameters: [key] },
    // A project and an identity provider may have the same id.
    tellsOf(dialect, object.type),
  ])
  if (object.type === 'project_role') return [own, endsWithProject(dialect, orgId, object)]
  return including === undefined ? [own] : [own, isNamed(dialect, 'scope', rolesOf(orgId, key))]
}

/** The project is removed, and the last entry of the role before that is there and is no removal. */
const endsWithProject = (
  dialect: Dialect,
  orgId: string,
  { projectId, roleKey }: ProjectRoleRef,
): Statement => {
  const last = allOf([
    isNamed(dialect, 'scope', rolesOf(orgId, projectId)),
    { sql: `key = ? AND position < ${dialect.history}.position`, parameters: [roleKey] },
  ])
  const isRemoval = isAnyOf(dialect, ['project_role.removed'])
  return allOf([
    isNamed(dialect, 'scope', orgId),
    { sql: 'key = ?', parameters: [projectId] },
    isAnyOf(dialect, ['project.removed']),
    {
      sql: `EXISTS (SELECT 1 FROM (
        SELECT type FROM ${dialect.history} AS own WHERE ${last.sql} ORDER BY position DESC LIMIT 1
      ) AS last WHERE NOT ${isRemoval.sql})`,
      parameters: [...last.parameters, ...isRemoval.parameters],
    },
  ])
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
