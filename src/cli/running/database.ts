import { existsSync } from 'node:fs'
import type { EventCount, EventRestore, EventStore, ReadModel } from 'claviger'
import { type CommandCall, Failed, optional, UsageError } from './command.js'
import { isPostgres } from './mask.js'

/** A database in use. */
export interface Database {
  readonly store: EventStore & EventRestore & EventCount
  readonly readModel: ReadModel
  readonly close: () => Promise<void>
}

/** How a database is opened. */
export interface OpenOptions {
  readonly schema?: string | undefined
  /** Whether it is created when it is not there. */
  readonly create?: boolean | undefined
  readonly signal?: AbortSignal | undefined
}

/** The database of `--db`, or else of `CLAVIGER_DB`. @throws UsageError, Failed, and what opening it throws */
export const openDatabase = (call: CommandCall, options: OpenOptions = {}): Promise<Database> => {
  const address = optional(call, 'db') ?? process.env['CLAVIGER_DB']
  if (!address) throw new UsageError('--db is required: a file of SQLite, or postgres://…')
  const { signal } = call
  return openAddress(address, { schema: optional(call, 'schema'), signal, ...options })
}

/** A file of SQLite, or a server. @throws Failed, and what opening it throws */
export const openAddress = async (address: string, options: OpenOptions): Promise<Database> => {
  const { schema, create = false, signal } = options
  if (isPostgres(address)) {
    const { openPostgres } = await import('claviger/postgres')
    return openPostgres({
      connectionString: address,
      migrate: create,
      ...(schema !== undefined && { schema }),
      ...(signal !== undefined && { signal }),
    })
  }
  if (schema !== undefined) throw new UsageError('--schema is for PostgreSQL')
  if (!create && address !== ':memory:' && !existsSync(address))
    throw new Failed(`There is no file ${address}`)
  const { openSqlite } = await import('claviger/sqlite')
  return openSqlite(address)
}
