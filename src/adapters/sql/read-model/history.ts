import { aggregates, EVENT_TYPES } from '../../../domain/aggregates.js'
import type { ObjectRef } from '../../../domain/values.js'
import type { FoundAtHead, HistoryEntry, HistoryQuery } from '../../../ports/read-model.js'
import { historyEntry } from '../../../projections/history-entries.js'
import { type IsCurrent, project, type Row, shown } from '../../../projections/project.js'
import { isOfObject, objectOf, readAgain, streamOf } from '../../../projections/read-events.js'
import { WHOLE_REMOVALS, wholesOf } from '../../../projections/rows.js'
import {
  allOf,
  atLeast,
  boundedPosition,
  type Dialect,
  joined,
  markOfSize,
  param,
  type Statement,
  type Steps,
  sql,
} from '../dialect.js'
import { EVENT_COLUMNS, type EventRow, eventsOf } from '../stored-events.js'
import { amongGenerations, currentIn, currentOf, numbersIn, rowOf, shareOf } from './stored-rows.js'
import {
  CHANGES,
  checkpointIn,
  GRANTS,
  logOf,
  MEMBERS,
  PLACES,
  pageOf,
  withPositions,
} from './tables.js'

/** A page of history, and how far the read model is. */
export function* readHistory(
  dialect: Dialect,
  query: HistoryQuery,
): Steps<FoundAtHead<readonly HistoryEntry[]>> {
  const { found, ...positions } = pageOf<StoredEntry>(yield historyStatement(dialect, query))
  const isLater = query.order === 'desc' ? -1 : 1
  // They come in order, which no database promises of a join; to sort them there would take a second pass.
  const entries = found
    .toSorted(([one], [other]) => (BigInt(one) < BigInt(other) ? -isLater : isLater))
    .slice(0, query.limit)
    .map(decodeEntry)
  return { ...positions, found: entries }
}

/** An event, the object before it, and the roles of that which had not ended. */
type StoredEntry = readonly [
  ...EventRow<number | string>,
  before: string | null,
  current: string | null,
]

const decodeEntry = ([...row]: StoredEntry): HistoryEntry => {
  const [before, current] = row.splice(-2) as [string | null, string | null]
  const [recorded] = eventsOf([row as unknown as EventRow<number | string>])
  if (recorded?.data === undefined)
    throw new Error('The data of an event that was applied are damaged')
  const value = readAgain(recorded)
  const ref = objectOf(value)
  const { resourceOwner } = value.metadata
  const from =
    before === null || before === 'null'
      ? undefined
      : rowOf(ref.type, resourceOwner, before, [0n, new Date(0)])
  const to = project(from, value)
  const isShown = shownBefore(from, current)
  return historyEntry(value, {
    before: from && shown(ref, from, isShown),
    after: to && shown(ref, to, isShown),
  })
}

/** Which roles are shown beside an event: those that had not ended before, and those that it gives. */
const shownBefore = (from: Row | undefined, current: string | null): IsCurrent => {
  const isCurrent = amongGenerations(currentIn(current).values())
  const fact = from?.fact?.fact
  const roles = fact && 'roles' in fact ? fact.roles : []
  const known = new Set(roles.map((role) => String(shareOf(role))))
  return (of, role) => isCurrent(of, role) || !known.has(String(shareOf(role)))
}

