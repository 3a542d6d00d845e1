import type { HeldRole, HeldRolesQuery, Slice } from '../../../ports/access-reads.js'
import type { FoundAtHead } from '../../../ports/read-model.js'
import { getOrAdd, projectOf, projectScope } from '../../../projections/rows.js'
import {
  allOf,
  atLeast,
  type Dialect,
  type Integer,
  joined,
  param,
  type Statement,
  type Steps,
  sql,
} from '../dialect.js'
import { bodyOfRole, expiry, shownRole } from './access.js'
import {
  countsForAll,
  expiryOf,
  holdsByGrant,
  holdsByGroup,
  holdsInGrant,
  isGiven,
  isMemberOf,
  numberedShares,
} from './counts.js'
import { isAfter, isAllowed, NO_WAY, ofUser, onResource, sliceOf, sourceOf } from './holders.js'
import { GRANTS, MAPPED, MEMBERS, PLACES, pageOf, SHARES, withPositions } from './tables.js'

/** A page of the roles of a user that count, and how far the read model is. */
export function* readHeldRoles(
  dialect: Dialect,
  query: HeldRolesQuery,
): Steps<FoundAtHead<Slice<HeldRole>>> {
  type Row = readonly [
    scope: string,
    resource: string,
    role: string,
    idp: string,
    group: string,
    expires: Integer,
    body: string | null,
  ]
  const { found, ...positions } = pageOf<Row>(yield heldRolesStatement(dialect, query))
  // Many rows have the same role.
  const read = new Map<string | null, ReturnType<typeof shownRole>>()
  const shown = (body: string | null) => {
    const role = getOrAdd(read, body, () => shownRole(body))
    return { ...role, permissions: [...role.permissions] }
  }
  const held = found.map(([scope, resource, roleKey, idpId, group, expires, body]) => ({
    ...projectOf(scope),
    roleKey,
    ...shown(body),
    ...onResource(resource),
    ...expiry(expires),
    via: sourceOf(idpId, group),
  }))
  return { ...positions, found: sliceOf(held, query.limit) }
}

/**
 * Finds the roles that count for a user, one more than the limit, each with the positions. It judges each generation of
 * a role once, on however many resources the user has it.
 */
export const heldRolesStatement = (dialect: Dialect, query: HeldRolesQuery): Statement => {
  const { roleKey, at, after, limit } = query
  const shares = numberedShares(dialect, {
    from: dialect.hasLateral ? 'given' : '(SELECT DISTINCT share FROM given) AS given',
    number: 'given.share',
  })
  const counting = allOf([
    sql`${shares.isNumbered}`,
    ...(roleKey === undefined ? [] : [sql`share.role = ${param(roleKey)}`]),
    ...isAllowed(dialect, query),
    ...countsForAll(dialect, query),
  ])
  const order = ['scope', 'resource', 'role', 'idp', 'grp']
  const all = allOf([
    sql`given.share = found.number`,
    ...(after ? [isAfter(order, [projectScope(after[0], after[1]), ...after.slice(2)])] : []),
  ])
  const columns = `${order.join(', ')}, expires_at, body`
  const page = sql`WITH given AS MATERIALIZED (${joined([byGrants(dialect, query), byGroups(dialect, query)], ' UNION ALL ')}),
    counting AS MATERIALIZED (SELECT share.number, share.scope, share.role, ${bodyOfRole(dialect, at)} AS body FROM ${shares.from} WHERE ${counting})
    SELECT ${columns} FROM counting AS found CROSS JOIN given WHERE ${all}
    ORDER BY ${order.join(', ')} LIMIT ${atLeast(limit + 1)}`
  return {
    ...sql`${withPositions(dialect, columns, page)} ORDER BY ${order.join(', ')}`,
    isRepeated: true,
  }
}

/** What the grants of the user give: now as they list it, in the past by the rows of roles. */
const byGrants = (dialect: Dialect, query: HeldRolesQuery): Statement => {
  const { userId, resource, at } = query
  const { table, hasLateral } = dialect
  const there = [
    ...inProject(query),
    ...(resource === undefined ? [] : [sql`place.resource IN ('', ${param(resource)})`]),
  ]
  if (at === undefined) {
    const { from, columns } = dialect.listedShares('granted.shares')
    const all = allOf([
      sql`granted.user_id = ${param(userId)} AND place.number = granted.place`,
      ...there,
      ...holdsInGrant(query, columns.expiresAt),
    ])
    return sql`SELECT ${columns.share} AS share, place.resource, ${NO_WAY}, ${columns.expiresAt} AS expires_at
      FROM ${table(GRANTS)} AS granted CROSS JOIN ${table(PLACES)} AS place CROSS JOIN ${hasLateral ? 'LATERAL ' : ''}${from} WHERE ${all}`
  }
  const { byGrant, isByGrant } = ofUser(dialect, userId)
  const all = allOf([isByGrant, ...there, ...holdsByGrant(query)])
  return sql`SELECT held.share, held.resource, ${NO_WAY}, held.expires_at FROM ${byGrant} WHERE ${all}`
}

/** What the groups that the user was reported in give. */
const byGroups = (dialect: Dialect, query: HeldRolesQuery): Statement => {
  const { orgId, userId, projectId, projectOrgId, resource } = query
  const { table } = dialect
  const isOfAny = projectId === undefined && projectOrgId === undefined
  const all = allOf([
    sql`member.user_id = ${param(userId)} AND member.org = ${param(orgId)} AND ${isMemberOf('mapped', 'member')}`,
    ...(isOfAny
      ? []
      : [sql`share.number = mapped.share AND place.number = share.place`, ...inProject(query)]),
    ...(resource === undefined ? [] : [sql`mapped.resource IN ('', ${param(resource)})`]),
    ...holdsByGroup(query),
    ...isGiven(dialect, query),
  ])
  const places = `CROSS JOIN ${table(SHARES)} AS share CROSS JOIN ${table(PLACES)} AS place`
  return sql`SELECT mapped.share, mapped.resource, mapped.idp, mapped.grp, ${expiryOf('mapped', 'member')} AS expires_at
    FROM ${table(MEMBERS)} AS member CROSS JOIN ${table(MAPPED)} AS mapped ${isOfAny ? '' : places} WHERE ${all}`
}

/** The project of `place`. */
const inProject = ({ orgId, projectId, projectOrgId }: HeldRolesQuery): readonly Statement[] => [
  sql`place.org = ${param(orgId)}`,
  ...(projectId === undefined ? [] : [sql`place.project = ${param(projectId)}`]),
  ...(projectOrgId === undefined ? [] : [sql`place.owner = ${param(projectOrgId)}`]),
]
