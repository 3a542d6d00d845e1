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
import { readLog, restoreEvents, writeGroup } from '../sql/sqlite/event-log.js'
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
export const inTransaction = <Handle = SqliteHandle, Returned = unknown>(
  work: (handle: Handle) => Returned extends PromiseLike<unknown> ? never : Returned,
): InTransaction => inTransactionOf(TRANSACTIONS, work)

/** Tries to begin with the read model at the head: others may record events without rows between two of them. */
const MAX_TRIES = 8

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

  /**
   * Runs `work` in a transaction. With rows, the read model is at the head then, unless others record events without rows
   * all the time, or events that this version cannot read.
   */
  const inTransaction = async <Value>(
    work: (database: SyncDatabase, write: typeof writeGroup) => Value,
  ): Promise<Value> => {
    if (!withRows) return connection.write((database) => work(database, writeGroup))
    let seen: number | undefined
    for (let tries = 1; ; tries++) {
      const done = await connection.write((database) => {
        const { head, reached } = withRows.positions(database)
        const isBehind = reached < head && reached !== seen && tries < MAX_TRIES
        seen = reached
        if (isBehind) return undefined
        return { value: work(database, (...given) => writeWithRows(withRows, head, ...given)) }
      })
      if (done) return done.value
      await withRows.bringToHead()
    }
  }

  const write = async (group: readonly PreparedAppend[]): Promise<readonly Verdict[]> => {
    const verdicts = await inTransaction((database, write) => write(database, group, clock()))
    wakeAll()
    return verdicts
  }

  const grouped = groupCommit({ write, isConnectionFault }, environment)

  const writeForHost = async (prepared: PreparedAppend, work: InTransaction): Promise<Verdict> => {
    const verdict = await verdictOf(
      inTransaction((database, write) => {
        runForHost(database, work, connection.handle)
        return orRollBack(write(database, [prepared], clock())[0])
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

/** Writes a group, and the rows of its events. @param head - position of the last event */
const writeWithRows = (
  rows: RowsInAppend,
  head: number,
  ...[database, group, now]: Parameters<typeof writeGroup>
): readonly Verdict[] => {
  const verdicts = writeGroup(database, group, now, head)
  const events = verdicts.flatMap((verdict) => (verdict.isOk() ? verdict.value : []))
  rows.write(database, head, events)
  return verdicts
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
