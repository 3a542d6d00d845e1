import type { EventStore } from '../../../ports/event-store.js'
import type { ReadModel } from '../../../ports/read-model.js'
import type { Statement, Steps } from '../../sql/dialect.js'
import {
  type Batch,
  changesOf,
  checkpointMove,
  moveCheckpoint,
} from '../../sql/read-model/changes.js'
import { emptyTables, sqlReadModel } from '../../sql/read-model/read-model.js'
import { CHECKPOINT } from '../../sql/read-model/tables.js'
import type { Connection } from '../connection/connection.js'
import type { Connections } from '../connection/connections.js'
import { type Ask, guarded, postgresDialect, preparer, readingDialect, run } from './dialect.js'

/** Most events that are applied in one statement; of more, each statement is made while the server runs the one before. */
const MAX_EVENTS_OF_ONE_STATEMENT = 100

/**
 * A read model in tables of its own, beside the events of `store`. Of several processes that catch up at once
 * one applies a batch; the others wait for it and apply nothing.
 *
 * @param schema - quoted
 */
export const postgresReadModel = (
  connections: Connections,
  schema: string,
  store: EventStore,
): ReadModel => {
  const dialect = postgresDialect(schema)
  const prepared = preparer(schema)

  const ask: Ask = (statement) => connections.read(prepared(statement))

  const read = <Value>(steps: () => Steps<Value>) => run(ask, steps())

  const within =
    (connection: Connection): Ask =>
    (statement) =>
      connection.rows(prepared(statement))

  /** Undefined, with nothing written, when a transaction is needed. */
  const applyFew = async (batch: Batch): Promise<boolean | undefined> => {
    // A missing row of the checkpoint cannot be locked.
    if (
      batch.from === 0n ||
      batch.events.length === 0 ||
      batch.events.length > MAX_EVENTS_OF_ONE_STATEMENT
    )
      return undefined
    const { reached, statements, isUnordered } = await run(ask, changesOf(dialect, batch))
    if (reached !== batch.from) return false
    const writes = [...statements]
    if (!isUnordered()) return undefined
    const statement = guarded(checkpointMove(dialect, batch), writes)
    const [moved] = await connections.write(prepared(statement))
    return moved !== undefined
  }

  const applyMany = (batch: Batch): Promise<boolean> =>
    connections.transaction(async (connection) => {
      // Before the row, as a reset does: an update that waited keeps it locked even if it finds another position.
      if (batch.from === 0n) await lockMissingRow(connection, schema)
      const ask = within(connection)
      if (!(await run(ask, moveCheckpoint(dialect, batch)))) return false
      const { statements } = await run(ask, changesOf(dialect, batch))
      await askAll(ask, statements)
      return true
    }, 'BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL synchronous_commit = off')

  return sqlReadModel(
    {
      dialect: readingDialect(schema, 'primary'),
      read,
      readTogether: read,
      apply: async (batch) => (await applyFew(batch)) ?? applyMany(batch),
      reset: () =>
        connections.transaction(async (connection) => {
          // Without it a reset would not wait for a process that puts a missing row back.
          await lockMissingRow(connection, schema)
          await connection.rows({ text: `UPDATE ${dialect.table(CHECKPOINT)} SET position = 0` })
          await run(within(connection), emptyTables(dialect))
        }),
    },
    store,
  )
}

/** Makes each statement while the server runs the one before. */
const askAll = async (ask: Ask, statements: Iterable<Statement>): Promise<void> => {
  let running: Promise<unknown> = Promise.resolve()
  for (const statement of statements) {
    await running
    running = ask(statement)
  }
  await running
}

/** Replaces the lock of the checkpoint's row while that row is missing; held until the transaction ends. */
const lockMissingRow = async (connection: Connection, schema: string): Promise<void> => {
  await connection.rows({
    text: `SELECT pg_advisory_xact_lock(hashtextextended('claviger checkpoint ' || $1, 0::bigint))`,
    values: [schema],
  })
}
