import { err, ok, type Result } from 'neverthrow'
import { fieldOf } from '../../../domain/values.js'
import { type InTransaction, InTransactionFailed } from '../../../ports/event-store.js'
import type { Parameter } from '../../sql/dialect.js'
import type { EventRow } from '../../sql/stored-events.js'
import { inTransactionOf } from '../../store/in-transaction.js'
import { type Statement, StatementFailed } from '../connection/connection.js'
import { BEGIN_FOR_HOST, type Connections, requireCommittable } from '../connection/connections.js'
import { isRefusal } from '../connection/faults.js'
import type { PostgresConnection } from '../driver.js'

/** The kind of transactions that a store on PostgreSQL runs. */
export const TRANSACTIONS = 'PostgreSQL'

/** The part of a client of `pg` that is known without its types. */
export interface PostgresClient {
  /** Runs a statement with the values of `$1` and so on. */
  query(
    text: string,
    values?: readonly unknown[],
  ): Promise<{
    /** The rows, by the names of their columns. */
    readonly rows: readonly Readonly<Record<string, unknown>>[]
  }>
}

/**
 * Writes rows of yours in the transaction that records the events of a write: both are committed or neither. Pass the
 * result as `inTransaction` in the context of the write.
 *
 * `work` gets the driver's own client, in a READ COMMITTED transaction that the server ends after 20 idle seconds:
 * a `PoolClient` of `pg`, the transaction of postgres.js, or the transaction of PGlite. Annotate the parameter with its
 * type. Use only this client, await each statement, and do not begin, commit or roll back. `work` runs again after a lost
 * race, so it must only write rows. If it throws, or if one of its statements failed, nothing is recorded and the call
 * rejects with that error.
 *
 * @example
 * ```ts
 * const withInvoice = inTransaction(async (client: PoolClient) => {
 *   await client.query('INSERT INTO invoice (id, total) VALUES ($1, $2)', [id, total])
 * })
 * await iam.userGrants.add(grant, { ...context, inTransaction: withInvoice })
 * ```
 *
 * @throws TypeError when `work` is not a function
 */
export const inTransaction = <Client = PostgresClient>(
  work: (client: Client) => Promise<unknown>,
): InTransaction => inTransactionOf(TRANSACTIONS, work)

/** An append, and the function of the host that runs first. */
interface AppendWithRows {
  readonly inTransaction: InTransaction
  /** The call of the function that appends. Its second number is above 0 when the append was recorded. */
  readonly call: string
  /** The values of `$1` and so on. */
  readonly values: readonly (Parameter | undefined)[]
  /** Finds the recorded events. */
  readonly events: Statement
}

/**
 * Runs the function of the host, then appends and commits in one message. So the lock of the log is taken after the
 * host's statements, and no process holds it while it waits for a client: a client that is frozen has either not sent
 * the message, or the server commits without it. The message begins another transaction, which reads the recorded
 * events and which the driver ends as usual.
 *
 * @returns the rows of the events, or the number with which the function refused the append
 */
export const appendInTransaction = async (
  connections: Connections,
  { inTransaction, call, values, events }: AppendWithRows,
): Promise<Result<readonly EventRow<string>[], number>> => {
  const text = `DO ${quoted(appendOrRaise(withValues(call, values)))}; COMMIT; BEGIN`
  let refused: number | undefined
  try {
    const rows = await connections.transaction(async (connection, lent, committing) => {
      await runForHost(inTransaction, lent)
      const committed = committing()
      try {
        await connection.rows({ text })
        committed()
      } catch (error) {
        refused = refusalIn(error)
        throw error
      }
      return connection.rows<EventRow<string>>(events)
    }, BEGIN_FOR_HOST)
    return ok(rows)
  } catch (error) {
    if (refused === undefined) throw error
    return err(refused)
  }
}

/** Runs the function of the host in a transaction that {@link BEGIN_FOR_HOST} has begun. */
export const runForHost = async (
  { run }: InTransaction,
  lent: PostgresConnection,
): Promise<void> => {
  const client = lent.client?.()
  if (client === undefined)
    throw new InTransactionFailed(undefined, 'is not accepted: the driver lends no client')
  try {
    // Cast: the host says which client its driver has.
    await run(client as never)
  } catch (cause) {
    throw new InTransactionFailed(cause)
  }
  try {
    await requireCommittable(lent)
  } catch (cause) {
    // The host caught the error of a statement, or its rows violate a deferred constraint; or the session has ended.
    throw isRefusal(cause) ? new InTransactionFailed(cause) : cause
  }
}

/** SQLSTATE of an append that the function refused: `X` and the number that it returned, without its sign. */
const REFUSED = /^X(\d{4})$/

/** A block that calls the function, and fails if it refuses the append, so that nothing is committed. */
const appendOrRaise = (call: string): string => `DECLARE
    verdict bigint := (${call})[2];
  BEGIN
    IF verdict <= 0 THEN
      RAISE 'claviger: the append is refused'
        USING ERRCODE = 'X' OPERATOR(pg_catalog.||) pg_catalog.lpad((-verdict)::text, 4, '0');
    END IF;
  END`

/** The number with which the function refused the append; undefined for other errors. */
const refusalIn = (error: unknown): number | undefined => {
  const cause = error instanceof StatementFailed ? error.cause : undefined
  const [, number] = REFUSED.exec(String(fieldOf(cause, 'code'))) ?? []
  return number === undefined ? undefined : -Number(number)
}

/** `text` with its values as literals: several statements of one message cannot have parameters. */
export const withValues = (text: string, values: readonly (Parameter | undefined)[]): string =>
  text.replace(/\$(\d+)/g, (_, nth: string) => {
    const value = values[Number(nth) - 1]
    return value === undefined || value === null ? 'NULL' : quoted(String(value))
  })

/** `text` as a literal, whatever `standard_conforming_strings` is. */
export const quoted = (text: string): string => `E'${text.replace(/['\\]/g, '$&$&')}'`
