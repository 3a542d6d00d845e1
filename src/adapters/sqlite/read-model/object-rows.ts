import type { SQLInputValue } from 'node:sqlite'
import type { Views, ViewType } from '../../../ports/read-model.js'
import type { Place } from '../../../projections/place.js'
import { decodeRow, rowEncoder, SHOWN_COLUMNS, type Shared } from '../../kept-rows.js'
import { foldedColumn, foldedFields, NAMES, tableOf } from '../../read-tables.js'
import type { Database } from '../database.js'
import { insertion } from './insertion.js'

/** What a query for the columns shown finds. */
export type ShownRow = readonly [shown: string, sequence: number, creationDate: number]

/** An object as it is read, from what its row holds. */
export const decode = <Type extends ViewType>(
  scope: string,
  [shown, sequence, creationDate]: ShownRow,
): Views[Type] => decodeRow<Type>(scope, { shown, sequence: BigInt(sequence), creationDate })

/** The object at `place`. */
export const readObject = <Type extends ViewType>(
  database: Database,
  type: Type,
  { scope, key }: Place,
): Views[Type] | undefined => {
  const sql = `SELECT ${SHOWN_COLUMNS} FROM ${tableOf(type)} WHERE ${IN_SCOPE} AND key = ?`
  const [found] = database.rows<ShownRow>(sql, scope, key)
  return found && decode(scope, found)
}

const IN_SCOPE = `scope = (SELECT number FROM ${NAMES} WHERE name = ?)`

/** How the objects of one type are read and written. */
export interface ObjectTable<Row> {
  readonly read: (database: Database, place: Place) => Row | undefined
  /** Adds rows where there were none. */
  readonly insert: (
    database: Database,
    shared: Shared,
    rows: readonly (readonly [Place, Row])[],
  ) => void
  /** Puts `row` in place of `stored`. */
  readonly update: (
    database: Database,
    shared: Shared,
    change: { place: Place; stored: Row; row: Row },
  ) => void
  readonly remove: (database: Database, place: Place) => void
}

const objectTable = <Type extends ViewType>(type: Type): ObjectTable<Views[Type]> => {
  const encode = rowEncoder(type)
  const table = tableOf(type)
  const folded = foldedFields(type).map(foldedColumn)
  const shown = SHOWN_COLUMNS.split(', ')
  const insert = insertion(table, ['scope', 'key', ...shown, ...folded])
  return {
    read: (database, place) => readObject(database, type, place),
    insert: (database, shared, rows) => {
      const values: SQLInputValue[] = []
      for (const [{ scope, key }, row] of rows) {
        const { shown, sequence, creationDate, folded } = encode(row, shared)
        values.push(shared.numberOf(scope), key, shown, sequence, creationDate, ...folded)
      }
      insert(database, values)
    },
    update: (database, shared, { place: { scope, key }, stored, row }) => {
      const before = encode(stored, shared)
      const after = encode(row, shared)
      // SQLite writes to the index of every column named, also when its value is the same.
      const isChanged = (_: unknown, index: number) => before.folded[index] !== after.folded[index]
      const columns = [...shown, ...folded.filter(isChanged)]
      database.run(
        `UPDATE ${table} SET ${columns.join(' = ?, ')} = ? WHERE ${IN_SCOPE} AND key = ?`,
        after.shown,
        after.sequence,
        after.creationDate,
        ...after.folded.filter(isChanged),
        scope,
        key,
      )
    },
    remove: (database, { scope, key }) => {
      database.run(`DELETE FROM ${table} WHERE ${IN_SCOPE} AND key = ?`, scope, key)
    },
  }
}

/** The tables of all types of object. */
export const objectTables: { readonly [Type in ViewType]: ObjectTable<Views[Type]> } = {
  identity_provider: objectTable('identity_provider'),
  project: objectTable('project'),
  project_role: objectTable('project_role'),
}

/** Removes all objects of a type in `scope`. */
export const removeAll = (database: Database, type: ViewType, scope: string): void => {
  database.run(`DELETE FROM ${tableOf(type)} WHERE ${IN_SCOPE}`, scope)
}
