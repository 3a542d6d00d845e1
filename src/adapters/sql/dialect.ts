import type { Condition } from '../../ports/read-model.js'

/** A column of a table. */
export interface Column {
  /** Name in SQL, without quotes. */
  readonly name: string
  /** `json` is the text of `JSON.stringify`. */
  readonly holds: 'integer' | 'text' | 'json'
  /** Whether it may be null. */
  readonly isNullable?: true
}

/** An index. It leaves out rows in which a column of it is null, and those that do not meet `where`. */
export interface Index {
  /** Follows the name of the table. */
  readonly name: string
  /** Names of the columns, in the order of the index. */
  readonly columns: readonly string[]
  /** Whether no two rows may have the same values. */
  readonly isUnique?: true
  /** A condition of rows, whose columns are not null. */
  readonly where?: string
}

/** A table, declared once for all databases. */
export interface Table {
  /** Name in SQL, without schema and quotes. */
  readonly name: string
  /** The columns, in the order of a row. */
  readonly columns: readonly Column[]
  /** Columns of the primary key. */
  readonly key: readonly string[]
  /** Whether little is in a row besides the key, so that a database may store the row in the index of the key. */
  readonly isRow?: true
  /** Indexes besides the key. */
  readonly indexes: readonly Index[]
}

/** How a database declares tables. */
export interface Declarations {
  /** By what a column holds. */
  readonly types: Readonly<Record<Column['holds'], string>>
  /** After `CREATE TABLE` and `CREATE INDEX`. */
  readonly ifMissing: '' | 'IF NOT EXISTS'
  /** After the columns of a table. */
  readonly options: '' | 'STRICT'
  /** The same for a table that `isRow`. */
  readonly rowOptions: '' | 'STRICT' | 'STRICT, WITHOUT ROWID'
  /** Whether the database ends every index with the primary key. */
  readonly indexesEndWithKey?: true
}

/** The roles that an object gives, in SQL. */
export interface ListedShares {
  /** A table. */
  readonly from: string
  /** Its columns: the number of the share, the expiry in milliseconds or null, and the place in the list. */
  readonly columns: Readonly<Record<'share' | 'expiresAt' | 'nth', string>>
}

/** The SQL in which one database differs from another. */
export interface Dialect {
  /** How tables are declared. */
  readonly declarations: Declarations
  /** The text of all statements of a name: `make` is called once. */
  readonly named: (name: string, make: () => string) => Pick<Statement, 'name' | 'sql'>
  /** Name of a table with its schema. */
  readonly table: (table: Pick<Table, 'name'>) => string
  /** A field that has no column of its own, from `object.body`; text is ordered by code point. */
  readonly fieldInBody: (field: string) => string
  /**
   * The rows of `page` as one text: a line for each with its first `columns`, separated by tabs; null when there are
   * none. Absent where a second statement costs less than this.
   *
   * @param order - by columns of `page`
   */
  readonly asLines?: (page: string, columns: readonly string[], order: string) => string
  /** Whether the database has `LATERAL`. Without it, a join must keep the order of both tables to end with the page. */
  readonly hasLateral?: true
  /** The items of `shares`, a column of a table before this one. */
  readonly listedShares: (shares: string) => ListedShares
  /** An aggregate: the rows as a JSON list, each as a list of `expressions`. */
  readonly jsonRows: (expressions: readonly string[]) => string
  /** An aggregate: how many rows have a value, so no null, in `column`. */
  readonly counted: (column: string) => string
  /** An expression that orders rows which are found by `conditions`. */
  readonly ordered: (expression: string, conditions: readonly Condition[]) => string
  /** Whether a text contains another one, which is the parameter. */
  readonly contains: (text: string) => string
  /** A truth value as a parameter. */
  readonly flag: (value: boolean) => Parameter
  /** Whether a text is one of a list. */
  readonly isListed: (text: string, list: readonly string[]) => Statement
  /** A table called `wanted` with these columns of `rows`, and `nth`, which counts from 1. */
  readonly wanted: (columns: readonly Column[], rows: readonly Row[]) => Statement
  /**
   * Whether the table `events` of the library's stores is elsewhere: the read model then keeps the events that it applies,
   * and needs no such table.
   */
  readonly keepsEvents?: true
  /** The data of a row of `events`, where it is not the column alone. */
  readonly dataOf?: (event: string) => string
  /** The organization in the name of a stream: what is between the first `-` and the next `+`. */
  readonly organizationIn: (stream: string) => string
  /** Adds new rows. */
  readonly insert: (table: Table, rows: readonly Row[]) => Iterable<Statement>
  /**
   * Sets columns in rows that have the values of the columns `by`, one row for each of `rows`.
   *
   * @param rows - the values of `by`, then those of `set`; null in the first of `set` is replaced alone when `ifNull`
   */
  readonly update: (
    table: Table,
    columns: {
      /** Names of the columns that find the row. */
      readonly by: readonly string[]
      /** Names of the columns that are set. */
      readonly set: readonly string[]
      /** Whether the first of `set` is replaced only where it is null. */
      readonly ifNull?: true
    },
    rows: readonly Row[],
  ) => Iterable<Statement>
  /** Removes the rows that have the values of the columns `by`. */
  readonly remove: (
    table: Table,
    by: readonly string[],
    rows: readonly Row[],
  ) => Iterable<Statement>
}

