import type { Slice, UserRoles, UsersQuery } from '../../../ports/access-reads.js'
import { timeOf } from '../../../ports/event-store.js'
import type { FoundAtHead } from '../../../ports/read-model.js'
import { projectOf } from '../../../projections/rows.js'
import { type HeldByUser, usersFrom } from '../../../projections/users.js'
import {
  allOf,
  atLeast,
  type Dialect,
  joined,
  param,
  type Statement,
  type Steps,
  sql,
} from '../dialect.js'
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
import {
  GRANTS,
  HELD,
  MAPPED,
  MEMBERS,
  ON_RESOURCE,
  PLACES,
  pageOf,
  SHARES,
  withPositions,
} from './tables.js'

/** On which resource a user has a role, until when in milliseconds, and the position since which the user has it. */
type StoredWay = readonly [resource: string, expires: number | null, given: string]

/** A user who has a role in one way, on one resource or more. SQLite nests JSON, PostgreSQL its text. */
type StoredHolder = readonly [userId: string, ways: readonly StoredWay[] | string]

/** A page of the users of an organization for whom roles count, and how far the read model is. */
export function* readUsers(
  dialect: Dialect,
  query: UsersQuery,
): Steps<FoundAtHead<Slice<UserRoles>>> {
  type Row = readonly [
    scope: string,
    role: string,
    idp: string,
    group: string,
    body: string | null,
    holders: string,
  ]
  const { found, ...positions } = pageOf<Row>(yield usersStatement(dialect, query))
  const held = found.flatMap(([scope, roleKey, idpId, group, body, json]) => {
    const holders: readonly StoredHolder[] = JSON.parse(json)
    const { displayName } = shownRole(body)
    const role = { ...projectOf(scope), roleKey, displayName, via: sourceOf(idpId, group) }
    return holders.flatMap(([userId, stored]) => {
      const ways: readonly StoredWay[] = typeof stored === 'string' ? JSON.parse(stored) : stored
      return ways.map(([resource, expires, given]): HeldByUser => {
        const since = timeOf(BigInt(given))
        return { userId, role: { ...role, ...onResource(resource), ...expiry(expires), since } }
      })
    })
  })
  return { ...positions, found: usersFrom(held, query.limit) }
}

/**
 * Finds each role that counts, in each way, with its first holders after the last page: at least one more than the limit.
 * So the first users of all are among them, with all their roles, however many users and resources there are.
 */
export const usersStatement = (dialect: Dialect, query: UsersQuery): Statement => {
  const { orgId, userIds, projectId, projectOrgId, resource, roleKey } = query
  const { after, limit, ...moment } = query
  const { table, jsonRows, isListed } = dialect
  const ofShare = [
    sql`place.org = ${param(orgId)} AND place.resource = '' AND share.place = place.number`,
    ...(projectOrgId === undefined ? [] : [sql`place.owner = ${param(projectOrgId)}`]),
    ...(projectId === undefined ? [] : [sql`place.project = ${param(projectId)}`]),
    ...(roleKey === undefined ? [] : [sql`share.role = ${param(roleKey)}`]),
    ...isAllowed(dialect, query),
  ]
  const holders = (
    from: string,
    user: string,
    [on, expires, given]: readonly [on: string, expires: string, given: string],
    conditions: readonly Statement[],
  ) => {
    const all = allOf([
      ...conditions,
      ...(after ? [sql`${user} > ${param(after[0])}`] : []),
      ...(userIds ? [isListed(user, userIds)] : []),
    ])
    // In the order of an index, the groups end with the page.
    return sql`(SELECT ${jsonRows(['found.user_id', 'found.ways'])} FROM (
      SELECT ${user} AS user_id, ${jsonRows([on, expires, `CAST(${given} AS text)`])} AS ways
      FROM ${from} WHERE ${all} GROUP BY ${user} ORDER BY ${user} LIMIT ${atLeast(limit + 1)}
    ) AS found) AS holders`
  }
  const shares = `${table(PLACES)} AS place CROSS JOIN ${table(SHARES)} AS share`
  // Of few users, only the projects in which they ever had a grant.
  const ofUsers = userIds
    ? [
        sql`place.number IN (SELECT beside.whole FROM ${table(GRANTS)} AS granted JOIN ${table(PLACES)} AS beside
          ON beside.number = granted.place WHERE ${isListed('granted.user_id', userIds)})`,
      ]
    : []
  const byGrant = (onResource: 0 | 1, there: Statement) => {
    const found = holders(
      `${table(HELD)} AS held`,
      'held.user_id',
      ['held.resource', 'held.expires_at', 'COALESCE(held.given, held.begin_at)'],
      [sql`held.share = share.number AND ${there}`, ...holdsByGrant(moment)],
    )
    return sql`SELECT share.scope, share.role, ${NO_WAY}, ${bodyOfRole(dialect, moment.at)} AS body, ${found} FROM ${shares}
      WHERE ${allOf([...ofUsers, ...ofShare, sql`share.on_resource = ${onResource}`, ...countsForAll(dialect, moment)])}`
  }
  const byGroup = holders(
    `${table(MEMBERS)} AS member`,
    'member.user_id',
    [
      'mapped.resource',
      expiryOf('mapped', 'member'),
      'CASE WHEN member.given > mapped.given THEN member.given ELSE mapped.given END',
    ],
    [sql`${isMemberOf('mapped', 'member')}`, ...holdsByGroup(moment)],
  )
  const isThere = resource === undefined ? undefined : sql`= ${param(resource)}`
  const ofMapped = isThere ? [sql`(mapped.resource = '' OR mapped.resource ${isThere})`] : []
  const arms = [
    byGrant(0, sql`held.resource = ''`),
    byGrant(1, isThere ? sql`held.resource ${isThere}` : sql`held.${ON_RESOURCE}`),
    sql`SELECT share.scope, share.role, mapped.idp, mapped.grp, ${bodyOfRole(dialect, moment.at)} AS body, ${byGroup}
      FROM ${shares} CROSS JOIN ${table(MAPPED)} AS mapped
      WHERE ${allOf([...ofShare, sql`mapped.share = share.number`, ...ofMapped, ...countsForMembers(dialect, moment)])}`,
  ]
  const columns = 'scope, role, idp, grp, body, holders'
  // Without a name: a plan made for a small table would read all of a large one.
  return withPositions(dialect, columns, joined(arms, ' UNION ALL '))
}
