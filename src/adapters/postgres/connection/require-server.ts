import { fieldOf } from '../../../domain/values.js'
import { sqlStateOf } from './faults.js'

/**
 * A database that `openPostgres` cannot use:
 *
 * - `not_migrated`: with `migrate: false`, its tables are missing or outdated;
 * - `newer`: a newer version of this library made its tables;
 * - `foreign`: the schema has tables of another program named `events` or `migrations`;
 * - `empty`: its tables have no version, because a backup was restored without its data;
 * - `encoding`: its encoding is not UTF-8;
 * - `isolation`: no longer used; any default isolation level works;
 * - `binary`: the host's pool requests binary values, which this library does not read;
 * - `server`: the server only imitates PostgreSQL, is older than version 14, or lacks a feature that this library uses.
 */
export class UnusableDatabase extends Error {
  override readonly name = 'UnusableDatabase'
  /** The reason, as listed above. */
  readonly reason:
    | 'not_migrated'
    | 'newer'
    | 'foreign'
    | 'empty'
    | 'encoding'
    | 'isolation'
    | 'binary'
    | 'server'

  constructor(reason: UnusableDatabase['reason'], message: string) {
    super(message)
    this.reason = reason
  }
}

type Ask = (statement: {
  readonly text: string
  readonly values?: readonly string[]
}) => Promise<readonly (readonly (string | null)[])[]>

/**
 * @returns the server and its version, such as `PostgreSQL 18.4`
 * @throws UnusableDatabase unless this library can use the server and the database
 */
export const requireServer = async (ask: Ask): Promise<string> => {
  const [row = []] = await askServer(ask, LOOK)
  const [version, one, encoding, hasLanguage] = row
  requireVersion(String(version))
  if (String(one) !== '1') throw new UnusableDatabase('binary', 'The pool asks for binary values')
  if (hasLanguage !== 'true') throw unusable(`The database has no PL/pgSQL: ${NEEDED}`)
  if (encoding !== 'UTF8')
    throw new UnusableDatabase('encoding', `The database keeps text as ${encoding}`)
  return String(version).split(' ', 2).join(' ')
}

/**
 * Asks a server that is not known yet.
 *
 * @throws UnusableDatabase that names the server, when it does not understand `statement`
 */
export const askServer = async (ask: Ask, statement: Parameters<Ask>[0]): ReturnType<Ask> => {
  try {
    return await ask(statement)
  } catch (error) {
    const reason = fieldOf(error, 'cause')
    if (!UNKNOWN.test(sqlStateOf(reason) ?? '')) throw error
    const [row] = await ask({ text: 'SELECT version()' })
    requireVersion(String(row?.[0]))
    throw unusable(`The server says ${fieldOf(reason, 'message')}: ${NEEDED}`)
  }
}

/** The oldest supported version of PostgreSQL. */
const OLDEST = 14

/**
 * Other databases that speak the protocol of PostgreSQL, by their text of `version()`. They are known by name,
 * because some have functions that do nothing: advisory locks of CockroachDB lock nothing.
 */
const LOOKALIKES: readonly (readonly [text: RegExp, name: string])[] = [
  [/cockroach/i, 'CockroachDB'],
  [/-YB-|yugabyte/i, 'YugabyteDB'],
  [/redshift/i, 'Amazon Redshift'],
  [/\bDSQL\b/i, 'Amazon Aurora DSQL'],
  [/spanner/i, 'Google Spanner'],
  [/materialize/i, 'Materialize'],
  [/risingwave/i, 'RisingWave'],
  [/questdb/i, 'QuestDB'],
  [/\bcrate/i, 'CrateDB'],
  [/cedardb/i, 'CedarDB'],
  [/greenplum/i, 'Greenplum'],
  [/cloudberry/i, 'Apache Cloudberry'],
  [/opengauss|gaussdb/i, 'openGauss'],
]

const NEEDED =
  'claviger needs PostgreSQL itself, with advisory locks of transactions and functions in PL/pgSQL'

/** SQLSTATE of a statement with a feature, syntax, function or table that the server does not know. */
const UNKNOWN = /^(0A000|42601|42704|42883|42P01)$/

/** Settings and features, in one statement. The lock conflicts with no other, and ends with the statement. */
const LOOK = {
  text: `SELECT version(), $1::int, current_setting('server_encoding'),
    EXISTS (SELECT FROM pg_language WHERE lanname = 'plpgsql')::text,
    pg_try_advisory_xact_lock_shared(1668047222::bigint << 32)::text`,
  values: ['1'],
}

/** @throws UnusableDatabase unless `version` names a PostgreSQL that is new enough */
const requireVersion = (version: string): void => {
  const lookalike = LOOKALIKES.find(([text]) => text.test(version))
  if (lookalike) throw unusable(`The server is ${lookalike[1]}: ${NEEDED}`)
  const major = /^PostgreSQL (\d+)/.exec(version)?.[1]
  if (major === undefined) throw unusable(`The server is ${version.slice(0, 60)}: ${NEEDED}`)
  if (Number(major) < OLDEST)
    throw unusable(`The server is PostgreSQL ${major}: claviger needs version ${OLDEST} or later`)
}

const unusable = (message: string): UnusableDatabase => new UnusableDatabase('server', message)
