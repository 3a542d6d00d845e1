import type { Position } from '../../../ports/event-store.js'
import type { Views, ViewType } from '../../../ports/read-model.js'
import type { Place } from '../../../projections/place.js'
import { decodeRow, rowEncoder, SHOWN_COLUMNS } from '../../kept-rows.js'
import { foldedColumn, foldedFields, tableOf } from '../../read-tables.js'
import type { Database } from '../database.js'

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
  const sql = `SELECT ${SHOWN_COLUMNS} FROM ${tableOf(type)} WHERE scope = ? AND key = ?`
  const [found] = database.rows<ShownRow>(sql, scope, key)
  return found && decode(scope, found)
}

/** How the objects of one type are written. */
export interface ObjectTable<Row> {
  readonly write: (database: Database, place: Place, row: Row) => void
  readonly remove: (database: Database, place: Place) => void
}

const objectTable = <Type extends ViewType>(type: Type): ObjectTable<Views[Type]> => {
  const encode = rowEncoder(type)
  const values = ['shown', 'sequence', 'creation_date', ...foldedFields(type).map(foldedColumn)]
  const upsert = `INSERT INTO ${tableOf(type)} (scope, key, ${values.join(', ')})
    VALUES (?, ?${', ?'.repeat(values.length)}) ON CONFLICT (scope, key)
    DO UPDATE SET ${values.map((column) => `${column} = excluded.${column}`).join(', ')}`
  const removal = `DELETE FROM ${tableOf(type)} WHERE scope = ? AND key = ?`
  return {
    write: (database, { scope, key }, row) => {
      const { shown, sequence, creationDate, folded } = encode(row)
      database.run(upsert, scope, key, shown, sequence, creationDate, ...folded)
    },
    remove: (database, { scope, key }) => {
      database.run(removal, scope, key)
    },
  }
}

/** The tables of all types of object. */
export const objectTables: { readonly [Type in ViewType]: ObjectTable<Views[Type]> } = {
  identity_provider: objectTable('identity_provider'),
  project: objectTable('project'),
  project_role: objectTable('project_role'),
}

/** Removes all roles of `scope`. */
export const removeRoles = (database: Database, scope: string): void => {
  database.run(`DELETE FROM ${tableOf('project_role')} WHERE scope = ?`, scope)
}

/** The position that a number of SQLite's stands for. */
export const positionFrom = (value: unknown): Position =>
  typeof value === 'number' ? BigInt(value) : 0n
