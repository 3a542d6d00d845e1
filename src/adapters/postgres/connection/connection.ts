import type { ClientBase, CustomTypesConfig } from 'pg'
import { fieldOf } from '../../../domain/field-of.js'
import { standbyFault } from './faults.js'

/** A row in the order of the columns asked for, each as the text that PostgreSQL writes. */
export type Row = readonly (string | null)[]

/** A statement; prepared once in each connection when it has a name. */
export interface Statement {
  /** At most 63 bytes: the schema, quoted, and a word of six letters. */
  readonly name?: string
  readonly text: string
  readonly values?: unknown[]
}

/** One connection, for as long as it is lent. */
export interface Session {
  /** All rows that `statement` finds. The type of the row is the caller's claim. */
  readonly rows: <Found extends Row>(statement: Statement) => Promise<readonly Found[]>
}

/** Tells what a statement failed with from what the code around it throws. */
export class StatementFailed extends Error {
  override readonly name = 'StatementFailed'
}

/**
 * The session in `client`, which may be kept as long as the client: no server becomes a standby while it
 * has connections.
 *
 * Behind a pooler statements have no names: the next one may reach another process, where nothing was
 * prepared.
 *
 * @throws StoreFault when the server is a standby: it may lack what was answered
 */
export const openSession = async (client: ClientBase): Promise<Session> => {
  const session = sessionOf(client)
  const [row] = await session.rows({ text: 'SELECT pg_is_in_recovery(), pg_backend_pid()' })
  const [isStandby, process] = row ?? []
  if (isStandby === 't') throw standbyFault()
  if (Number(process) === processOf(client)) return session
  return { rows: ({ name: _, ...unnamed }) => session.rows(unnamed) }
}

/**
 * The process of the server that `client` was told that it leads to. A pooler makes one up; 0 when none
 * was told.
 */
export const processOf = (client: ClientBase): number =>
  // Not in its types.
  Number(fieldOf(client, 'processID') ?? 0)

const sessionOf = (client: ClientBase): Session => ({
  rows: async <Found extends Row>(statement: Statement) => {
    try {
      const { rows } = await client.query({ ...statement, rowMode: 'array', types: AS_TEXT })
      // The types of the driver know the columns of no statement.
      return rows as unknown as readonly Found[]
    } catch (cause) {
      throw new StatementFailed('A statement failed', { cause })
    }
  },
})

const AS_TEXT: CustomTypesConfig = { getTypeParser: () => (value: unknown) => value }