/** Finds the entries of a page of history, and the positions beside each. */
export const historyStatement = (dialect: Dialect, query: HistoryQuery): Statement => {
  const { order = 'asc', limit } = query
  const { table } = dialect
  const log = logOf(dialect)
  // With a plus, a database reads the streams of objects by their names, not all events between two positions.
  const { object, user, project: within } = query
  const isOfAll = object === undefined && user === undefined && within === undefined
  const conditions = conditionsOf(dialect, query, isOfAll ? 'event.position' : '+event.position')
  // Each part uses an index of its own; a condition with OR might read the whole table.
  const parts = belonging(dialect, query).map(
    (part, index) =>
      sql`SELECT * FROM (SELECT ${EVENT_COLUMNS} FROM ${log} AS event WHERE ${allOf([part, ...conditions])}
        ORDER BY event.position ${order} LIMIT ${atLeast(limit)}) AS part_${index}`,
  )
  const page = sql`SELECT * FROM (${joined(parts, ' UNION ALL ')}) AS parts ORDER BY position ${order} LIMIT ${atLeast(limit)}`
  const { dataOf = (event: string) => `${event}.data` } = dialect
  const columns = EVENT_COLUMNS.split(', ').map((name) =>
    name === 'data' ? `${dataOf('entry')} AS data` : `entry.${name}`,
  )
  // The roles of the object before the event that had not ended.
  const currentBefore = currentOf(
    dialect,
    numbersIn(dialect, 'change.shares'),
    sql`(change.position - 1)`,
  )
  const entries = sql`SELECT ${columns.join(', ')}, change.body AS body, (${currentBefore}) AS current_roles
    FROM (${page}) AS entry LEFT JOIN ${table(CHANGES)} AS change ON change.position = entry.position`
  return {
    isRepeated: isRepeated(query),
    ...withPositions(dialect, `${EVENT_COLUMNS}, body, current_roles`, entries),
  }
}

/** Whether the plan of a page does not depend on what is asked for. */
const isRepeated = ({ project: within, actor, limit }: HistoryQuery): boolean =>
  markOfSize(limit) !== undefined && actor === undefined && !within

const conditionsOf = (
  dialect: Dialect,
  { after, before, actor, types }: HistoryQuery,
  position: string,
): readonly Statement[] => [
  sql`${position} > ${param(boundedPosition(after))}`,
  ...(before === undefined ? [] : [sql`${position} < ${param(boundedPosition(before))}`]),
  // What the log has beyond the checkpoint is not applied yet.
  sql`${position} <= ${checkpointIn(dialect)}`,
  // Metadata have one `userId`, and a quote within a text is escaped.
  ...(actor === undefined
    ? []
    : [
        {
          sql: dialect.contains('event.metadata'),
          parameters: [`"userId":${JSON.stringify(actor)}`],
        },
      ]),
  ...(types === undefined ? [] : [dialect.isListed('event.type', types)]),
]

/** Events that only guard uniqueness across organizations: they are no changes of an object. */
const CLAIMS = EVENT_TYPES.filter((type) => !isOfObject({ type }))

/** Conditions for the entries of the organization, or of one object; no entry meets two of them. */
const belonging = (
  dialect: Dialect,
  { orgId, object, including, user, project: within }: HistoryQuery,
): readonly Statement[] => {
  if (user !== undefined) {
    const isOf = isOfUser(dialect, orgId, user)
    return within
      ? [allOf([isOf, isOfGrants(orgId, within)])]
      : [isOf, isOfMember(dialect, orgId, user)]
  }
  if (within) return isOfProject(dialect, orgId, within)
  if (object === undefined)
    return [
      sql`${dialect.organizationIn('event.stream')} = ${param(orgId)} AND event.type NOT IN (${CLAIMS.map((type) => `'${type}'`).join(', ')})`,
    ]
  const own = sql`event.stream = ${param(streamOf(orgId, object))}`
  const wholes = wholesOf(orgId, object)
  if (wholes.length > 0) return [own, ...endsOf(dialect, orgId, { object, wholes })]
  if (including === undefined || object.type !== 'project') return [own]
  return [own, isBelow(`project_role-${orgId}+${object.id}`)]
}

/** The name of the stream goes on after `path` with another id. The comma is the character after the plus. */
const isBelow = (path: string): Statement =>
  sql`event.stream > ${param(`${path}+`)} AND event.stream < ${param(`${path},`)}`

type Within = NonNullable<HistoryQuery['project']>

/** The entry belongs to a grant of roles in a project or a resource of it, whose id follows a comma, before a dash. */
const isOfGrants = (orgId: string, { projectOrgId, projectId }: Within): Statement => {
  const path = `user_grant-${orgId}+${projectOrgId}+${projectId}`
  return sql`event.stream > ${param(`${path}+`)} AND event.stream < ${param(`${path}-`)}`
}

