import { byType, TYPES } from '../../../domain/aggregates.js'
import type { ObjectRef } from '../../../domain/values.js'
import type { ViewType } from '../../../ports/read-model.js'
import { foldCase } from '../../../projections/row-order.js'
import { rowKeyOf } from '../../../projections/rows.js'
import type { Dialect, Statement } from '../dialect.js'
import { holdsNumber, readColumns } from './list-statements.js'
import { foldedColumn, PROJECT_SCOPE, rowsNameProject } from './stored-rows.js'
import { NAMES, OBJECTS, positionColumns } from './tables.js'

/** Finds an object by its reference within an organization. */
export type Lookup = (orgId: string, ref: ObjectRef) => Statement

/** Finds the row of an object. */
export const objectLookup = (dialect: Dialect): Lookup =>
  lookup('get', (type) => {
    const table = dialect.table(OBJECTS[type])
    return `SELECT ${readColumns(dialect, type).join(', ')} FROM ${table} WHERE ${hasKey(dialect)}`
  })

/** The same with the position of the log's last event and the checkpoint, all as of one moment. */
export const objectAtHeadLookup = (dialect: Dialect): Lookup =>
  lookup('head', (type) => {
    const table = dialect.table(OBJECTS[type])
    return `SELECT head, reached, ${readColumns(dialect, type).join(', ')} FROM (SELECT ${positionColumns(dialect)}) AS moment
      LEFT JOIN ${table} ON ${hasKey(dialect)}`
  })

/** Whether a row has a key, in a scope of a name. */
export const hasKey = (dialect: Dialect): string => `${holdsNumber(dialect, 'scope')} AND key = ?`

/** The text for each type is made once: an object is found in little more time than that takes. */
const lookup = (word: string, sqlOf: (type: ViewType) => string): Lookup => {
  const statements = byType(({ type }) => ({
    name: `${word} ${TYPES.indexOf(type)}`,
    sql: sqlOf(type),
  }))
  return (orgId, ref) => {
    const { scope, key } = rowKeyOf(orgId, ref)
    return { ...statements[ref.type], parameters: [scope, key] }
  }
}

/** Removes all objects of a type that are removed with the projects of `scopes`. */
export const removalOf = (
  dialect: Dialect,
  type: ViewType,
  scopes: readonly string[],
): Statement => {
  const { sql, parameters } = dialect.isListed('name', scopes)
  return {
    sql: `DELETE FROM ${dialect.table(OBJECTS[type])}
      WHERE ${rowsNameProject(type) ? PROJECT_SCOPE : 'scope'} IN (SELECT number FROM ${dialect.table(NAMES)} WHERE ${sql})`,
    parameters,
  }
}

/** Finds where users with addresses of `domain` sign in: an organization and an active provider, or null for both. */
export const routeStatement = (dialect: Dialect, domain: string): Statement => {
  const { table, fieldInBody } = dialect
  const state = foldedColumn('state')
  return {
    name: 'route',
    sql: `SELECT head, reached, org, idp FROM (SELECT ${positionColumns(dialect)}) AS moment
      LEFT JOIN (
        SELECT named.name AS org, provider.key AS idp
        FROM (SELECT scope, ${fieldInBody('idpId')} AS idp FROM ${table(OBJECTS.domain)} WHERE key = ? AND ${state} = ?) AS verified
        JOIN ${table(OBJECTS.identity_provider)} AS provider
          ON provider.scope = verified.scope AND provider.key = verified.idp AND provider.${state} = ?
        JOIN ${table(NAMES)} AS named ON named.number = verified.scope
      ) AS found ON TRUE`,
    parameters: [domain, foldCase('verified'), foldCase('active')],
  }
}
