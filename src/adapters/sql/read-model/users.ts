import type { Slice, UserRoles, UsersQuery } from '../../../ports/access-reads.js'
import { timeOf } from '../../../ports/event-store.js'
import type { FoundAtHead } from '../../../ports/read-model.js'
import { projectOf } from '../../../projections/rows.js'
import { type HeldByUser, usersFrom } from '../../../projections/users.js'
import { allOf, atLeast, type Dialect, param, type Statement, type Steps, sql } from '../dialect.js'
import { bodyOfRole, expiry, shownRole } from './access.js'
import {
  countsForAll,
  countsForMembers,
  expiryOf,
  holdsByGrant,
  holdsByGroup,
  isMemberOf,
} from './counts.js'
import { isAllowed, NO_WAY, onResource, sourceOf } from './holders.js'
import { GRANTS, HELD, MAPPED, MEMBERS, PLACES, pageOf, SHARES, withPositions } from './tables.js'

/** A user who has a role in one way, with its expiry in milliseconds and the position since which the user has it. */
type StoredHolder = readonly [userId: string, expires: number | null, given: string]

/** A page of the users of an organization for whom roles count, and how far the read model is. */
export function* readUsers(
  dialect: Dialect,
  query: UsersQuery,
): Steps<FoundAtHead<Slice<UserRoles>>> {
  type Row = readonly [
    scope: string,
    role: string,
    resource: string,
    idp: string,
    group: string,
    body: string | null,
    holders: string,
  ]
  const { found, ...positions } = pageOf<Row>(yield usersStatement(dialect, query))
  const held = found.flatMap(([scope, roleKey, resource, idpId, group, body, json]) => {
    const holders: readonly StoredHolder[] = JSON.parse(json)
    const { displayName } = shownRole(body)
    return holders.map(
      ([userId, expires, given]): HeldByUser => ({
        userId,
        role: {
          ...projectOf(scope),
          roleKey,
          displayName,
          ...onResource(resource),
          ...expiry(expires),
          via: sourceOf(idpId, group),
          since: timeOf(BigInt(given)),
        },
      }),
    )
  })
  return { ...positions, found: usersFrom(held, query.limit) }
}

/**
 * Finds each role that counts, in each way, with its first holders after the last page: at least one more than the limit.
 * So the first users of all are among them, with all their roles, however many users there are.
 */
export const usersStatement = (dialect: Dialect, query: UsersQuery): Statement => {
  const { orgId, userIds, projectId, projectOrgId, resource, roleKey } = query
  const { after, limit, ...moment } = query
  const { table, jsonRows, isListed } = dialect
  const ofShare = [
    sql`place.org = ${param(orgId)} AND share.place = place.number`,
    ...(projectOrgId === undefined ? [] : [sql`place.owner = ${param(projectOrgId)}`]),
    ...(projectId === undefined ? [] : [sql`place.project = ${param(projectId)}`]),
    ...(resource === undefined ? [] : [sql`place.resource IN ('', ${param(resource)})`]),
    ...(roleKey === undefined ? [] : [sql`share.role = ${param(roleKey)}`]),
    ...isAllowed(dialect, query),
  ]
  const holders = (
    from: string,
    user: string,
    columns: string,
    conditions: readonly Statement[],
  ) => {
    const all = allOf([
      ...conditions,
      ...(after ? [sql`${user} > ${param(after[0])}`] : []),
      ...(userIds ? [isListed(user, userIds)] : []),
    ])
    return sql`(SELECT ${jsonRows(['found.user_id', 'found.expires_at', 'CAST(found.given AS text)'])} FROM (
      SELECT ${user} AS user_id, ${columns} FROM ${from} WHERE ${all} ORDER BY ${user} LIMIT ${atLeast(limit + 1)}
    ) AS found) AS holders`
  }
  const shares = `${table(PLACES)} AS place CROSS JOIN ${table(SHARES)} AS share`
  const byGrant = holders(
    `${table(HELD)} AS held`,
    'held.user_id',
    'held.expires_at, COALESCE(held.given, held.begin_at) AS given',
    [sql`held.share = share.number`, ...holdsByGrant(moment)],
  )
  const byGroup = holders(
    `${table(MEMBERS)} AS member`,
    'member.user_id',
    `${expiryOf('mapped', 'member')} AS expires_at,
      CASE WHEN member.given > mapped.given THEN member.given ELSE mapped.given END AS given`,
    [sql`${isMemberOf('mapped', 'member')}`, ...holdsByGroup(moment)],
  )
  // Of few users, only the places where they ever had a grant: there may be a place for each of many resources.
  const ofUsers = userIds
    ? [
        sql`place.number IN (SELECT granted.place FROM ${table(GRANTS)} AS granted WHERE ${isListed('granted.user_id', userIds)})`,
      ]
    : []
  const page = sql`SELECT share.scope, share.role, share.resource, ${NO_WAY}, ${bodyOfRole(dialect)} AS body, ${byGrant}
      FROM ${shares} WHERE ${allOf([...ofUsers, ...ofShare, ...countsForAll(dialect, moment)])}
    UNION ALL SELECT share.scope, share.role, share.resource, mapped.idp, mapped.grp, ${bodyOfRole(dialect)} AS body, ${byGroup}
      FROM ${shares} CROSS JOIN ${table(MAPPED)} AS mapped
      WHERE ${allOf([...ofShare, sql`mapped.share = share.number`, ...countsForMembers(dialect, moment)])}`
  const columns = 'scope, role, resource, idp, grp, body, holders'
  // Without a name: a plan made for a small table would read all of a large one.
  return withPositions(dialect, columns, page)
}
