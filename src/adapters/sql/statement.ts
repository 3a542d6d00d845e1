/** What a statement is given in place of a question mark. */
export type Parameter = string | number | bigint | null

/** SQL, or a part of it, and the values of its question marks. */
export interface Statement {
  readonly sql: string
  readonly parameters: readonly Parameter[]
  /** Of a statement that is worth preparing: at most 6 letters, one name for one text. */
  readonly name?: string
}

/** A row in the order of the columns asked for. Integers may come as text. */
export type Row = readonly Parameter[]

/** A whole number as one database or another answers it, or null. */
export type Integer = number | string | null

/**
 * Work that asks a database for one statement after the other and receives the rows that each finds. A driver runs
 * it: at once, or waiting for each answer.
 */
export type Steps<Value> = Generator<Statement, Value, readonly Row[]>

/** Asks for rows. The type of a row is the caller's claim. */
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
