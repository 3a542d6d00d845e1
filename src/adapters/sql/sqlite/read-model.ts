import type { EventStore } from '../../../ports/event-store.js'
import { IN_PROCESS_BATCH } from '../../../ports/projection.js'
import type { ReadModel } from '../../../ports/read-model.js'
import type { Row, Statement, Steps } from '../dialect.js'
import { type Batch, endOf } from '../read-model/changes.js'
import { applyBatch, resetTables, sqlReadModel } from '../read-model/read-model.js'
import { CHECKPOINT, createTables } from '../read-model/tables.js'
import type { SqliteLimits, SyncConnection, SyncDatabase } from './dialect.js'
import { sqliteDialect } from './dialect.js'

/** A read model in tables of its own, in the database of `store`; created when first used. */
export const sqliteReadModel = (
  connection: SyncConnection,
  limits: SqliteLimits,
  store: EventStore,
): ReadModel => {
  const dialect = sqliteDialect(limits)
  const createReadTables = (database: SyncDatabase) => database.script(createTables(dialect))
  let isReady = false

  const makeReady = async (): Promise<void> => {
    if (!(await connection.query(haveTables))) await connection.write(createReadTables)
    isReady = true
  }

  const whenReady = <Value>(work: () => Promise<Value>): Promise<Value> =>
    isReady ? work() : makeReady().then(work)

  return sqlReadModel(
    {
      dialect,
      batchSize: IN_PROCESS_BATCH,
      read: (steps) => whenReady(() => connection.query((database) => run(database, steps()))),
      readTogether: (steps) =>
        whenReady(() => connection.read((database) => run(database, steps()))),
      apply: (batch) => {
        const parts = partsOf(batch, limits.maxEvents)
        const work = (database: SyncDatabase) =>
          parts.every((part) => run(database, applyBatch(dialect, part)))
        // After a power cut, lost rows are rebuilt from the log, from the remaining checkpoint.
        return whenReady(() => connection.write(work, 'unsynced'))
      },
      reset: () =>
        connection.write((database) => {
          // The tables may have been dropped.
          createReadTables(database)
          run(database, resetTables(dialect))
        }),
    },
    store,
  )
}

/** Whether there are tables; they are created together. */
const haveTables = (database: SyncDatabase): boolean =>
  database.value('SELECT 1 FROM sqlite_schema WHERE name = ?', CHECKPOINT.name) === 1

const partsOf = (batch: Batch, maxEvents: number): readonly Batch[] => {
  const { from, events } = batch
  if (events.length <= maxEvents) return [batch]
  const first = { from, events: events.slice(0, maxEvents) }
  return [first, ...partsOf({ from: endOf(first), events: events.slice(maxEvents) }, maxEvents)]
}

const run = <Value>(database: SyncDatabase, steps: Steps<Value>): Value => {
  let step = steps.next()
  while (!step.done) step = steps.next(found(database, step.value))
  return step.value
}

const found = (database: SyncDatabase, { sql, parameters }: Statement): readonly Row[] =>
  database.rows(sql, ...parameters)
