import { kinds } from '../domain/kinds.js'
import type { KnownEvent } from '../ports/known-event.js'
import type { Views, ViewType } from '../ports/read-model.js'
import { detailsAfter } from './details.js'
import type { Change } from './history-view.js'
import { kindOf } from './kind-of.js'
import { objectOf } from './object-of.js'
import { type Place, placeOf, rolesOf } from './place.js'

/** The rows of all objects that exist, as far as events are applied to them. */
export interface RowStore {
  readonly get: <Type extends ViewType>(type: Type, place: Place) => Views[Type] | undefined
  /** Puts `row` in place of what was there; `undefined` takes it away. */
  readonly put: <Type extends ViewType>(
    type: Type,
    place: Place,
    row: Views[Type] | undefined,
  ) => void
  /** Takes away all rows of a type in `scope`. */
  readonly removeAll: (type: ViewType, scope: string) => void
}

/** A row of any type: a view with its details. */
type Row = Views[ViewType] | undefined

/** Changes the rows as `event` says, and tells what it did to the object that it tells of. */
export const changeRow = (rows: RowStore, event: KnownEvent): Change => {
  const orgId = event.metadata.resourceOwner
  const { type, removal } = kindOf(event.type)
  const place = placeOf(orgId, objectOf(event))
  // Before the first event of an object there is nothing to look for.
  const before: Row = event.version === 1 ? undefined : rows.get(type, place)
  const after = rowAfter(before, event)
  rows.put(type, place, after)
  if (event.type === removal) {
    for (const { type: contained, container } of Object.values(kinds))
      if (container?.type === type) rows.removeAll(contained, rolesOf(orgId, place.key))
  }
  return { before, after }
}

/** The row of an object after `event`; undefined when there is none. */
export const rowAfter = (before: Row, event: KnownEvent): Row => {
  const view = kindOf(event.type).view(before, event)
  return view && { ...view, details: detailsAfter(before?.details, event) }
}
