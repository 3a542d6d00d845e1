import type { Views, ViewType } from '../../../ports/read-model.js'
import type { RowStore } from '../../../projections/change-row.js'
import type { Place } from '../../../projections/place.js'
import type { Shared } from '../../kept-rows.js'
import type { Database } from '../database.js'
import { type ObjectTable, objectTables, removeAll } from './object-rows.js'

/** The rows of the tables while a batch of events changes them. */
export interface RowBatch extends RowStore {
  /** Writes what was changed, each row once. */
  readonly flush: () => void
}

/** Keeps what a batch of events reads and changes until it is written in one go. */
export const rowBatch = (database: Database, shared: Shared): RowBatch => {
  const rows: { readonly [Type in ViewType]: TypeBatch<Views[Type]> } = {
    identity_provider: typeBatch(database, shared, objectTables.identity_provider),
    project: typeBatch(database, shared, objectTables.project),
    project_role: typeBatch(database, shared, objectTables.project_role),
  }
  return {
    get: (type, place) => rows[type].get(place),
    put: (type, place, row) => rows[type].put(place, row),
    removeAll: (type, scope) => {
      rows[type].forget(scope)
      removeAll(database, type, scope)
    },
    flush: () => {
      for (const ofType of Object.values(rows)) ofType.flush()
    },
  }
}

/** The rows of one type. */
interface TypeBatch<Row> {
  readonly get: (place: Place) => Row | undefined
  /** The table is taken to hold nothing at a place that was not read first. */
  readonly put: (place: Place, row: Row | undefined) => void
  readonly forget: (scope: string) => void
  readonly flush: () => void
}

/** A row as the table has it, and as it is to be; undefined where there is none. */
interface Entry<Row> {
  readonly stored: Row | undefined
  row: Row | undefined
}

const typeBatch = <Row>(
  database: Database,
  shared: Shared,
  table: ObjectTable<Row>,
): TypeBatch<Row> => {
  /** By scope, then by key. */
  const entries = new Map<string, Map<string, Entry<Row>>>()
  const byNumber = (one: string, other: string): number =>
    shared.numberOf(one) - shared.numberOf(other)

  const keep = ({ scope, key }: Place, entry: Entry<Row>): void => {
    const ofScope = entries.get(scope) ?? new Map<string, Entry<Row>>()
    entries.set(scope, ofScope.set(key, entry))
  }

  return {
    get: (place) => {
      const known = entries.get(place.scope)?.get(place.key)
      if (known) return known.row
      const stored = table.read(database, place)
      keep(place, { stored, row: stored })
      return stored
    },
    put: (place, row) => {
      const known = entries.get(place.scope)?.get(place.key)
      if (known) known.row = row
      else keep(place, { stored: undefined, row })
    },
    forget: (scope) => {
      entries.delete(scope)
    },
    flush: () => {
      const added: (readonly [Place, Row])[] = []
      // By scope: neighbours in the table are written together.
      for (const scope of [...entries.keys()].toSorted(byNumber)) {
        for (const [key, { stored, row }] of entries.get(scope) ?? []) {
          const place = { scope, key }
          if (stored === undefined) {
            if (row !== undefined) added.push([place, row])
          } else if (row === undefined) table.remove(database, place)
          else if (row !== stored) table.update(database, shared, { place, stored, row })
        }
      }
      table.insert(database, shared, added)
    },
  }
}