/** The function {@link Dialect.named} of a new dialect: it keeps each text that it makes. */
export const namedTexts = (): Dialect['named'] => {
  const texts = new Map<string, string>()
  return (name, make) => {
    const sql = texts.get(name) ?? make()
    texts.set(name, sql)
    return { name, sql }
  }
}

/** The value of a question mark. */
export type Parameter = string | number | bigint | null

/** SQL, or a part of it, and the values of its question marks. */
export interface Statement {
  /** The text, with parameters as the dialect writes them. */
  readonly sql: string
  /** The values of the parameters, in order. */
  readonly parameters: readonly Parameter[]
  /** Of a statement that is worth preparing: at most 7 letters, one name for one text. */
  readonly name?: string
  /** Whether it is worth preparing although it has no name, under one that a driver finds for its text. */
  readonly isRepeated?: boolean
}

/** A row in the order of the selected columns. Integers may be text. */
export type Row = readonly Parameter[]

/** An integer as a database returns it. */
export type Integer = number | string | null

/**
 * Work that yields one statement after the other and receives the rows of each. A driver runs it, synchronously or
 * asynchronously.
 */
export type Steps<Value> = Generator<Statement, Value, readonly Row[]>

/** The rows of a statement that was yielded. The caller vouches for their type: the types know the columns of no statement. */
export const rowsOf = <Found extends Row>(rows: readonly Row[]): readonly Found[] =>
  rows as readonly Found[]

/** A template of SQL. Texts in it are SQL themselves; statements bring their parameters. */
export const sql = (
  texts: TemplateStringsArray,
  ...parts: readonly (string | number | Statement)[]
): Statement => {
  let text = ''
  const parameters: Parameter[] = []
  // A plain loop: lists and holders are composed on every call.
  for (let index = 0; index < texts.length; index++) {
    text += texts[index]
    const part = parts[index] ?? ''
    if (typeof part === 'object') parameters.push(...part.parameters)
    text += typeof part === 'object' ? part.sql : part
  }
  return { sql: text, parameters }
}

/** A value, as a parameter. */
export const param = (value: Parameter): Statement => ({ sql: '?', parameters: [value] })

/** `parts` with a text between them. */
export const joined = (parts: readonly Statement[], between: string): Statement => ({
  sql: parts.map(({ sql }) => sql).join(between),
  parameters: parts.flatMap(({ parameters }) => parameters),
})

/** Most terms of a `UNION ALL` in a Durable Object. */
const MAX_TERMS = 5

/** The rows of all `terms`, however many there are. */
export const unionOf = (terms: readonly Statement[]): Statement => {
  if (terms.length <= MAX_TERMS) return joined(terms, ' UNION ALL ')
  const rest = unionOf(terms.slice(MAX_TERMS - 1))
  const last = sql`SELECT * FROM (${rest}) AS others`
  return joined([...terms.slice(0, MAX_TERMS - 1), last], ' UNION ALL ')
}

/** A condition that holds when all of `parts` do. */
export const allOf = (parts: readonly Statement[]): Statement => joined(parts, ' AND ')

/** The largest number that a database takes for an integer; beyond every position and version. */
export const LARGEST_INTEGER = 2n ** 63n - 1n

/** `position` where a database takes it for an integer; otherwise one that has the same events above it. */
export const boundedPosition = (position: bigint): bigint => {
  if (position > LARGEST_INTEGER) return LARGEST_INTEGER
  return position < 0n ? 0n : position
}

/** Numbers of rows that texts of statements have: others would make too many texts. */
const SIZES = [1, 2, 11, 21, 51, 101, 1001]

/** A character for a text that has {@link sizeFor} so many rows; undefined for a number that few texts have. */
export const markOfSize = (rows: number): string | undefined => {
  const index = SIZES.findIndex((size) => size >= rows)
  return index < 0 ? undefined : `${index}`
}

/** The smallest number of rows, at least `rows`, that is part of a text. */
const sizeFor = (rows: number): number => SIZES.find((size) => size >= rows) ?? rows

/**
 * What follows `LIMIT` to read so many rows, or some more. With a parameter there, SQLite prepares a statement again, and
 * PostgreSQL keeps no plan.
 */
export const atLeast = (rows: number): string => `${sizeFor(rows)}`

/** The column of a table. @throws RangeError without one */
export const columnNamed = ({ columns }: Table, name: string): Column => {
  const column = columns.find((each) => each.name === name)
  if (column === undefined) throw new RangeError(`There is no column ${name}`)
  return column
}
