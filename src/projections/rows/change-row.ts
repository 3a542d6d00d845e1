import { kinds } from '../../domain/kinds.js'
import type { KnownEvent } from '../../ports/known-event.js'
import type { Views, ViewType } from '../../ports/read-model.js'
import { kindOf, objectOf } from '../events/kind-of.js'
import type { Change } from '../history-view.js'
import { detailsAfter } from './details.js'
import { type RowKey, roleScope, rowKeyOf } from './row-key.js'

/** The rows of all objects that exist, as far as events are applied to them. */
export interface RowStore {
  readonly get: <Type extends ViewType>(type: Type, rowKey: RowKey) => Views[Type] | undefined
  /** Puts `row` in place of what was there; `undefined` takes it away. */
  readonly put: <Type extends ViewType>(
    type: Type,
    rowKey: RowKey,
    row: Views[Type] | undefined,
  ) => void
  /** Takes away all rows of a type in `scope`. */
  readonly removeAll: (type: ViewType, scope: string) => void
}

/** A row of any type: a view with its details. */
type Row = Views[ViewType] | undefined

/** Changes the rows as `event` says, and tells what it did to the object that it tells of. */
export const changeRow = (
  rows: RowStore,
  event: KnownEvent,
  rowKey: RowKey = rowKeyOf(event.metadata.resourceOwner, objectOf(event)),
): Change => {
  const orgId = event.metadata.resourceOwner
  const { type, removal } = kindOf(event.type)
  // Before the first event of an object there is nothing to look for.
  const before: Row = event.version === 1 ? undefined : rows.get(type, rowKey)
  const after = rowAfter(before, event)
  rows.put(type, rowKey, after)
  if (event.type === removal) {
    for (const { type: contained, container } of Object.values(kinds))
      if (container?.type === type) rows.removeAll(contained, roleScope(orgId, rowKey.key))
  }
  return { before, after }
}

/** The row of an object after `event`; undefined when there is none. */
export const rowAfter = (before: Row, event: KnownEvent): Row => {
  const view = kindOf(event.type).view(before, event)
  return view && { ...view, details: detailsAfter(before?.details, event) }
}
