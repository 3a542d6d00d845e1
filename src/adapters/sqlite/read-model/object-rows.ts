import { type Position, timeOf } from '../../../ports/event-store.js'
import type { Views, ViewType } from '../../../ports/read-model.js'
import { filterableText } from '../../../projections/condition.js'
import { foldCase } from '../../../projections/fold-case.js'
import { ownerOf, type Place } from '../../../projections/place.js'
import { type ViewFields, viewFields } from '../../../projections/view-fields.js'
import type { Database } from '../database.js'
import { foldedColumn, foldedFields, tableOf } from './tables.js'

/** The columns that {@link decode} reads. */
export const SHOWN_COLUMNS = 'shown, sequence, creation_date'

/** What a query for {@link SHOWN_COLUMNS} finds. */
export type ShownRow = readonly [shown: string, sequence: number, creationDate: number]

/** An object as it is read, from what its row holds. */
export const decode = <Type extends ViewType>(
  scope: string,
  [shown, sequence, creationDate]: ShownRow,
): Views[Type] => ({
  ...JSON.parse(shown),
  details: {
    sequence: BigInt(sequence),
    creationDate: new Date(creationDate),
    changeDate: timeOf(BigInt(sequence)),
    resourceOwner: ownerOf(scope),
  },
})

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
  const fields: ViewFields<Views[Type]> = viewFields[type]
  const folded = foldedFields(type)
  const texts = folded.map((field) => filterableText(fields, field))
  const values = ['shown', 'sequence', 'creation_date', ...folded.map(foldedColumn)]
  const upsert = `INSERT INTO ${tableOf(type)} (scope, key, ${values.join(', ')})
    VALUES (?, ?${', ?'.repeat(values.length)}) ON CONFLICT (scope, key)
    DO UPDATE SET ${values.map((column) => `${column} = excluded.${column}`).join(', ')}`
  const removal = `DELETE FROM ${tableOf(type)} WHERE scope = ? AND key = ?`
  return {
    write: (database, { scope, key }, row) => {
      const { details, ...shown } = row
      const { sequence, creationDate } = details
      const foldedTexts = texts.map((read) => foldCase(read(row)))
      const own = [JSON.stringify(shown), sequence, creationDate.getTime()]
      database.run(upsert, scope, key, ...own, ...foldedTexts)
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
