import type { EventCount, EventRestore, EventStore, ReadModel } from 'claviger'
import { type CommandCall, Failed, optional, UsageError } from './command.js'
import { reasonOf } from './explain.js'

/** A database in use. */
export interface Database extends AsyncDisposable {
  readonly store: EventStore & EventRestore & EventCount
  readonly readModel: ReadModel
  readonly close: () => Promise<void>
}

/** How a database is opened. */
export interface OpenOptions {
  readonly schema?: string | undefined
  /** Whether it is created when it is not there, and brought up to date. */
  readonly create?: boolean | undefined
  readonly signal?: AbortSignal | undefined
}

/** Whether an address is of a server, and no file. */
export const isPostgres = (address: string): boolean => /^postgres(ql)?:\/\//i.test(address)

/** Where the database is: `--db`, or else `CLAVIGER_DB`. */
export const addressOf = (call: CommandCall): string | undefined =>
  optional(call, 'db') || process.env['CLAVIGER_DB'] || undefined

/** The database of `--db`, or else of `CLAVIGER_DB`. @throws UsageError, Failed */
export const openDatabase = (call: CommandCall, options: OpenOptions = {}): Promise<Database> => {
  const address = addressOf(call)
  if (!address) throw new UsageError('--db is required: a file of SQLite, or postgres://…')
  const { signal } = call
  return openAddress(address, { schema: optional(call, 'schema'), signal, ...options })
}

/** A file of SQLite, or a server. @throws UsageError, Failed */
export const openAddress = async (address: string, options: OpenOptions): Promise<Database> => {
  if (isPostgres(address)) return openServer(address, options)
  if (address.includes('://'))
    throw new UsageError(`${address} is no address: give a file of SQLite, or postgres://…`)
  if (options.schema !== undefined) throw new UsageError('A schema is of PostgreSQL alone')
  const { openSqlite, UnusableFile } = await import('claviger/sqlite')
  try {
    return openSqlite(address, { migrate: options.create === true })
  } catch (thrown) {
    const isOld = thrown instanceof UnusableFile && thrown.reason === 'not_migrated'
    throw new Failed(`${address}: ${reasonOf(thrown)}${isOld ? hintOf(options) : ''}`)
  }
}

/** What helps where a command that may create the database was not told to. */
const hintOf = ({ create }: OpenOptions): string => (create === false ? '; use --create' : '')

const openServer = async (connectionString: string, given: OpenOptions): Promise<Database> => {
  const { schema, create = false, signal } = given
  const { openPostgres, UnusableDatabase } = await import('claviger/postgres')
  const options = { ...(schema !== undefined && { schema }), ...(signal && { signal }) }
  try {
    return await openPostgres({ connectionString, migrate: create, ...options })
  } catch (thrown) {
    if (!(thrown instanceof UnusableDatabase)) throw new Failed(reasonOf(thrown))
    throw new Failed(
      thrown.reason === 'not_migrated'
        ? `The schema ${schema ?? 'claviger'} holds no tables of this version of claviger${hintOf(given)}`
        : thrown.message,
    )
  }
}
