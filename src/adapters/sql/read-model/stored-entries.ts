import { timeOf } from '../../../ports/event-store.js'
import type { KnownEvent } from '../../../ports/known-event.js'
import type { FieldChange, HistoryEntry, Views, ViewType } from '../../../ports/read-model.js'
import { kindOf } from '../../../projections/events/kind-of.js'
import { fieldChanges, shownChanges } from '../../../projections/history-view.js'
import type { Change } from '../../../projections/rows/assignments.js'
import { objectAt, type RowKey } from '../../../projections/rows/row-key.js'
import type { Column } from '../dialect.js'
import type { Row } from '../statement.js'
import { bodyOf, type Shared } from './stored-rows.js'

/**
 * Columns of an entry that hold the numbers of names, which repeat and are of limited length. The ids of actors
 * are not: others may have recorded long ones.
 */
export const NAME_COLUMNS = ['org', 'scope', 'type']

/** The columns of an entry of the history. */
export const ENTRY_COLUMNS: readonly Column[] = [
  ...NAME_COLUMNS.map((name): Column => ({ name, holds: 'integer' })),
  { name: 'key', holds: 'text' },
  { name: 'position', holds: 'integer' },
  { name: 'actor', holds: 'text' },
  { name: 'actor_org_id', holds: 'text' },
  { name: 'correlation_id', holds: 'text', isNullable: true },
  { name: 'changes', holds: 'json' },
]

/** An event, and the key of the row that it changes. */
export interface KeyedEvent {
  readonly event: KnownEvent
  readonly rowKey: RowKey
}

/** The values of {@link ENTRY_COLUMNS} for an event and what it changed. */
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

/** A new object without a secret is stored as its body, which its row holds as well. */
const changesIn = (event: KnownEvent, change: Change, shared: Shared): string => {
  const { before, after } = change
  const isNew = before === undefined && after !== undefined
  return isNew && kindOf(event.type).secretsChanged(event).length === 0
    ? bodyOf(shared, after)
    : JSON.stringify(fieldChanges(event, change))
}

/** The values of {@link ENTRY_COLUMNS} but the first, with names in place of their numbers. */
export type StoredEntry = readonly [
  scope: string,
  type: string,
  key: string,
  position: number | string,
  actor: string,
  actorOrgId: string,
  correlationId: string | null,
  /** As JSON: the list of changes, or the body of a new object. */
  changes: string,
]

/** The entry that is stored as `row`. */
export const decodeEntry = (row: StoredEntry): HistoryEntry => {
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
