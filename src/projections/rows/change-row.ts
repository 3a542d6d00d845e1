import { kinds } from '../../domain/kinds.js'
import { type RecordedEvent, timeOf } from '../../ports/event-store.js'
import type { KnownEvent } from '../../ports/known-event.js'
import type { ObjectDetails, Views, ViewType } from '../../ports/read-model.js'
import { kindOf, objectOf } from '../events/kind-of.js'
import { type AssignmentStore, type Change, changeAssignments } from './assignments.js'
import { type RowKey, roleScope, rowKeyOf } from './row-key.js'

/** The rows of all objects that exist after the events applied so far. */
export interface RowStore extends AssignmentStore {
  readonly get: (type: ViewType, rowKey: RowKey) => Row
  /** Replaces the row; `undefined` removes it. */
  readonly put: (type: ViewType, rowKey: RowKey, row: Row) => void
  /** Removes all rows of a type that are removed with a project; `scope` is that of the project. */
  readonly removeAll: (type: ViewType, scope: string) => void
}

/** A row of any type: a view with its details. */
type Row = Views[ViewType] | undefined

/**
 * Applies `event` to the rows, and returns the change to its object as it is shown. A row holds all roles that the
 * last event recorded; those that have ended since are not shown.
 */
export const changeRow = (
  rows: RowStore,
  event: KnownEvent,
  rowKey: RowKey = rowKeyOf(event.metadata.resourceOwner, objectOf(event)),
): Change => {
  const orgId = event.metadata.resourceOwner
  const kind = kindOf(event.type)
  const { type, removal } = kind
  // Before its first event, an object has no row.
  const before: Row = event.version === 1 ? undefined : rows.get(type, rowKey)
  const after = rowAfter(before, event)
  rows.put(type, rowKey, after)
  if (event.type === removal) {
    for (const { type: removed, removedWith } of Object.values(kinds))
      if (removedWith === type) rows.removeAll(removed, roleScope(orgId, rowKey.key))
  }
  return changeAssignments(rows, kind, event, { before, after })
}

/** The row of an object after `event`; undefined when there is none. */
export const rowAfter = (before: Row, event: KnownEvent): Row => {
  const view = kindOf(event.type).view(before, event, event.metadata.resourceOwner)
  return view && { ...view, details: detailsAfter(before?.details, event) }
}

/** The details after `event`, which adds the object when there is no `before`. */
const detailsAfter = (
  before: ObjectDetails | undefined,
  { position, metadata }: RecordedEvent,
): ObjectDetails => {
  const changeDate = timeOf(position)
  return {
    sequence: position,
    creationDate: before?.creationDate ?? changeDate,
    changeDate,
    resourceOwner: metadata.resourceOwner,
  }
}
