import { foldCase } from '../../../../projections/rows/fold-case.js'
import type { Dialect } from '../../dialect.js'
import type { Statement } from '../../statement.js'
import { foldedColumn } from '../folded-fields.js'
import { NAMES, OBJECTS, positionColumns } from '../tables.js'

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
