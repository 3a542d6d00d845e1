import { aggregates } from '../../../domain/aggregates.js'
import type { ObjectRef } from '../../../domain/values.js'
import { timeOf } from '../../../ports/event-store.js'
import type { KnownEvent } from '../../../ports/known-event.js'
import type {
  FieldChange,
  FoundAtHead,
  HistoryEntry,
  HistoryQuery,
  Views,
  ViewType,
} from '../../../ports/read-model.js'
import type { Change } from '../../../projections/assignments.js'
import { fieldChanges, shownChanges } from '../../../projections/history-entries.js'
import { aggregateOf } from '../../../projections/read-events.js'
import {
  objectAt,
  projectScope,
  type RowKey,
  rowKeyOf,
  WHOLE_REMOVALS,
  wholesOf,
} from '../../../projections/rows.js'
import {
  allOf,
  boundedPosition,
  type Dialect,
  joined,
  param,
  type Row,
  type Statement,
  type Steps,
  sql,
} from '../dialect.js'
import { bodyOf, type Shared } from './stored-rows.js'
import {
  ASSIGNMENTS,
  besidePositions,
  ENTRY_COLUMNS,
  HISTORY,
  isNamed,
  MEMBERS,
  NAME_COLUMNS,
  NAMES,
  pageOf,
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
    .map(decodeEntry)
    .sort((one, other) => (one.sequence < other.sequence ? -isLater : isLater))
  return { ...positions, found: entries }
}

/** Finds the entries of a page of history, and the positions beside each. */
export const historyStatement = (dialect: Dialect, query: HistoryQuery): Statement => {
  const { order = 'asc', limit } = query
  const conditions = conditionsOf(dialect, query)
  // Each part uses an index of its own; a condition with OR might read the whole table.
  const parts = belonging(dialect, query).map(
    (part) => sql`SELECT * FROM ${dialect.table(HISTORY)} WHERE ${allOf([part, ...conditions])}`,
  )
  const page = sql`${joined(parts, ' UNION ALL ')} ORDER BY position ${order} LIMIT ${param(limit)}`
  // Names are looked up only for the page, not for all sorted rows.
  return besidePositions(dialect, readColumns(dialect), page)
}

const readColumns = ({ table }: Dialect): string =>
  ENTRY_COLUMNS.slice(1)
    .map(({ name }) =>
      NAME_COLUMNS.includes(name)
        ? `(SELECT name FROM ${table(NAMES)} WHERE number = ${name})`
        : name,
    )
    .join(', ')

const conditionsOf = (
  dialect: Dialect,
  { after, before, actor, types }: HistoryQuery,
): readonly Statement[] => [
  sql`position > ${param(boundedPosition(after))}`,
  ...(before === undefined ? [] : [sql`position < ${param(boundedPosition(before))}`]),
  ...(actor === undefined ? [] : [sql`actor = ${param(actor)}`]),
  ...(types === undefined ? [] : [isAnyOf(dialect, types)]),
]

/** Conditions for the entries of the organization, or of one object; no entry meets two of them. */
const belonging = (
  dialect: Dialect,
  { orgId, object, including, user }: HistoryQuery,
): readonly Statement[] => {
  if (user !== undefined) return [isOfUser(dialect, orgId, user), isOfMember(dialect, orgId, user)]
  if (object === undefined) return [isNamed(dialect, 'org', orgId)]
  const { scope, key } = rowKeyOf(orgId, object)
  const own = allOf([
    isNamed(dialect, 'scope', scope),
    sql`key = ${param(key)}`,
    // A project and an identity provider may have the same id.
    isOfType(dialect, object.type),
  ])
  const wholes = wholesOf(orgId, object)
  if (wholes.length > 0) return [own, ...endsOf(dialect, orgId, { object, wholes })]
  if (including === undefined) return [own]
  const roles = isNamed(dialect, 'scope', projectScope(orgId, key))
  return [own, allOf([roles, isOfType(dialect, 'project_role')])]
}

/** The entry belongs to a grant of a user. Every grant was added with a role, which was assigned then. */
const isOfUser = (dialect: Dialect, orgId: string, userId: string): Statement => {
  const { table } = dialect
  return allOf([
    isNamed(dialect, 'scope', orgId),
    sql`key IN (
      SELECT project.name || ${param(`+${userId}`)} FROM ${table(ASSIGNMENTS)} AS held
      JOIN ${table(NAMES)} AS project ON project.number = held.scope
      WHERE held.org = ${param(orgId)} AND held.user_id = ${param(userId)}
    )`,
    // An object of another type may have the same key.
    isOfType(dialect, 'user_grant'),
  ])
}

