import { TYPES } from '../../../domain/aggregates.js'
import type { ObjectRef } from '../../../domain/values.js'
import type { MappedGroup, MappedGroupsQuery } from '../../../ports/access-reads.js'
import type { Position } from '../../../ports/event-store.js'
import type {
  FoundAtHead,
  RefOf,
  RoleMapping,
  SignInRoute,
  Views,
  ViewType,
} from '../../../ports/read-model.js'
import { foldCase } from '../../../projections/row-order.js'
import { rowKeyOf } from '../../../projections/rows.js'
import type { Dialect, Statement, Steps } from '../dialect.js'
import { decodeRow, readColumns, type StoredRow } from './stored-rows.js'
import {
  atHead,
  besidePositions,
  checkpointIn,
  findOne,
  findPage,
  foldedColumn,
  hasKey,
  holdsNumber,
  MAPPED,
  NAMES,
  OBJECTS,
  type Positions,
  PROJECT_SCOPE,
  positionColumns,
} from './tables.js'

/** Position of the last event applied. */
export function* readCheckpoint(dialect: Dialect): Steps<Position> {
  const text = dialect.named('check', () => `SELECT ${checkpointIn(dialect)}`)
  const [row] = yield { ...text, parameters: [] }
  return BigInt(row?.[0] ?? 0)
}

/** Reads one object, and how far the read model is. */
export function* readObject<Type extends ViewType>(
  dialect: Dialect,
  orgId: string,
  ref: RefOf<Type>,
): Steps<FoundAtHead<Views[Type] | undefined>> {
  const { type }: ObjectRef = ref
  const { scope, key } = rowKeyOf(orgId, ref)
  type Found = readonly [...Positions, ...(StoredRow | NoRow)]
  const [head, reached, ...row] = yield* findOne<Found>({
    ...dialect.named(
      `head ${TYPES.indexOf(type)}`,
      () => `SELECT head, reached, ${readColumns(dialect, type).join(', ')} FROM (SELECT ${positionColumns(dialect)}) AS moment
      LEFT JOIN ${dialect.table(OBJECTS[type])} ON ${hasKey(dialect)}`,
    ),
    parameters: [scope, key],
  })
  return atHead([head, reached], isRow(row) ? decodeRow<Type>(type, scope, row) : undefined)
}

type NoRow = readonly [null, null, null, ...assigned: readonly string[]]

const isRow = (row: StoredRow | NoRow): row is StoredRow => row[0] !== null

/** Where users with addresses of a domain sign in, and how far the read model is. */
export function* readRoute(
  dialect: Dialect,
  domain: string,
): Steps<FoundAtHead<SignInRoute | undefined>> {
  type Found = readonly [...Positions, orgId: string | null, idpId: string | null]
  const [head, reached, orgId, idpId] = yield* findOne<Found>(routeStatement(dialect, domain))
  return atHead([head, reached], orgId && idpId ? { orgId, idpId } : undefined)
}

/** Finds where users with addresses of `domain` sign in: an organization and an active provider, or null for both. */
export const routeStatement = (dialect: Dialect, domain: string): Statement => {
  const { table, fieldInBody } = dialect
  const state = foldedColumn('state')
  return {
    ...dialect.named(
      'route',
      () => `SELECT head, reached, org, idp FROM (SELECT ${positionColumns(dialect)}) AS moment
      LEFT JOIN (
        SELECT named.name AS org, provider.key AS idp
        FROM (SELECT scope, ${fieldInBody('idpId')} AS idp FROM ${table(OBJECTS.domain)} WHERE key = ? AND ${state} = ?) AS verified
        JOIN ${table(OBJECTS.identity_provider)} AS provider
          ON provider.scope = verified.scope AND provider.key = verified.idp AND provider.${state} = ?
        JOIN ${table(NAMES)} AS named ON named.number = verified.scope
      ) AS found ON TRUE`,
    ),
    parameters: [domain, foldCase('verified'), foldCase('active')],
  }
}

/** The mappings of some groups of a provider, and how far the read model is. */
export function* readMappedGroups(
  dialect: Dialect,
  { orgId, idpId, groups }: MappedGroupsQuery,
): Steps<FoundAtHead<readonly MappedGroup[]>> {
  const { table, isListed } = dialect
  const mapping = table(OBJECTS.role_mapping)
  const { sql, parameters } = isListed(foldedColumn('group'), [...new Set(groups.map(foldCase))])
  type Row = readonly [group: string, body: string, since: string]
  const { found, ...positions } = yield* findPage<Row>({
    sql: besidePositions(
      dialect,
      'grp, body, since',
      `SELECT grp, body, (
          SELECT CAST(max(mapped.since) AS text) FROM ${table(MAPPED)} AS mapped
          WHERE mapped.org = ? AND mapped.idp = ${mapping}.idp AND mapped.grp = ${mapping}.grp
            AND mapped.scope = ${mapping}.${PROJECT_SCOPE}
        ) AS since
        FROM ${mapping} WHERE ${holdsNumber(dialect, 'scope')} AND ${sql} AND idp = ?`,
    ),
    parameters: [orgId, orgId, ...parameters, idpId],
  })
  const wanted = new Set(groups)
  const mapped = found.flatMap(([group, body, since]) => {
    if (!wanted.has(group)) return []
    const { validFor }: Pick<RoleMapping, 'validFor'> = JSON.parse(body)
    return { group, since: BigInt(since), ...(validFor !== undefined && { validFor }) }
  })
  return { ...positions, found: mapped }
}
