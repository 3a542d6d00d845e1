import type { ClientBase, CustomTypesConfig } from 'pg'
import { fieldOf } from '../../../domain/values.js'
import { standbyFault } from './faults.js'
import { askServer } from './require-server.js'

/** A row in the order of its columns, each as the text that PostgreSQL writes. */
export type Row = readonly (string | null)[]

/** A statement; prepared once in each connection when it has a name. */
export interface Statement {
  /** At most 63 bytes: the schema, quoted, and a word of six letters. */
  readonly name?: string
  readonly text: string
  readonly values?: unknown[]
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

/**
 * The connection of `client`, to be kept as long as the client lives: a server that becomes a standby ends its
 * connections.
 *
 * Behind a pooler statements have no names: the next one may reach another process, where nothing was
 * prepared.
 *
 * @throws StoreFault when the server is a standby, unless `mayBeStandby`: it may lack answered appends
 */
export const connectionOf = async (
  client: ClientBase,
  mayBeStandby?: true,
): Promise<Connection> => {
  const rows = async <Found extends Row>(statement: Statement): Promise<readonly Found[]> => {
    try {
      const { rows } = await client.query({ ...statement, rowMode: 'array', types: AS_TEXT })
      // The driver's types have the columns of no statement.
      return rows as unknown as readonly Found[]
    } catch (cause) {
      throw new StatementFailed('A statement failed', { cause })
    }
  }
  const [isStandby, process] = onlyRow(
    await askServer(rows, { text: 'SELECT pg_is_in_recovery(), pg_backend_pid()' }),
  )
  if (isStandby === 't' && !mayBeStandby) throw standbyFault()
  if (Number(process) === processOf(client)) return { rows }
  return { rows: ({ name: _, ...unnamed }) => rows(unnamed) }
}

/** The process of the server according to `client`: behind a pooler a wrong one, or none, which is 0. */
export const processOf = (client: ClientBase): number =>
  // Missing from the types of the driver.
  Number(fieldOf(client, 'processID') ?? 0)

const AS_TEXT: CustomTypesConfig = { getTypeParser: () => (value: unknown) => value }