/** The entry belongs to a membership of a user. Every membership was first reported with a group. */
const isOfMember = (dialect: Dialect, orgId: string, userId: string): Statement =>
  allOf([
    isNamed(dialect, 'scope', orgId),
    sql`key IN (
      SELECT member.idp || '+' || member.user_id FROM ${dialect.table(MEMBERS)} AS member
      WHERE member.user_id = ${param(userId)} AND member.org = ${param(orgId)}
    )`,
    isOfType(dialect, 'membership'),
  ])

/**
 * One of {@link wholesOf} is removed, and the last entry before that, of the object or a removal of a whole, is one of
 * the object that does not remove it.
 */
const endsOf = (
  dialect: Dialect,
  orgId: string,
  { object, wholes }: { readonly object: ObjectRef; readonly wholes: readonly ObjectRef[] },
): readonly Statement[] => {
  const entriesOf = (ref: ObjectRef, types: Statement): Statement => {
    const { scope, key } = rowKeyOf(orgId, ref)
    return allOf([isNamed(dialect, 'scope', scope), sql`key = ${param(key)}`, types])
  }
  const ends = wholes.map((whole) =>
    entriesOf(whole, isAnyOf(dialect, aggregates[whole.type].eventsThat('removes'))),
  )
  // A role and a grant of the same project may have the same key.
  const own = entriesOf(object, isOfType(dialect, object.type))
  const history = dialect.table(HISTORY)
  // Each part uses an index of its own.
  const lasts = [own, ...ends].map(
    (part) => sql`SELECT * FROM (SELECT type, position FROM ${history} AS earlier
      WHERE ${part} AND earlier.position < ${history}.position
      ORDER BY earlier.position DESC LIMIT 1) AS part`,
  )
  const isRemoval = isAnyOf(dialect, [
    ...WHOLE_REMOVALS,
    ...aggregates[object.type].eventsThat('removes'),
  ])
  const isLast = sql`EXISTS (SELECT 1 FROM (
    SELECT type FROM (${joined(lasts, ' UNION ALL ')}) AS parts ORDER BY position DESC LIMIT 1
  ) AS last WHERE NOT ${isRemoval})`
  return ends.map((end) => allOf([end, isLast]))
}

const isAnyOf = ({ table, isListed }: Dialect, types: readonly string[]): Statement =>
  sql`type IN (SELECT number FROM ${table(NAMES)} WHERE ${isListed('name', types)})`

/** The slash is the character after the dot. */
const isOfType = ({ table }: Dialect, type: ViewType): Statement =>
  sql`type IN (SELECT number FROM ${table(NAMES)} WHERE name > ${param(`${type}.`)} AND name < ${param(`${type}/`)})`

/** An event, and the key of the row that it changes. */
export interface KeyedEvent {
  readonly event: KnownEvent
  readonly rowKey: RowKey
}

/** The values of {@link ENTRY_COLUMNS} for an event and its changes. */
export const encodeEntry = ({ event, rowKey }: KeyedEvent, change: Change, shared: Shared): Row => {
  const { numberOf } = shared
  const { actor, resourceOwner, correlationId = null, reason = null } = event.metadata
  return [
    numberOf(resourceOwner),
    numberOf(rowKey.scope),
    numberOf(event.type),
    rowKey.key,
    event.position,
    actor.userId,
    actor.orgId,
    correlationId,
    reason,
    changesIn(event, change, shared),
  ]
}

/** A new object without a secret is stored as its body, which its row holds as well. */
const changesIn = (event: KnownEvent, change: Change, shared: Shared): string => {
  const { before, after } = change
  const isNew = before === undefined && after !== undefined
  return isNew && aggregateOf(event.type).secretsChanged(event).length === 0
    ? bodyOf(shared, after)
    : JSON.stringify(fieldChanges(event, change))
}

/** The values of {@link ENTRY_COLUMNS} except the first, with names instead of their numbers. */
export type StoredEntry = readonly [
  scope: string,
  type: string,
  key: string,
  position: number | string,
  actor: string,
  actorOrgId: string,
  correlationId: string | null,
  reason: string | null,
  /** As JSON: the list of changes, or the body of a new object. */
  changes: string,
]

/** The entry that is stored as `row`. */
export const decodeEntry = (row: StoredEntry): HistoryEntry => {
  const [scope, type, key, position, userId, orgId, correlationId, reason, json] = row
  const sequence = BigInt(position)
  const changes: readonly FieldChange[] | Views[ViewType] = JSON.parse(json)
  const object = objectAt(type, { scope, key })
  return {
    sequence,
    time: timeOf(sequence),
    actor: { userId, orgId },
    type,
    object,
    changes:
      'state' in changes
        ? shownChanges(object.type, { before: undefined, after: changes })
        : changes.map(decodeChange),
    ...(correlationId !== null && { correlationId }),
    ...(reason !== null && { reason }),
  }
}

/** JSON leaves out undefined values. */
const decodeChange = (change: FieldChange): FieldChange =>
  'changed' in change ? change : { field: change.field, from: change.from, to: change.to }
