import { aggregates } from '../../../domain/aggregates.js'
import type {
  AccessQuery,
  FoundAccess,
  FoundProject,
  FoundRole,
  LostRole,
} from '../../../ports/access-reads.js'
import type { FoundAtHead, UserGrant } from '../../../ports/read-model.js'
import { compareCodePoints } from '../../../projections/row-order.js'
import { foundProject, projectScope } from '../../../projections/rows.js'
import type { Dialect, Statement, Steps } from '../dialect.js'
import { expiry, shownRole } from './holders.js'
import {
  ASSIGNMENTS,
  atHead,
  findOne,
  hasKey,
  holdsNumber,
  OBJECTS,
  type Positions,
  positionColumns,
} from './tables.js'

/** All that decides whether a user has access to a project, and how far the read model is. */
export function* readAccess(dialect: Dialect, query: AccessQuery): Steps<FoundAtHead<FoundAccess>> {
  type Found = readonly [
    ...Positions,
    project: string | null,
    projectGrant: FoundProject['state'] | null,
    userGrant: string | null,
    roles: string,
  ]
  const row = yield* findOne<Found>(accessStatement(dialect, query))
  const [head, reached, project, projectGrant, userGrant, roles] = row
  return atHead([head, reached], {
    project: project === null ? undefined : foundProject(JSON.parse(project)),
    projectGrant: projectGrant ?? undefined,
    ...grantOf(userGrant === null ? undefined : JSON.parse(userGrant), JSON.parse(roles)),
  })
}

/** The last assignment of a role, what ended it, and the body of the role. */
type LastOfRole = readonly [
  roleKey: string,
  expires: number | null,
  endedWith: string | null,
  body: string | null,
]

const grantOf = (
  grant: UserGrant | undefined,
  stored: readonly LastOfRole[],
): Pick<FoundAccess, 'userGrant' | 'roles' | 'lost'> => {
  const last = new Map(stored.map((each) => [each[0], each]))
  const roles: FoundRole[] = []
  const lost: LostRole[] = []
  for (const { roleKey } of grant?.roles ?? []) {
    const assignment = last.get(roleKey)
    if (!assignment) throw new Error('Each role of a grant was assigned')
    const [, expires, endedWith, body] = assignment
    if (endedWith === null) roles.push({ roleKey, ...shownRole(body), ...expiry(expires) })
    else lost.push({ roleKey, with: endedWith === 'project_role' ? 'role' : 'project_grant' })
  }
  return { userGrant: grant?.state, roles: roles.sort(byRole), lost }
}

const byRole = (one: FoundRole, other: FoundRole): number =>
  compareCodePoints(one.roleKey, other.roleKey)

/** Finds all that decides whether a user has access to a project, in one row. */
export const accessStatement = (dialect: Dialect, query: AccessQuery): Statement => {
  const { orgId, userId, projectOrgId, projectId } = query
  const { table, fieldInBody } = dialect
  const scope = projectScope(projectOrgId, projectId)
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
