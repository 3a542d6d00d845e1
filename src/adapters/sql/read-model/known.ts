import type { Row as ObjectRow } from '../../../projections/project.js'
import { columnNamed, type Dialect, type Row, type Statement, sql, type Table } from '../dialect.js'

/**
 * What a process knows of rows that it has written, so that it need not read them before it changes them. Others may
 * have changed them since, so the statement that writes checks what it relies on, see {@link areStored}.
 */
export interface Known {
  /** By stream: its last version, and the row. */
  readonly rows: Map<string, { readonly version: number; readonly row: ObjectRow | undefined }>
  /** By the names of a project in an organization, and of a generation of a role there. */
  readonly numbers: Map<string, number>
}

/** Most rows, and most numbers, that a process keeps. */
const MAX_KNOWN = 10_000

export const nothingKnown = (): Known => ({ rows: new Map(), numbers: new Map() })

export const forgetAll = ({ rows, numbers }: Known): void => {
  rows.clear()
  numbers.clear()
}

/** Keeps `value`; forgets all others when there are too many. */
export const keep = <Value>(map: Map<string, Value>, key: string, value: Value): void => {
  if (map.size >= MAX_KNOWN) map.clear()
  map.set(key, value)
}

/** Whether a table has all of `rows`; no two are equal. @param names - the columns of `rows`, the key among them */
export const areStored = (
  dialect: Dialect,
  table: Table,
  names: readonly string[],
  rows: readonly Row[],
): Statement => {
  const columns = names.map((name) => columnNamed(table, name))
  const equal = names.map((name) => `stored.${name} = wanted.${name}`).join(' AND ')
  return sql`(SELECT ${dialect.counted('wanted.nth')} FROM ${dialect.wanted(columns, rows)}
    JOIN ${dialect.table(table)} AS stored ON ${equal}) = ${{ sql: '?', parameters: [rows.length] }}`
}
