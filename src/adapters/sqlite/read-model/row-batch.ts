import type { Views, ViewType } from '../../../ports/read-model.js'
import type { RowStore } from '../../../projections/change-row.js'
import type { Place } from '../../../projections/place.js'
import type { Database } from '../database.js'
import { type ObjectTable, objectTables, readObject, removeRoles } from './object-rows.js'

/** Rows by scope, then by key; undefined for one that is known not to be there. */
type Scopes<Row> = Map<string, Map<string, Row | undefined>>

/** The rows of the tables while a batch of events changes them. */
export interface RowBatch extends RowStore {
  /** Writes what was changed, each row once. */
  readonly flush: () => void
}

/** Keeps what a batch of events reads and changes until it is written in one go. */
export const rowBatch = (database: Database): RowBatch => {
  const changed: { readonly [Type in ViewType]: Scopes<Views[Type]> } = {
    identity_provider: new Map(),
    project: new Map(),
    project_role: new Map(),
  }

  const flushType = <Type extends ViewType>(type: Type): void =>
    writeAll(database, objectTables[type], changed[type])

  return {
    get: (type, place) => {
      const rows = changed[type].get(place.scope)
      if (rows?.has(place.key)) return rows.get(place.key)
      return readObject(database, type, place)
    },
    put: <Type extends ViewType>(
      type: Type,
      { scope, key }: Place,
      row: Views[Type] | undefined,
    ) => {
      const scopes: Scopes<Views[Type]> = changed[type]
      const rows = scopes.get(scope) ?? new Map<string, Views[Type] | undefined>()
      scopes.set(scope, rows.set(key, row))
    },
    removeRoles: (scope) => {
      changed.project_role.delete(scope)
      removeRoles(database, scope)
    },
    flush: () => {
      flushType('identity_provider')
      flushType('project')
      flushType('project_role')
    },
  }
}

/** Goes by scope: neighbours in the table are written together. */
const writeAll = <Row>(database: Database, table: ObjectTable<Row>, scopes: Scopes<Row>): void => {
  for (const scope of [...scopes.keys()].toSorted()) {
    for (const [key, row] of scopes.get(scope) ?? []) {
      if (row === undefined) table.remove(database, { scope, key })
      else table.write(database, { scope, key }, row)
    }
  }
}
