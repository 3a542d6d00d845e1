import type { RefOf, Views, ViewType } from '../../../ports/read-model.js'
import { type RowKey, rowKeyOf } from '../../../projections/row-key.js'
import type { ChangedRow, Dialect } from '../dialect.js'
import { allOf, find, type Statement, type Steps, type Row as Values } from '../statement.js'
import { isNamed } from './conditions.js'
import { positionColumns } from './positions.js'
import { decodeRow, SHOWN_COLUMNS, type Shared, type ShownRow, storedRows } from './stored-rows.js'
import { NAMES, tableOf } from './tables.js'

/** A row as the table has it, and as it is to be; undefined where there is none. */
export interface Entry<Row> {
  readonly rowKey: RowKey
  stored: Row | undefined
  row: Row | undefined
}

/** How the objects of one type are read and written many at a time. */
export interface ObjectTable<Row> {
  /** Fills in the rows of those that are there. */
  readonly load: (entries: readonly Entry<Row>[]) => Steps<void>
  /** What makes the table as it is to be. */
  readonly write: (entries: readonly Entry<Row>[]) => Iterable<Statement>
}

/** @see ObjectTable */
export const objectTable = <Type extends ViewType>(
  dialect: Dialect,
  shared: Shared,
  type: Type,
): ObjectTable<Views[Type]> => {
  type Row = Views[Type]
  const name = tableOf(type)
  const { columns, encode } = storedRows(type)

  const keyOf = ({ scope, key }: RowKey) => [shared.numberOf(scope), key] as const

  const valuesOf = (rowKey: RowKey, row: Row): Values => [...keyOf(rowKey), ...encode(row, shared)]

  const changed = (rowKey: RowKey, stored: Row, row: Row): ChangedRow => {
    const values = valuesOf(rowKey, row)
    let before: Values | undefined
    return {
      row: values,
      isChanged: (index) => {
        before ??= valuesOf(rowKey, stored)
        return before[index] !== values[index]
      },
    }
  }

  return {
    *load(entries) {
      if (entries.length === 0) return
      const { sql, parameters } = dialect.sought(entries.map(({ rowKey }) => keyOf(rowKey)))
      const found = yield* find<readonly [nth: number | string, ...ShownRow]>({
        sql: `SELECT nth, ${SHOWN_COLUMNS} FROM ${sql} JOIN ${dialect.table(name)} USING (scope, key)`,
        parameters,
      })
      for (const [nth, ...row] of found) {
        const entry = entries[Number(nth) - 1]
        if (entry === undefined) continue
        entry.stored = decodeRow<Type>(entry.rowKey.scope, row)
        entry.row = entry.stored
      }
    },
    *write(entries) {
      const removed: (readonly [number, string])[] = []
      const updated: ChangedRow[] = []
      const added: Values[] = []
      for (const { rowKey, stored, row } of entries) {
        if (row === stored) continue
        if (row === undefined) removed.push(keyOf(rowKey))
        else if (stored === undefined) added.push(valuesOf(rowKey, row))
        else updated.push(changed(rowKey, stored, row))
      }
      if (removed.length > 0) yield removal(dialect, name, removed)
      yield* dialect.update(name, columns, updated)
      yield* dialect.insert(name, columns, added)
    },
  }
}

const removal = (
  dialect: Dialect,
  name: string,
  keys: readonly (readonly [number, string])[],
): Statement => {
  const { sql, parameters } = dialect.sought(keys)
  return {
    sql: `DELETE FROM ${dialect.table(name)} WHERE (scope, key) IN (SELECT scope, key FROM ${sql})`,
    parameters,
  }
}

/** How all roles of `scopes` are removed. */
export const rolesRemoval = (dialect: Dialect, scopes: readonly string[]): Statement => {
  const { sql, parameters } = dialect.isListed('name', scopes)
  return {
    sql: `DELETE FROM ${dialect.table(tableOf('project_role'))}
      WHERE scope IN (SELECT number FROM ${dialect.table(NAMES)} WHERE ${sql})`,
    parameters,
  }
}

/** How an object is found. */
export const objectStatement = (
  dialect: Dialect,
  orgId: string,
  ref: RefOf<ViewType>,
): Statement => {
  const { sql, parameters } = hasKey(dialect, rowKeyOf(orgId, ref))
  return {
    name: `get ${SHORT[ref.type]}`,
    sql: `SELECT ${SHOWN_COLUMNS} FROM ${dialect.table(tableOf(ref.type))} WHERE ${sql}`,
    parameters,
  }
}

/** The same, as of one moment with the position of the log's last event and the checkpoint. */
export const objectAtHeadStatement = (
  dialect: Dialect,
  orgId: string,
  ref: RefOf<ViewType>,
): Statement => {
  const { sql, parameters } = hasKey(dialect, rowKeyOf(orgId, ref))
  return {
    name: `head ${SHORT[ref.type]}`,
    sql: `SELECT head, reached, ${SHOWN_COLUMNS} FROM (SELECT ${positionColumns(dialect)}) AS moment
      LEFT JOIN ${dialect.table(tableOf(ref.type))} ON ${sql}`,
    parameters,
  }
}

const SHORT = { identity_provider: 'i', project: 'p', project_role: 'r' } as const

const hasKey = (dialect: Dialect, { scope, key }: RowKey): Statement =>
  allOf([isNamed(dialect, 'scope', scope), { sql: 'key = ?', parameters: [key] }])
