import { fieldOf } from '../../domain/values.js'
import { type Environment, systemEnvironment } from '../../ports/environment.js'
import {
  type EventCount,
  type EventRestore,
  type EventStore,
  type InTransaction,
  InTransactionFailed,
} from '../../ports/event-store.js'
import type { SqliteHandle } from '../../ports/sqlite-handle.js'
import type { SyncDatabase } from '../sql/sqlite/dialect.js'
import { lastPosition, readLog, restoreEvents, writeGroup } from '../sql/sqlite/event-log.js'
import type { RowsInAppend } from '../sql/sqlite/read-model.js'
import { groupCommit, type Verdict } from '../store/group-commit.js'
import {
  inTransactionOf,
  orRollBack,
  runSynchronously,
  verdictOf,
} from '../store/in-transaction.js'
import {
  listeners,
  type MicrosecondClock,
  microsecondClock,
  type PreparedAppend,
  prepareAppend,
} from '../store/record-events.js'
import type { Connection } from './connection.js'
import { isConnectionFault, isConstraint } from './faults.js'

/** The kind of transactions that a store on SQLite runs. */
const TRANSACTIONS = 'SQLite'

/**
 * Writes rows of yours in the transaction that records the events of a write: both are committed or neither. Pass the
 * result as `inTransaction` in the context of the write.
 *
 * `work` gets the open handle: the one you passed to `openSqlite`, or a `DatabaseSync` of `node:sqlite` for a path.
 * Annotate the parameter with its type. `work` must write its rows before it returns; a function that returns a promise
 * is refused. Do not begin, commit or roll back. `work` runs again after a lost race, so it must only write rows. If it
 * throws, nothing is recorded and the call rejects with the value thrown.
 *
 * Open the file with `openSqlite` before you create your tables in it; do not begin their names with `events`, `read_`,
 * `webhook` or `claviger_`.
 *
 * @example
 * ```ts
 * const withInvoice = inTransaction((db: DatabaseSync) => {
 *   db.prepare('INSERT INTO invoice (id, total) VALUES (?, ?)').run(id, total)
 * })
 * await iam.userGrants.add(grant, { ...context, inTransaction: withInvoice })
 * ```
 *
 * @throws TypeError when `work` is not a function
 */
export const inTransaction = <Handle = SqliteHandle>(
  work: (handle: Handle) => void,
): InTransaction => inTransactionOf(TRANSACTIONS, work)

/** A store in the table `events` of an SQLite file. */
export const sqliteEventStore = (
  connection: Connection,
  clock: MicrosecondClock = microsecondClock(),
  {
    environment = systemEnvironment,
    withRows,
  }: {
    readonly environment?: Environment
    /** Keeps the read model at the head. */
    readonly withRows?: (RowsInAppend & { readonly bringToHead: () => Promise<void> }) | undefined
  } = {},
): EventStore & EventRestore & EventCount => {
  const { add, isEmpty, wakeAll } = listeners()
  let endWatch: (() => void) | undefined

  const bringRows = async (): Promise<void> => {
    if (withRows && (await connection.query(withRows.isBehind))) await withRows.bringToHead()
  }

  const writeWithRows = (
    database: SyncDatabase,
    group: readonly PreparedAppend[],
  ): readonly Verdict[] => {
    if (!withRows) return writeGroup(database, group, clock())
    const from = lastPosition(database)
    const verdicts = writeGroup(database, group, clock())
    const events = verdicts.flatMap((verdict) => (verdict.isOk() ? verdict.value : []))
    withRows.write(database, from, events)
    return verdicts
  }

  const write = async (group: readonly PreparedAppend[]): Promise<readonly Verdict[]> => {
    await bringRows()
    const verdicts = await connection.write((database) => writeWithRows(database, group))
    wakeAll()
    return verdicts
  }

  const grouped = groupCommit({ write, isConnectionFault }, environment)

  const writeForHost = async (prepared: PreparedAppend, work: InTransaction): Promise<Verdict> => {
    await bringRows()
    const verdict = await verdictOf(
      connection.write((database) => {
        runForHost(database, work, connection.handle)
        return orRollBack(writeWithRows(database, [prepared])[0])
      }),
    ).catch(asFailure)
    wakeAll()
    return verdict
  }

  return {
    ...readLog(connection),
    append: async (append) =>
      append.inTransaction
        ? writeForHost(prepareAppend(append), append.inTransaction)
        : grouped(append),
    transactions: TRANSACTIONS,
    onAppend: (wake) => {
      const remove = add(wake)
      endWatch ??= watch(connection, wakeAll, environment)
      return () => {
        remove()
        if (!isEmpty()) return
        endWatch?.()
        endWatch = undefined
      }
    },
    restore: async (events) => {
      await connection.write((database) =>
        restoreEvents(database, events, ({ data }) => JSON.stringify(data)),
      )
      wakeAll()
    },
  }
}

/** Runs the function of the host. @throws InTransactionFailed also when it has ended the transaction */
const runForHost = (database: SyncDatabase, work: InTransaction, handle: SqliteHandle): void => {
  database.run('SAVEPOINT claviger')
  runSynchronously(work, handle)
  try {
    database.run('RELEASE claviger')
  } catch (cause) {
    throw new InTransactionFailed(cause)
  }
}

/** Throws a violated constraint at the commit, which rows of the host have deferred, as a failure of the host. */
const asFailure = (fault: unknown): never => {
  const cause = fieldOf(fault, 'cause')
  throw isConstraint(cause) ? new InTransactionFailed(cause) : fault
}

/** Time between two checks for changes of other processes, in milliseconds. */
const INTERVAL_MS = 50

/**
 * Calls `changed` soon after another connection has written to the file, until the returned function is called.
 * Does not keep the program alive.
 */
export const watch = (
  connection: Connection,
  changed: () => void,
  { sleep }: Environment = systemEnvironment,
): (() => void) => {
  let isWatching = true
  let seen: unknown

  const check = async (): Promise<void> => {
    const current = await dataVersion(connection)
    if (!isWatching || connection.isClosed()) return
    if (seen !== undefined && current !== undefined && current !== seen) changed()
    seen = current ?? seen
    sleep(INTERVAL_MS, undefined, true).then(check)
  }

  void check()
  return () => {
    isWatching = false
  }
}

/** A number that changes with every commit of another connection; undefined when it cannot be read now. */
const dataVersion = (connection: Connection): Promise<unknown> =>
  connection.query((database) => database.value('PRAGMA data_version')).catch(() => undefined)
