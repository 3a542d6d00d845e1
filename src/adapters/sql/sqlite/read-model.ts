import type { EventStore, RecordedEvent } from '../../../ports/event-store.js'
import { IN_PROCESS_BATCH } from '../../../ports/projection.js'
import type { ReadModel } from '../../../ports/read-model.js'
import { readBatch } from '../../../projections/read-events.js'
import type { Row, Statement, Steps } from '../dialect.js'
import { type Batch, endOf } from '../read-model/changes.js'
import { applyBatch, resetTables, sqlReadModel } from '../read-model/read-model.js'
import { CHECKPOINT, createTables, type Positions, positionColumns } from '../read-model/tables.js'
import { type View, viewsOf } from '../read-model/views.js'
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

/** Keeps the read model at the head while events are appended. */
export interface RowsInAppend {
  /** The last position of the log, and the checkpoint of the read model. */
  readonly positions: (database: SyncDatabase) => {
    readonly head: number
    readonly reached: number
  }
  /**
   * Writes the rows of `events`, in the transaction that records them, if the read model is at `from`. Writes nothing when
   * this version cannot read them.
   */
  readonly write: (database: SyncDatabase, from: number, events: readonly RecordedEvent[]) => void
}

/** For tables that exist. */
export const rowsInAppend = (limits: SqliteLimits): RowsInAppend => {
  const dialect = sqliteDialect(limits)
  const positions = `SELECT ${positionColumns(dialect)}`
  return {
    positions: (database) => {
      const [row] = database.rows<Positions>(positions)
      return { head: Number(row?.[0] ?? 0), reached: Number(row?.[1] ?? 0) }
    },
    write: (database, from, events) => {
      const { known, unreadable } = readBatch(events)
      if (unreadable || known.length === 0) return
      run(database, applyBatch(dialect, { from: BigInt(from), events: known }))
    },
  }
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

/** Milliseconds since the Unix epoch, the same during a statement. */
const NOW = `CAST(unixepoch('subsec') * 1000 AS INTEGER)`

const viewsIn = (limits: SqliteLimits): readonly View[] =>
  viewsOf(sqliteDialect(limits), {
    now: NOW,
    noText: 'NULL',
    timeOf: (milliseconds) =>
      `strftime('%Y-%m-%dT%H:%M:%fZ', ${milliseconds} / 1000.0, 'unixepoch')`,
  })

/** Creates the tables and the views, in a transaction that has begun, unless they are there. */
export const createViews = (database: SyncDatabase, limits: SqliteLimits): void => {
  if (haveViews(database, limits)) return
  database.script(createTables(sqliteDialect(limits)))
  for (const view of viewsIn(limits))
    database.script(`DROP VIEW IF EXISTS ${nameOf(view)}; ${textOf(view)}`)
}

/** Whether there are the tables and the views on them. */
export const haveViews = (database: SyncDatabase, limits: SqliteLimits): boolean =>
  haveTables(database) &&
  viewsIn(limits).every(
    (view) =>
      database.value('SELECT sql FROM sqlite_schema WHERE name = ?', nameOf(view)) === textOf(view),
  )

const nameOf = ({ name }: View): string => `claviger_${name}`

const textOf = (view: View): string => `CREATE VIEW ${nameOf(view)} AS ${view.select}`
