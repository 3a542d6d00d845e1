/** The value of a question mark. */
export type Parameter = string | number | bigint | null

/** SQL, or a part of it, and the values of its question marks. */
export interface Statement {
  readonly sql: string
  readonly parameters: readonly Parameter[]
  /** Of a statement that is worth preparing: at most 6 letters, one name for one text. */
  readonly name?: string
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

/** Yields a statement that finds rows. The caller vouches for their type. */
export function* find<Found extends Row>(statement: Statement): Steps<readonly Found[]> {
  const rows = yield statement
  // The types know the columns of no statement.
  return rows as readonly Found[]
}

/** A condition that holds when all of `parts` do. */
export const allOf = (parts: readonly Statement[]): Statement => ({
  sql: parts.map(({ sql }) => sql).join(' AND '),
  parameters: parts.flatMap(({ parameters }) => parameters),
})
