import type { Views, ViewType } from '../../../ports/read-model.js'
import type { Place } from '../../../projections/place.js'
import { decodeRow, rowEncoder, SHOWN_COLUMNS } from '../../kept-rows.js'
import { foldedColumn, foldedFields, tableOf } from '../../read-tables.js'
import type { Session, Statement } from '../session.js'

/** What a query for the columns shown finds. */
export type ShownRow = readonly [shown: string, sequence: string, creationDate: string]

/** An object as it is read, from what its row holds. */
export const decode = <Type extends ViewType>(
  scope: string,
  [shown, sequence, creationDate]: ShownRow,
): Views[Type] =>
  decodeRow<Type>(scope, {
    shown,
    sequence: BigInt(sequence),
    creationDate: Number(creationDate),
  })

/** How the object at a place is found. */
export const objectStatement = (
  schema: string,
  type: ViewType,
  { scope, key }: Place,
): Statement => ({
  name: `${schema} ${SHORT[type]}`,
  text: `SELECT ${SHOWN_COLUMNS} FROM ${schema}.${tableOf(type)} WHERE scope = $1 AND key = $2`,
  values: [scope, key],
})

const SHORT = { identity_provider: 'get i', project: 'get p', project_role: 'get r' } as const

/** How the objects of one type are read and written many at a time. */
export interface ObjectTable<Row> {
  /** The objects at `places`, of those that exist. */
  readonly read: (
    session: Session,
    places: readonly Place[],
  ) => Promise<readonly (readonly [Place, Row])[]>
  readonly write: (session: Session, rows: readonly (readonly [Place, Row])[]) => Promise<void>
  readonly remove: (session: Session, places: readonly Place[]) => Promise<void>
}

/** @param schema - quoted */
export const objectTable = <Type extends ViewType>(
  schema: string,
  type: Type,
): ObjectTable<Views[Type]> => {
  const encode = rowEncoder(type)
  const table = `${schema}.${tableOf(type)}`
  const folded = foldedFields(type).map(foldedColumn)
  const values = ['shown', 'sequence', 'creation_date', ...folded]
  const upsert = `INSERT INTO ${table} (scope, key, ${values.join(', ')})
    SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[]
      ${folded.map((_, index) => `, $${index + 6}::text[]`).join('')})
    ON CONFLICT (scope, key)
    DO UPDATE SET ${values.map((column) => `${column} = excluded.${column}`).join(', ')}`
  const places = 'SELECT * FROM unnest($1::text[], $2::text[])'

  return {
    read: async (session, sought) => {
      const found = await session.rows<[string, string, ...ShownRow]>({
        text: `SELECT scope, key, ${SHOWN_COLUMNS} FROM ${table} WHERE (scope, key) IN (${places})`,
        values: columnsOf(sought),
      })
      return found.map(([scope, key, ...row]) => [{ scope, key }, decode<Type>(scope, row)])
    },
    write: async (session, rows) => {
      const kept = rows.map(([, row]) => encode(row))
      await session.rows({
        text: upsert,
        values: [
          ...columnsOf(rows.map(([place]) => place)),
          kept.map(({ shown }) => shown),
          kept.map(({ sequence }) => sequence),
          kept.map(({ creationDate }) => creationDate),
          ...folded.map((_, index) => kept.map((row) => row.folded[index])),
        ],
      })
    },
    remove: async (session, removed) => {
      const text = `DELETE FROM ${table} WHERE (scope, key) IN (${places})`
      await session.rows({ text, values: columnsOf(removed) })
    },
  }
}

const columnsOf = (places: readonly Place[]): unknown[] => [
  places.map(({ scope }) => scope),
  places.map(({ key }) => key),
]

/** Removes all roles of `scopes`. */
export const removeRoles = async (
  session: Session,
  schema: string,
  scopes: readonly string[],
): Promise<void> => {
  const text = `DELETE FROM ${schema}.${tableOf('project_role')} WHERE scope = ANY ($1)`
  await session.rows({ text, values: [scopes] })
}
