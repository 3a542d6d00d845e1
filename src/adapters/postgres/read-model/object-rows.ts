import type { Views, ViewType } from '../../../ports/read-model.js'
import type { Place } from '../../../projections/place.js'
import { decodeRow, rowEncoder, SHOWN_COLUMNS, type Shared } from '../../kept-rows.js'
import { foldedColumn, foldedFields, NAMES, tableOf } from '../../read-tables.js'
import { rowsOf, toJsonLines } from '../rows-of.js'
import type { Session, Statement } from '../session.js'
import { bigintArray, textArray } from './arrays.js'

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
  name: `${schema} get ${SHORT[type]}`,
  text: `SELECT ${SHOWN_COLUMNS} FROM ${schema}.${tableOf(type)}
    WHERE scope = (SELECT number FROM ${schema}.${NAMES} WHERE name = $1) AND key = $2`,
  values: [scope, key],
})

const SHORT = { identity_provider: 'i', project: 'p', project_role: 'r' } as const

/** How the objects of one type are read and written many at a time. */
export interface ObjectTable<Row> {
  /** The objects at `places`, of those that exist. */
  readonly read: (
    session: Session,
    places: readonly Place[],
  ) => Promise<readonly (readonly [Place, Row])[]>
  /** Adds rows where there are none. */
  readonly insert: (rows: readonly (readonly [Place, Row])[]) => Statement
  /** Puts rows in place of those that are there. */
  readonly update: (rows: readonly (readonly [Place, Row])[]) => Statement
  readonly remove: (places: readonly Place[]) => Statement
}

/** @param schema - quoted */
export const objectTable = <Type extends ViewType>(
  schema: string,
  shared: Shared,
  type: Type,
): ObjectTable<Views[Type]> => {
  const encode = rowEncoder(type)
  const table = `${schema}.${tableOf(type)}`
  const folded = foldedFields(type).map(foldedColumn)
  const columns = [...SHOWN_COLUMNS.split(', '), ...folded]
  const rows = rowsOf([
    'bigint',
    'text',
    'lines',
    'bigint',
    'bigint',
    ...folded.map(() => 'text' as const),
  ])
  const columnsOf = (places: readonly Place[]): unknown[] => [
    bigintArray(places.map(({ scope }) => shared.numberOf(scope))),
    textArray(places.map(({ key }) => key)),
  ]
  const valuesOf = (rows: readonly (readonly [Place, Views[Type]])[]): unknown[] => {
    const kept = rows.map(([, row]) => encode(row, shared))
    return [
      ...columnsOf(rows.map(([place]) => place)),
      toJsonLines(kept.map(({ shown }) => shown)),
      bigintArray(kept.map(({ sequence }) => sequence)),
      bigintArray(kept.map(({ creationDate }) => creationDate)),
      ...folded.map((_, index) => textArray(kept.map((row) => row.folded[index] ?? null))),
    ]
  }

  return {
    read: async (session, sought) => {
      const found = await session.rows<[index: string, ...ShownRow]>({
        text: `SELECT index, ${SHOWN_COLUMNS} FROM ${table}
          JOIN unnest($1::bigint[], $2::text[]) WITH ORDINALITY AS sought (scope, key, index)
          USING (scope, key)`,
        values: columnsOf(sought),
      })
      return found.flatMap(([index, ...row]) => {
        const place = sought[Number(index) - 1]
        return place ? [[place, decode<Type>(place.scope, row)]] : []
      })
    },
    insert: (added) => ({
      name: `${schema} add ${SHORT[type]}`,
      text: `INSERT INTO ${table} (scope, key, ${columns.join(', ')}) ${rows}`,
      values: valuesOf(added),
    }),
    update: (updated) => ({
      text: `UPDATE ${table} AS kept
        SET ${columns.map((column) => `${column} = row_after.${column}`).join(', ')}
        FROM (${rows}) AS row_after (scope, key, ${columns.join(', ')})
        WHERE kept.scope = row_after.scope AND kept.key = row_after.key`,
      values: valuesOf(updated),
    }),
    remove: (removed) => ({
      text: `DELETE FROM ${table}
        WHERE (scope, key) IN (${rowsOf(['bigint', 'text'])})`,
      values: columnsOf(removed),
    }),
  }
}

/** How all objects of a type in `scopes` are removed. */
export const removalOf = (
  schema: string,
  type: ViewType,
  scopes: readonly string[],
): Statement => ({
  text: `DELETE FROM ${schema}.${tableOf(type)}
    WHERE scope IN (SELECT number FROM ${schema}.${NAMES} WHERE name = ANY ($1))`,
  values: [scopes],
})
