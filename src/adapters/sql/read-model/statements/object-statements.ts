import type { RefOf, ViewType } from '../../../../ports/read-model.js'
import { rowKeyOf } from '../../../../projections/rows/row-key.js'
import type { Dialect } from '../../dialect.js'
import { allOf, type Statement } from '../../statement.js'
import { SHOWN_COLUMNS } from '../stored-rows.js'
import { NAMES, positionColumns, tableOf } from '../tables.js'
import { isNamed } from './conditions.js'

/** How an object is found. */
export const objectStatement = (
  dialect: Dialect,
  orgId: string,
  ref: RefOf<ViewType>,
): Statement => {
  const { table, sql, parameters } = lookUp(dialect, orgId, ref)
  return {
    name: `get ${SHORT[ref.type]}`,
    sql: `SELECT ${SHOWN_COLUMNS} FROM ${table} WHERE ${sql}`,
    parameters,
  }
}

/** The same, as of one moment with the position of the log's last event and the checkpoint. */
export const objectAtHeadStatement = (
  dialect: Dialect,
  orgId: string,
  ref: RefOf<ViewType>,
): Statement => {
  const { table, sql, parameters } = lookUp(dialect, orgId, ref)
  return {
    name: `head ${SHORT[ref.type]}`,
    sql: `SELECT head, reached, ${SHOWN_COLUMNS} FROM (SELECT ${positionColumns(dialect)}) AS moment
      LEFT JOIN ${table} ON ${sql}`,
    parameters,
  }
}

const SHORT = { identity_provider: 'i', project: 'p', project_role: 'r' } as const

const lookUp = (dialect: Dialect, orgId: string, ref: RefOf<ViewType>) => {
  const { scope, key } = rowKeyOf(orgId, ref)
  const isAtKey = { sql: 'key = ?', parameters: [key] }
  return {
    table: dialect.table(tableOf(ref.type)),
    ...allOf([isNamed(dialect, 'scope', scope), isAtKey]),
  }
}

/** How all objects of a type in `scopes` are removed. */
export const removalOf = (
  dialect: Dialect,
  type: ViewType,
  scopes: readonly string[],
): Statement => {
  const { sql, parameters } = dialect.isListed('name', scopes)
  return {
    sql: `DELETE FROM ${dialect.table(tableOf(type))}
      WHERE scope IN (SELECT number FROM ${dialect.table(NAMES)} WHERE ${sql})`,
    parameters,
  }
}
