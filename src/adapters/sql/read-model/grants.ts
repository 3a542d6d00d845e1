import { aggregates } from '../../../domain/aggregates.js'
import type { ObjectRef } from '../../../domain/values.js'
import { timeOf } from '../../../ports/event-store.js'
import type { Views } from '../../../ports/read-model.js'
import { type Row as ObjectRow, shown } from '../../../projections/project.js'
import { placeScope, projectOf } from '../../../projections/rows.js'
import {
  columnNamed,
  type Dialect,
  type Integer,
  type Row,
  type Statement,
  sql,
} from '../dialect.js'
import type { Generations } from './numbers.js'
import { type Current, currentAmong, foldedKey, type Listed, SHARES_COLUMN } from './stored-rows.js'
import { checkpointIn, GRANTS, HELD, PLACES, SHARES } from './tables.js'

/** Names a grant to a user. */
type GrantRef = Extract<ObjectRef, { readonly type: 'user_grant' }>

/** A role of a grant, with its place in the list. */
type StoredRole = readonly [...Listed, nth: number, given: Integer]

/** A grant to a user, as it is read from its table. */
export type StoredGrant = readonly [
  sequence: number | string,
  state: string | null,
  creationDate: Integer,
  protectedBy: string | null,
  /** A list of {@link StoredRole}s as JSON; of a {@link FoundGrant} the shares. */
  roles: string,
]

/** The columns of a grant, where its row is called `object` and its project `place`. */
export const GRANT_COLUMNS: readonly string[] = [
  'object.sequence',
  'object.state',
  'object.creation_date',
  'object.protected_by',
  SHARES_COLUMN,
  'place.org',
  'place.scope',
  'object.user_id',
]

/** The columns that tell which grant it is. */
export type FoundGrant = readonly [...StoredGrant, orgId: string, scope: string, userId: string]

/** Finds grants by organization, project with resource, and user, each with all its roles and its number among `keys`. */
export const grantsOf = (dialect: Dialect, keys: readonly Row[]): Statement => {
  const { table, jsonRows, listedShares } = dialect
  const { from, columns: listed } = listedShares(SHARES_COLUMN)
  const columns = [
    columnNamed(PLACES, 'org'),
    columnNamed(PLACES, 'scope'),
    columnNamed(GRANTS, 'user_id'),
  ]
  const role = [
    ...['share.role', 'share.role_since', 'share.grant_since', listed.expiresAt, listed.nth],
    'CAST(COALESCE(held.given, held.begin_at) AS text)',
  ]
  const roles = `SELECT ${jsonRows(role)} FROM ${from} CROSS JOIN ${table(SHARES)} AS share CROSS JOIN ${table(HELD)} AS held
    WHERE share.number = ${listed.share} AND held.share = share.number AND held.resource = place.resource
      AND held.user_id = object.user_id AND held.end_at IS NULL`
  return sql`SELECT reached, nth, sequence, state, creation_date, protected_by, roles
    FROM (SELECT ${checkpointIn(dialect)} AS reached) AS moment
    LEFT JOIN (SELECT nth, object.sequence, object.state, object.creation_date, object.protected_by, (${roles}) AS roles
      FROM ${dialect.wanted(columns, keys)}
      JOIN ${table(PLACES)} AS place ON place.org = wanted.org AND place.scope = wanted.scope
      JOIN ${table(GRANTS)} AS object ON object.place = place.number AND object.user_id = wanted.user_id) AS found ON TRUE`
}

/** The organization, the project with the resource, and the user of a grant. */
export const grantKeyOf = ({
  ref,
  orgId,
}: {
  readonly ref: ObjectRef
  readonly orgId: string
}): Row => {
  const { projectOrgId = orgId, projectId, resource, userId } = grantIn(ref)
  return [orgId, placeScope(projectOrgId, projectId, resource), userId]
}

const grantIn = (ref: ObjectRef): GrantRef => {
  if (ref.type !== 'user_grant') throw new Error('Only grants to users are in their table')
  return ref
}

/** The grant with the roles that were found, without its fact. */
const grantOf = (
  orgId: string,
  [position, state, creationDate, protectedBy]: StoredGrant,
  found: readonly (readonly [...Listed, ...unknown[]])[],
): ObjectRow => {
  const roles = found.map(([roleKey, roleSince, grantSince, expiresAt]) => ({
    roleKey,
    ...(expiresAt !== null && { expiresAt: new Date(Number(expiresAt)).toISOString() }),
    roleSince: Number(roleSince),
    ...(Number(grantSince) > 0 && { grantSince: Number(grantSince) }),
  }))
  const sequence = BigInt(position)
  const changeDate = timeOf(sequence)
  return {
    // Cast: the texts were checked before they were stored.
    state: { status: state ?? 'active', roles } as never,
    protectedBy: protectedBy ?? undefined,
    details: {
      sequence,
      creationDate: creationDate === null ? changeDate : new Date(Number(creationDate)),
      changeDate,
      resourceOwner: orgId,
    },
    fact: undefined,
  }
}

/** In the order of the grant: no database promises an order of what it joins. */
const rolesIn = ([, , , , json]: StoredGrant): readonly StoredRole[] => {
  const found: StoredRole[] = JSON.parse(json)
  return found.sort(([, , , , one], [, , , , other]) => one - other)
}

/** The grant with all its roles and its fact; undefined if it was removed. */
export const decodeGrant = (
  ref: ObjectRef,
  orgId: string,
  stored: StoredGrant,
): ObjectRow | undefined => {
  const [, state] = stored
  if (state === 'removed') return undefined
  const found = rolesIn(stored)
  const row = grantOf(orgId, stored, found)
  const fact = aggregates.user_grant.fact?.(row.state, ref, orgId)
  const given = found.map(([, , , , , at]) => BigInt(at ?? 0))
  // Nobody asks since when a user has a grant.
  return { ...row, fact: fact && { fact, since: 0n, begin: row.details.sequence, given } }
}

/** The grant as reads return it: its roles are current. */
export const shownGrant = (stored: FoundGrant, current: Current): Views['user_grant'] => {
  const [sequence, state, creationDate, protectedBy, shares, orgId, scope, userId] = stored
  const found: StoredGrant = [sequence, state, creationDate, protectedBy, shares]
  const ref: GrantRef = { type: 'user_grant', userId, ...projectOf(scope) }
  const row = grantOf(orgId, found, currentAmong(shares, current))
  // Cast: the row is one of a grant to a user.
  return shown(ref, row) as Views['user_grant']
}

/** The values of the columns of a grant; `row` is undefined for a removed one. */
export const encodeGrant = (
  ref: ObjectRef,
  row: ObjectRow | undefined,
  place: number,
  generations: Generations,
): Row => {
  const { userId } = grantIn(ref)
  if (row === undefined) return [place, userId, 'removed', '[]', 0, null, null, null]
  const { sequence, creationDate, changeDate } = row.details
  const isFirst = creationDate.getTime() === changeDate.getTime()
  return [
    place,
    userId,
    row.state.status === 'active' ? null : row.state.status,
    generations.listed(row.fact?.fact),
    sequence,
    isFirst ? null : creationDate.getTime(),
    row.protectedBy ?? null,
    foldedKey(userId),
  ]
}
