import { timeOf } from '../../../ports/event-store.js'
import type { KnownEvent } from '../../../ports/known-event.js'
import type { FieldChange, HistoryEntry, Views, ViewType } from '../../../ports/read-model.js'
import { type Change, fieldChanges, shownChanges } from '../../../projections/history-view.js'
import { objectAt, type RowKey } from '../../../projections/rows/row-key.js'
import type { Column, Dialect } from '../dialect.js'
import type { Row } from '../statement.js'
import type { Shared } from './stored-rows.js'
import { NAMES } from './tables.js'

/**
 * The columns of an entry of the history that hold numbers of names: an entry's names repeat. All are bounded, as an
 * index of them demands; the ids of who acted are not, in events that others wrote.
 */
const NAME_COLUMNS = ['org', 'scope', 'type']

/** The columns of an entry. */
export const ENTRY_COLUMNS: readonly Column[] = [
  ...NAME_COLUMNS.map((name): Column => ({ name, holds: 'integer' })),
  { name: 'key', holds: 'text' },
  { name: 'position', holds: 'integer' },
  { name: 'actor', holds: 'text' },
  { name: 'actor_org_id', holds: 'text' },
  { name: 'correlation_id', holds: 'text' },
  { name: 'changes', holds: 'json' },
]

/** An event, and the key of the row that it changes. */
export interface KeyedEvent {
  readonly event: KnownEvent
  readonly rowKey: RowKey
}

/** What an event did, in the order of {@link ENTRY_COLUMNS}. */
export const encodeEntry = ({ event, rowKey }: KeyedEvent, change: Change, shared: Shared): Row => {
  const { numberOf } = shared
  const { actor, resourceOwner, correlationId = null } = event.metadata
  return [
    numberOf(resourceOwner),
    numberOf(rowKey.scope),
    numberOf(event.type),
    rowKey.key,
    event.position,
    actor.userId,
    actor.orgId,
    correlationId,
    changesIn(event, change, shared),
  ]
}

const changesIn = (event: KnownEvent, change: Change, { shownIn }: Shared): string => {
  const { before, after } = change
  const isShown = before === undefined && after !== undefined && !('clientSecret' in event.data)
  return isShown ? shownIn(after) : JSON.stringify(fieldChanges(event, change))
}

/** What follows `SELECT` when entries are read, with their names. */
export const readColumns = ({ table }: Dialect): string =>
  ENTRY_COLUMNS.slice(1)
    .map(({ name }) =>
      NAME_COLUMNS.includes(name)
        ? `(SELECT name FROM ${table(NAMES)} WHERE number = ${name})`
        : name,
    )
    .join(', ')

/** What is found by {@link readColumns}. */
export type FoundEntry = readonly [
  scope: string,
  type: string,
  key: string,
  position: number | string,
  actor: string,
  actorOrgId: string,
  correlationId: string | null,
  /** As JSON: the list of changes, or all that is shown of an object that came to be. */
  changes: string,
]

/** The entry that was found as `row`. */
export const decodeEntry = (row: FoundEntry): HistoryEntry => {
  const [scope, type, key, position, userId, orgId, correlationId, json] = row
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
  }
}

/** JSON leaves out what is undefined. */
const decodeChange = (change: FieldChange): FieldChange =>
  'changed' in change ? change : { field: change.field, from: change.from, to: change.to }
