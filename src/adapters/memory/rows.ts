import { byType } from '../../domain/kinds.js'
import type { StreamId } from '../../domain/values.js'
import type { Position } from '../../ports/event-store.js'
import type { KnownEvent } from '../../ports/known-event.js'
import type { Views, ViewType } from '../../ports/read-model.js'
import type { Change } from '../../projections/history-view.js'
import type { RowStore } from '../../projections/rows/change-row.js'

/** An event and what it did, from which its entry in the history is made when somebody asks. */
export interface Past extends Change {
  readonly event: KnownEvent
}

/** All that a read model in memory knows. What one organization asks never meets another's rows. */
export interface Kept {
  checkpoint: Position
  /** By scope, then by key. */
  readonly rows: { readonly [Type in ViewType]: Map<string, Map<string, Views[Type]>> }
  /** By organization. */
  readonly history: Map<string, History>
}

/** What happened in one organization, oldest first. */
export interface History {
  readonly past: Past[]
  /** The same by object, as far as {@link History.sorted}: objects are seldom asked for. */
  readonly byObject: Map<StreamId, Past[]>
  /** The same with what lies in an object beside it, as far as {@link History.sorted}. */
  readonly byContainer: Map<StreamId, Past[]>
  /** How many of `past` are in `byObject` and `byContainer`. */
  sorted: number
}

/** What is known before the first event. */
export const nothingKept = (): Kept => ({
  checkpoint: 0n,
  rows: byType((): Map<string, Map<string, never>> => new Map()),
  history: new Map(),
})

/** What is kept under `key`; made and kept when there is nothing yet. */
export const keptUnder = <Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value => {
  const found = map.get(key)
  if (found !== undefined) return found
  const made = make()
  map.set(key, made)
  return made
}

/** The rows of `kept`, as events change them. */
export const rowStore = ({ rows }: Kept): RowStore => ({
  get: (type, { scope, key }) => rows[type].get(scope)?.get(key),
  put: (type, { scope, key }, row) => {
    if (row === undefined) rows[type].get(scope)?.delete(key)
    else
      keptUnder<string, Map<string, typeof row>>(rows[type], scope, () => new Map()).set(key, row)
  },
  removeAll: (type, scope) => {
    rows[type].delete(scope)
  },
})

/** A copy of `row`, so that no reader can alter what is kept; dates cannot be frozen. */
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