/** The entry belongs to a project, or to what lies in it. */
const isOfProject = (dialect: Dialect, orgId: string, within: Within): readonly Statement[] => {
  const { projectOrgId, projectId } = within
  const path = `${orgId}+${projectId}`
  const own =
    projectOrgId === orgId
      ? [
          sql`event.stream = ${param(`project-${path}`)}`,
          isBelow(`project_role-${path}`),
          isBelow(`project_grant-${path}`),
        ]
      : []
  return [...own, isOfGrants(orgId, within), isOfMapping(dialect, orgId, within)]
}

/** The entry belongs to a mapping to roles of a project: its stream has the provider before the project. */
const isOfMapping = (dialect: Dialect, orgId: string, within: Within): Statement => {
  const provider = 'identity_provider-'
  const mapping = sql`'role_mapping-' || substr(provider.stream, ${String(provider.length + 1)})`
  const path = `+${within.projectOrgId}+${within.projectId}`
  return sql`EXISTS (SELECT 1 FROM ${logOf(dialect)} AS provider
    WHERE provider.stream > ${param(`${provider}${orgId}+`)} AND provider.stream < ${param(`${provider}${orgId},`)}
    AND provider.version = 1
    AND event.stream > ${mapping} || ${param(`${path}+`)} AND event.stream < ${mapping} || ${param(`${path}-`)})`
}

/** The entry belongs to a grant of a user, which may have been removed. */
const isOfUser = ({ table }: Dialect, orgId: string, userId: string): Statement =>
  sql`event.stream IN (
    SELECT 'user_grant-' || place.org || '+' || place.scope || '+' || granted.user_id FROM ${table(GRANTS)} AS granted
    JOIN ${table(PLACES)} AS place ON place.number = granted.place
    WHERE granted.user_id = ${param(userId)} AND place.org = ${param(orgId)})`

/** The entry belongs to a membership of a user. Every membership was first reported with a group. */
const isOfMember = ({ table }: Dialect, orgId: string, userId: string): Statement =>
  sql`event.stream IN (
    SELECT 'membership-' || member.org || '+' || member.idp || '+' || member.user_id FROM ${table(MEMBERS)} AS member
    WHERE member.user_id = ${param(userId)} AND member.org = ${param(orgId)})`

/**
 * One of {@link wholesOf} is removed, and the last event before that, of the object or a removal of a whole, is one of
 * the object that does not remove it.
 */
const endsOf = (
  dialect: Dialect,
  orgId: string,
  { object, wholes }: { readonly object: ObjectRef; readonly wholes: readonly ObjectRef[] },
): readonly Statement[] => {
  const { isListed } = dialect
  const isOf = (ref: ObjectRef, row: string) => sql`${row}.stream = ${param(streamOf(orgId, ref))}`
  const ends = (row: string) =>
    wholes.map((whole) => sql`${isOf(whole, row)} AND ${isListed(`${row}.type`, WHOLE_REMOVALS)}`)
  // Each part uses an index of its own.
  const lasts = [isOf(object, 'earlier'), ...ends('earlier')].map(
    (part, index) => sql`SELECT * FROM (SELECT type, position FROM ${logOf(dialect)} AS earlier
      WHERE ${part} AND +earlier.position < event.position
      ORDER BY earlier.version DESC LIMIT 1) AS last_${index}`,
  )
  const { removes } = aggregates[object.type]
  const removals = removes === undefined ? WHOLE_REMOVALS : [...WHOLE_REMOVALS, removes]
  const isLast = sql`EXISTS (SELECT 1 FROM (
    SELECT type FROM (${joined(lasts, ' UNION ALL ')}) AS lasts ORDER BY position DESC LIMIT 1
  ) AS last WHERE NOT (${isListed('last.type', removals)}))`
  return ends('event').map((end) => allOf([end, isLast]))
}
