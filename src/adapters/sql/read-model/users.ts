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

/** The columns in which the roles of a mapping agree, besides the project. */
const MAPPING = ['org', 'idp', 'grp', 'resource', 'since', 'valid_for']

/** On which resource a user has a role, until when in milliseconds, and the position since which the user has it. */
type StoredWay = readonly [resource: string, expires: number | null, given: string]

/** A user who has a role in one way, on one resource or more. SQLite nests JSON, PostgreSQL its text. */
type StoredHolder = readonly [userId: string, ways: readonly StoredWay[] | string]

/** A role of a mapping, the position of the event that gave it to the group, and its body. */
type StoredRole = readonly [role: string, given: string, body: string | null]

/** A page of the users of an organization for whom roles count, and how far the read model is. */
export function* readUsers(
  dialect: Dialect,
  query: UsersQuery,
): Steps<FoundAtHead<Slice<UserRoles>>> {
  type Row = readonly [
    scope: string,
    /** The key of one role, or {@link StoredRole}s of a group as JSON. */
    roles: string,
    idp: string,
    group: string,
    body: string | null,
    holders: string,
  ]
  const { found, ...positions } = pageOf<Row>(yield usersStatement(dialect, query))
  const held = found.flatMap(([scope, given, idpId, group, body, json]) => {
    const holders: readonly StoredHolder[] = JSON.parse(json)
    const ways = holders.flatMap(([userId, stored]) => {
      const listed: readonly StoredWay[] = typeof stored === 'string' ? JSON.parse(stored) : stored
      return listed.map(
        ([resource, expires, given]) => [userId, resource, expires, BigInt(given)] as const,
      )
    })
    const roles: readonly StoredRole[] = idpId === '' ? [[given, '0', body]] : JSON.parse(given)
    return roles.flatMap(([roleKey, givenToGroup, body]) => {
      const { displayName } = shownRole(body)
      const role = { ...projectOf(scope), roleKey, displayName, via: sourceOf(idpId, group) }
      const least = BigInt(givenToGroup)
      return ways.map(([userId, resource, expires, given]): HeldByUser => {
        const since = timeOf(given > least ? given : least)
        return { userId, role: { ...role, ...onResource(resource), ...expiry(expires), since } }
      })
    })
  })
  return { ...positions, found: usersFrom(held, query.limit) }
}

/**
 * Finds each role that counts by grants, and each mapping that counts with its roles, with the first holders after the last
 * page: at least one more than the limit. So the first users of all are among them, with all their roles, however many
 * users and resources there are.
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
    return sql`SELECT share.scope, share.role AS roles, ${NO_WAY}, ${bodyOfRole(dialect, moment.at)} AS body, ${found} FROM ${shares}
      WHERE ${allOf([...ofUsers, ...ofShare, sql`share.on_resource = ${onResource}`, ...countsForAll(dialect, moment)])}`
  }
  const byGroup = holders(
    `${table(MEMBERS)} AS member`,
    'member.user_id',
    ['given.resource', expiryOf('given', 'member'), 'member.given'],
    [sql`${isMemberOf('given', 'member')}`, ...holdsByGroup({ ...moment, held: 'given' })],
  )
  const isThere = resource === undefined ? undefined : sql`= ${param(resource)}`
  const ofMapped = isThere ? [sql`(mapped.resource = '' OR mapped.resource ${isThere})`] : []
  const mapping = `share.scope, ${MAPPING.map((column) => `mapped.${column}`).join(', ')}`
  const role = ['share.role', 'CAST(mapped.given AS text)', bodyOfRole(dialect, moment.at)]
  const arms = [
    byGrant(0, sql`held.resource = ''`),
    byGrant(1, isThere ? sql`held.resource ${isThere}` : sql`held.${ON_RESOURCE}`),
    // The members are gone through once for all roles: thousands of them may have reports that are older than the mapping.
    sql`SELECT given.scope, given.roles, given.idp, given.grp, NULL AS body, ${byGroup}
      FROM (SELECT ${mapping}, ${jsonRows(role)} AS roles FROM ${shares} CROSS JOIN ${table(MAPPED)} AS mapped
        WHERE ${allOf([...ofShare, sql`mapped.share = share.number`, ...ofMapped, ...countsForMembers(dialect, moment)])}
        GROUP BY ${mapping}) AS given`,
  ]
  const columns = 'scope, roles, idp, grp, body, holders'
  // Without a name: a plan made for a small table would read all of a large one.
  return withPositions(dialect, columns, joined(arms, ' UNION ALL '))
}
