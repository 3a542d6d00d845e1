import { type Dialect, namedTexts, type Parameter, type Row, type Table } from '../dialect.js'

/** A synchronous connection to a database of SQLite. Integers are numbers. */
export interface SyncDatabase {
  /** Runs any number of statements without parameters. */
  readonly script: (sql: string) => void
  /** Runs one statement, and returns whether it changed a row. */
  readonly run: (sql: string, ...parameters: Parameter[]) => boolean
  /** All rows that a query finds. The type of the row is the caller's claim. */
  readonly rows: <Found extends Row>(sql: string, ...parameters: Parameter[]) => readonly Found[]
  /** First column of the first row; undefined when there is no row. */
  readonly value: (sql: string, ...parameters: Parameter[]) => Parameter | undefined
}

/** Runs synchronous work in a database; everything rejects with a `StoreFault` when the database fails. */
export interface SyncConnection {
  /** Runs `work` without a transaction: for a single query. */
  readonly query: <Value>(work: (database: SyncDatabase) => Value) => Promise<Value>
  /** Runs `work` so that all its queries see the database as of one moment. */
  readonly read: <Value>(work: (database: SyncDatabase) => Value) => Promise<Value>
  /** Runs `work` so that all that it writes is recorded or nothing, on the disk unless `commit` says otherwise. */
  readonly write: <Value>(
    work: (database: SyncDatabase) => Value,
    commit?: 'unsynced',
  ) => Promise<Value>
}

/** The limits of one statement. */
export interface SqliteLimits {
  /** Most parameters of a statement. */
  readonly maxParameters: number
  /** Most events that are applied together: some statements have a text with the keys of all. */
  readonly maxEvents: number
  /** Where the data of an event are not in its row alone: SQL for them. */
  readonly dataOf?: Dialect['dataOf']
}

/** How many rows one statement adds, the largest number first. Running a statement costs as much as a row. */
const ROWS_AT_ONCE = [128, 16, 8, 1]

/** The SQL of SQLite. */
export const sqliteDialect = ({
  maxParameters,
  dataOf,
}: Omit<SqliteLimits, 'maxEvents'>): Dialect => {
  const named = namedTexts()

  function* insert(table: Table, rows: readonly Row[]) {
    let done = 0
    for (const count of ROWS_AT_ONCE) {
      if (count * table.columns.length > maxParameters) continue
      for (; done + count <= rows.length; done += count) {
        const text = named(`${table.name} ${count}`, () => insertion(table, count))
        yield { ...text, parameters: rows.slice(done, done + count).flat() }
      }
    }
  }

  return {
    declarations: {
      types: { integer: 'INTEGER', text: 'TEXT', json: 'TEXT' },
      ifMissing: 'IF NOT EXISTS',
      options: 'STRICT',
      rowOptions: 'STRICT, WITHOUT ROWID',
      indexesEndWithKey: true,
    },
    named,
    table: ({ name }) => name,
    fieldInBody: (field) => `object.body ->> '$.${field}'`,
    // With a plus, SQLite uses the indexes of conditions and sorts the rows found. Without it, it would read all rows
    // in the order of their keys. Rows that equal a text exactly have that order in the index.
    ordered: (expression, conditions) =>
      conditions.some(
        ({ operator, ignoreCase }) =>
          operator === 'startsWith' || (operator === 'equals' && ignoreCase),
      )
        ? `+${expression}`
        : expression,
    contains: (text) => `instr(${text}, ?) > 0`,
    flag: Number,
    isListed: (text, list) => ({
      sql: `${text} IN (SELECT value FROM json_each(?))`,
      parameters: [JSON.stringify(list)],
    }),
    listedShares: (shares) => ({
      from: `json_each(${shares}) AS listed`,
      columns: {
        share: '(listed.value ->> 0)',
        expiresAt: '(listed.value ->> 1)',
        nth: 'listed.key',
      },
    }),
    jsonRows: (expressions) => `json_group_array(json_array(${expressions.join(', ')}))`,
    counted: (column) => `count(${column})`,
    wanted: (columns, rows) => ({
      sql: `(SELECT ${columns.map(({ name }, index) => `value ->> ${index} AS ${name}`).join(', ')}, key + 1 AS nth FROM json_each(?)) AS wanted`,
      parameters: [JSON.stringify(rows)],
    }),
    ...(dataOf && { dataOf }),
    organizationIn: (stream) =>
      `substr(${stream}, instr(${stream}, '-') + 1, instr(${stream} || '+', '+') - instr(${stream}, '-') - 1)`,
    insert,
    update: ({ name }, { by, set, ifNull }, rows) => {
      if (rows.length === 0) return []
      const sql = `UPDATE ${name} SET ${set.map((column) => `${column} = ?`).join(', ')}
      WHERE ${by.map((column) => `${column} = ?`).join(' AND ')}${ifNull ? ` AND ${set[0]} IS NULL` : ''}`
      return rows.map((row) => ({
        sql,
        parameters: [...row.slice(by.length), ...row.slice(0, by.length)],
      }))
    },
    remove: ({ name }, by, rows) =>
      rows.map((parameters) => ({
        sql: `DELETE FROM ${name} WHERE ${by.map((column) => `${column} = ?`).join(' AND ')}`,
        parameters,
      })),
  }
}

/** OR FAIL saves SQLite a journal for the statement: a fault undoes the whole transaction anyway. */
const insertion = ({ name, columns }: Table, count: number): string => {
  const row = `(${columns.map(() => '?').join(', ')})`
  const names = columns.map(({ name }) => name).join(', ')
  return `INSERT OR FAIL INTO ${name} (${names}) VALUES ${Array(count).fill(row).join(', ')}`
}
