import { aggregates } from '../../../domain/aggregates.js'
import type { ObjectRef } from '../../../domain/values.js'
import type { HistoryQuery, ViewType } from '../../../ports/read-model.js'
import { containerOf, roleScope, rowKeyOf } from '../../../projections/rows.js'
import { allOf, boundedPosition, type Dialect, type Statement } from '../dialect.js'
import { isNamed } from './list-statements.js'
import { ENTRY_COLUMNS, NAME_COLUMNS } from './stored-rows.js'
import { HISTORY, NAMES } from './tables.js'

/** Finds a page of history. */
export const historyStatement = (dialect: Dialect, query: HistoryQuery): Statement => {
  const { order = 'asc', limit } = query
  const sought = seeking(dialect, query)
  // Each part uses an index of its own; a condition with OR might read the whole table.
  const parts = belonging(dialect, query).map((part) => allOf([part, ...sought]))
  const found = parts.map(({ sql }) => `SELECT * FROM ${dialect.table(HISTORY)} WHERE ${sql}`)
  const inOrder = `ORDER BY position ${order}`
  return {
    // Names are looked up for the page alone, not for all rows that are sorted.
    sql: `SELECT ${readColumns(dialect)} FROM (
      ${found.join(' UNION ALL ')} ${inOrder} LIMIT ?
    ) AS page ${inOrder}`,
    parameters: [...parts.flatMap(({ parameters }) => parameters), limit],
  }
}

const readColumns = ({ table }: Dialect): string =>
  ENTRY_COLUMNS.slice(1)
    .map(({ name }) =>
      NAME_COLUMNS.includes(name)
        ? `(SELECT name FROM ${table(NAMES)} WHERE number = ${name})`
        : name,
    )
    .join(', ')

const seeking = (
  dialect: Dialect,
  { after, before, actor, types }: HistoryQuery,
): readonly Statement[] => [
  { sql: 'position > ?', parameters: [boundedPosition(after)] },
  ...(before === undefined ? [] : [{ sql: 'position < ?', parameters: [boundedPosition(before)] }]),
  ...(actor === undefined ? [] : [{ sql: 'actor = ?', parameters: [actor] }]),
  ...(types === undefined ? [] : [isAnyOf(dialect, types)]),
]

/** What belongs to the organization, or to one object of it; no entry meets two of the conditions. */
const belonging = (
  dialect: Dialect,
  { orgId, object, including }: HistoryQuery,
): readonly Statement[] => {
  if (object === undefined) return [isNamed(dialect, 'org', orgId)]
  const { scope, key } = rowKeyOf(orgId, object)
  const own = allOf([
    isNamed(dialect, 'scope', scope),
    { sql: 'key = ?', parameters: [key] },
    // A project and an identity provider may have the same id.
    isOfType(dialect, object.type),
  ])
  const container = containerOf(object)
  if (container) return [own, endsWith(dialect, orgId, { object, container })]
  if (including === undefined) return [own]
  const roles = isNamed(dialect, 'scope', roleScope(orgId, key))
  return [own, allOf([roles, isOfType(dialect, 'project_role')])]
}

/** The container is removed, and the last entry of the object before that is there and is no removal. */
const endsWith = (
  dialect: Dialect,
  orgId: string,
  { object, container }: { readonly object: ObjectRef; readonly container: ObjectRef },
): Statement => {
  const { scope, key } = rowKeyOf(orgId, object)
  const containerKey = rowKeyOf(orgId, container)
  const last = allOf([
    isNamed(dialect, 'scope', scope),
    { sql: `key = ? AND position < ${dialect.table(HISTORY)}.position`, parameters: [key] },
    // A role and a grant of the same project may have the same key.
    isOfType(dialect, object.type),
  ])
  const isRemoval = isAnyOf(dialect, aggregates[object.type].eventsThat('removes'))
  return allOf([
    isNamed(dialect, 'scope', containerKey.scope),
    { sql: 'key = ?', parameters: [containerKey.key] },
    isAnyOf(dialect, aggregates[container.type].eventsThat('removes')),
    {
      sql: `EXISTS (SELECT 1 FROM (
        SELECT type FROM ${dialect.table(HISTORY)} AS own WHERE ${last.sql} ORDER BY position DESC LIMIT 1
      ) AS last WHERE NOT ${isRemoval.sql})`,
      parameters: [...last.parameters, ...isRemoval.parameters],
    },
  ])
}

const isAnyOf = (dialect: Dialect, types: readonly string[]): Statement => {
  const { sql, parameters } = dialect.isListed('name', types)
  return {
    sql: `type IN (SELECT number FROM ${dialect.table(NAMES)} WHERE ${sql})`,
    parameters,
  }
}

const isOfType = ({ table }: Dialect, type: ViewType): Statement => ({
  sql: `type IN (SELECT number FROM ${table(NAMES)} WHERE name > ? AND name < ?)`,
  // The slash is the character after the dot.
  parameters: [`${type}.`, `${type}/`],
})
