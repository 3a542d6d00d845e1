import type { Parameter } from '../../sql/dialect.js'
import type { PostgresConnection, PostgresRow } from '../driver.js'

/** A row in the order of its columns, each as the text that PostgreSQL writes. */
export type Row = PostgresRow

/** A statement; prepared once in each connection when it has a name. */
export interface Statement {
  /** At most 63 bytes: the schema, two characters, and a word of at most seven. */
  readonly name?: string
  readonly text: string
  readonly values?: readonly (Parameter | undefined)[]
}

/** A connection to the server. */
export interface Connection {
  /** All rows that `statement` finds. The type of the row is the caller's claim. */
  readonly rows: <Found extends Row>(statement: Statement) => Promise<readonly Found[]>
}

/** The row of a statement that always finds one. */
export const onlyRow = <Found extends Row>([row]: readonly Found[]): Found => {
  if (row === undefined) throw new Error('A statement found no row')
  return row
}

/** The failure of a statement; its `cause` is the error of the driver. */
export class StatementFailed extends Error {
  override readonly name = 'StatementFailed'
}

/** Runs statements on `lent`. @param isPrepared - whether names are kept */
export const connectionOn = (lent: PostgresConnection, isPrepared: () => boolean): Connection => ({
  rows: async <Found extends Row>({ name, text, values = [] }: Statement) => {
    const statement = { text, values: values.map(textOf) }
    try {
      const rows = await lent.rows(
        name !== undefined && isPrepared() ? { ...statement, name } : statement,
      )
      // A driver knows the columns of no statement.
      return rows as readonly Found[]
    } catch (cause) {
      throw new StatementFailed('A statement failed', { cause })
    }
  },
})

const textOf = (value: Parameter | undefined): string | null =>
  typeof value === 'string' ? value : value === undefined || value === null ? null : String(value)
