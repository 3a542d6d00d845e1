import {
  aesGcmCipher,
  createIam,
  type EventCount,
  type EventRestore,
  type EventStore,
  type Hooks,
  type Iam,
  type ReadModel,
  type SecretCipher,
} from 'claviger'
import { type CommandCall, Failed, optional, readJson, reasonOf, UsageError } from './command.js'

/** Options of every command that opens a database. */
export const DATABASE = {
  db: { type: 'string' },
  schema: { type: 'string' },
  json: { type: 'boolean' },
} as const

/** An open database. */
export interface Database extends AsyncDisposable {
  readonly store: EventStore & EventRestore & EventCount
  readonly readModel: ReadModel
  readonly engine?: { readonly server: string; readonly driver: string }
  readonly close: () => Promise<void>
}

interface OpenOptions {
  readonly schema?: string | undefined
  /** Whether the database is created if it is missing, and brought up to date. */
  readonly create?: boolean | undefined
  readonly signal?: AbortSignal | undefined
}

/** Whether an address is of a PostgreSQL server. */
export const isPostgres = (address: string): boolean => /^postgres(ql)?:\/\//i.test(address)

/** The address of the database: `--db`, or else `CLAVIGER_DB`. */
export const addressOf = (call: CommandCall): string | undefined =>
  optional(call, 'db') || process.env['CLAVIGER_DB'] || undefined

/** The database of `--db`, or else of `CLAVIGER_DB`. @throws UsageError, Failed */
export const openDatabase = (call: CommandCall, options: OpenOptions = {}): Promise<Database> => {
  const address = addressOf(call)
  if (!address) throw new UsageError('--db is required: an SQLite file, or postgres://…')
  const { signal } = call
  return openAddress(address, { schema: optional(call, 'schema'), signal, ...options })
}

/** Opens an SQLite file or a PostgreSQL server. @throws UsageError, Failed */
export const openAddress = async (address: string, options: OpenOptions): Promise<Database> => {
  if (isPostgres(address)) return openServer(address, options)
  // Not quoted, because it may contain a password anywhere.
  if (/^postgres(ql)?:|\bpassword\s*=/i.test(address))
    throw new UsageError('Malformed address of a server: use postgres://user@host/database')
  if (address.includes('://'))
    throw new UsageError(`Unsupported address ${address}: use an SQLite file, or postgres://…`)
  if (options.schema !== undefined) throw new UsageError('Only PostgreSQL has schemas')
  const { openSqlite, UnusableFile } = await import('claviger/sqlite')
  try {
    return openSqlite(address, { migrate: options.create === true })
  } catch (thrown) {
    const isOld = thrown instanceof UnusableFile && thrown.reason === 'not_migrated'
    throw new Failed(`${address}: ${reasonOf(thrown)}${isOld ? hintOf(options) : ''}`)
  }
}

/** A hint for commands that can create the database with an option. */
const hintOf = ({ create }: OpenOptions): string => (create === false ? '; use --create' : '')

const openServer = async (connectionString: string, input: OpenOptions): Promise<Database> => {
  const { schema, create = false, signal } = input
  const { openPostgres, UnusableDatabase } = await import('claviger/postgres')
  const options = { ...(schema !== undefined && { schema }), ...(signal && { signal }) }
  try {
    return await openPostgres({ connectionString, migrate: create, ...options })
  } catch (thrown) {
    if (!(thrown instanceof UnusableDatabase)) throw new Failed(reasonOf(thrown))
    throw new Failed(
      thrown.reason === 'not_migrated'
        ? `${thrown.message.split(': ')[0]}${hintOf(input)}`
        : thrown.message,
    )
  }
}

/** The cursors of webhooks in a database that was opened before. */
export const openCursors = async (address: string, schema?: string) => {
  if (!isPostgres(address)) return (await import('claviger/sqlite')).sqliteCursors(address)
  const { postgresCursors } = await import('claviger/postgres')
  return postgresCursors({ connectionString: address, ...(schema !== undefined && { schema }) })
}

/** Options of commands that seal or open secrets. */
export const KEYS = { keys: { type: 'string' } } as const

/**
 * The cipher of the file of `--keys`, or else of `CLAVIGER_KEYS_FILE`: JSON such as
 * `{"current":"k1","keys":{"k1":"<32 bytes in base64>"}}`. @throws Failed
 */
export const openCipher = async (call: CommandCall): Promise<SecretCipher | undefined> => {
  const file = optional(call, 'keys') ?? process.env['CLAVIGER_KEYS_FILE']
  if (!file) return undefined
  const { current, keys } = Object(await readJson(file))
  try {
    const bytes = Object.entries<string>(keys).map(
      ([id, key]) => [id, new Uint8Array(Buffer.from(key, 'base64'))] as const,
    )
    return aesGcmCipher({ current, keys: Object.fromEntries(bytes) })
  } catch {
    // The file holds keys, so nothing of it is quoted.
    throw new Failed(
      `The file ${file} must be {"current":"k1","keys":{"k1":"<32 bytes in base64>"}}`,
    )
  }
}

const noCipher: SecretCipher = {
  seal: () => Promise.reject(new Failed(NO_KEYS)),
  open: () => Promise.reject(new Failed(NO_KEYS)),
  isCurrent: () => true,
}

const NO_KEYS = 'Secrets need keys: give --keys FILE'

/** The cipher of `--keys`, which is required. @throws Failed */
export const requireCipher = async (call: CommandCall): Promise<SecretCipher> => {
  const cipher = await openCipher(call)
  if (!cipher) throw new Failed(NO_KEYS)
  return cipher
}

/** Creates the library on a database. An operator who can open the database may do everything in it. */
export const openIam = (
  { store, readModel }: Database,
  cipher?: SecretCipher | undefined,
  hooks?: Hooks | undefined,
): Iam =>
  createIam({
    store,
    readModel,
    secrets: cipher ?? noCipher,
    // No secret can be read without keys.
    authorize: ({ permission }) =>
      cipher !== undefined || permission !== 'identity_provider.secret.read',
    hooks,
  })

/** Shows how many events were read and recorded. */
export const progressOf = ({ terminal }: CommandCall): Hooks => {
  let read = 0
  let recorded = 0
  return {
    onCatchUp: ({ events }) => {
      read += events
      terminal.progress(`${read} events read`)
    },
    onAppend: ({ types }) => {
      recorded += types.length
      terminal.progress(`${recorded} events recorded`)
    },
  }
}

/** Options of every command that records. */
export const RECORDING = { user: { type: 'string' }, reason: { type: 'string' } } as const

/** {@link contextOf} for a change, with its reason. */
export const writingContextOf = (call: CommandCall, orgId: string) => ({
  ...contextOf(call, orgId),
  reason: optional(call, 'reason'),
})

/** The caller that the history shows for changes by the command line. */
export const contextOf = (call: CommandCall, orgId: string) => ({
  caller: { userId: optional(call, 'user') ?? 'claviger-cli', orgId },
  signal: call.signal,
})
