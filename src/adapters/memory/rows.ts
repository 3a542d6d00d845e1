import { byType } from '../../domain/kinds.js'
import type { StreamId } from '../../domain/values.js'
import type { Position } from '../../ports/event-store.js'
import type { KnownEvent } from '../../ports/known-event.js'
import type { Views, ViewType } from '../../ports/read-model.js'
import type { Change } from '../../projections/rows/assignments.js'
import type { RowStore } from '../../projections/rows/change-row.js'

/** All that a read model in memory holds. */
export interface State {
  checkpoint: Position
  /** By scope, then by key. */
  readonly rows: { readonly [Type in ViewType]: Map<string, Map<string, Views[Type]>> }
  /** By organization. */
  readonly history: Map<string, History>
}

/** An event and the change it made, of which the entry in the history is made when it is read. */
export interface PastChange extends Change {
  readonly event: KnownEvent
}

/** What happened in one organization, oldest first. */
export interface History {
  readonly all: PastChange[]
  /** Of each object, as far as `indexed`: the history of one object is seldom read. */
  readonly byObject: Map<StreamId, PastChange[]>
  /** Of each object and of what lies in it, as far as `indexed`. */
  readonly byContainer: Map<StreamId, PastChange[]>
  /** How many of `all` are in `byObject` and `byContainer`. */
  indexed: number
}

/** The state before the first event. */
export const emptyState = (): State => ({
  checkpoint: 0n,
  rows: byType((): Map<string, Map<string, never>> => new Map()),
  history: new Map(),
})

/** The value under `key`; made and added when there is none. */
export const getOrAdd = <Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value => {
  const found = map.get(key)
  if (found !== undefined) return found
  const made = make()
  map.set(key, made)
  return made
}

/** The rows of `state`, as events change them. */
export const rowStore = ({ rows }: State): RowStore => ({
  get: (type, { scope, key }) => rows[type].get(scope)?.get(key),
  put: (type, { scope, key }, row) => {
    if (row === undefined) rows[type].get(scope)?.delete(key)
    else getOrAdd<string, Map<string, typeof row>>(rows[type], scope, () => new Map()).set(key, row)
  },
  removeAll: (type, scope) => {
    rows[type].delete(scope)
  },
})

/** A copy of `row`, so that no reader can change the stored one; dates cannot be frozen. */
export const copyOf = <Row extends Views[ViewType]>(row: Row): Row => {
  const { creationDate, changeDate } = row.details
  return {
    ...row,
    details: {
      ...row.details,
      creationDate: new Date(creationDate),
      changeDate: new Date(changeDate),
    },
  }
}
