import { aggregates } from '../../../domain/aggregates.js'
import type { AccessQuery } from '../../../ports/access-reads.js'
import { roleScope } from '../../../projections/rows.js'
import type { Dialect, Statement } from '../dialect.js'
import { holdsNumber } from './list-statements.js'
import { hasKey } from './object-statements.js'
import { ASSIGNMENTS, OBJECTS, positionColumns } from './tables.js'

/** Finds all that decides whether a user has access to a project, in one row. */
export const accessStatement = (dialect: Dialect, query: AccessQuery): Statement => {
  const { orgId, userId, projectOrgId, projectId } = query
  const { table, fieldInBody } = dialect
  const scope = roleScope(projectOrgId, projectId)
  const grantKey = aggregates.user_grant.key({ userId, projectId, projectOrgId }, orgId)
  return {
    name: 'access',
    sql: `SELECT ${positionColumns(dialect)},
      (SELECT body FROM ${table(OBJECTS.project)} WHERE ${hasKey(dialect)}) AS project,
      (SELECT ${fieldInBody('state')} FROM ${table(OBJECTS.project_grant)} WHERE ${hasKey(dialect)}) AS project_grant,
      (SELECT body FROM ${table(OBJECTS.user_grant)} WHERE ${hasKey(dialect)}) AS user_grant,
      (${lastOfRoles(dialect)}) AS roles`,
    parameters: [projectOrgId, projectId, scope, orgId, orgId, grantKey, scope, orgId, userId],
  }
}

/** The last assignment of each role to the user, what ended it, and the role as it is shown. */
const lastOfRoles = (dialect: Dialect): string => {
  const { table, jsonRows } = dialect
  const assignments = table(ASSIGNMENTS)
  return `SELECT ${jsonRows(['last.role', 'last.expires_at', 'last.ended_with', 'shown.body'])}
    FROM ${assignments} AS last
    LEFT JOIN ${table(OBJECTS.project_role)} AS shown ON shown.scope = last.scope AND shown.key = last.role
    WHERE ${holdsNumber(dialect, 'last.scope')} AND last.org = ? AND last.user_id = ? AND NOT EXISTS (
      SELECT 1 FROM ${assignments} AS later
      WHERE later.scope = last.scope AND later.role = last.role AND later.org = last.org
        AND later.user_id = last.user_id AND later.begin_at > last.begin_at
    )`
}
