import type { EventStore } from '../../../ports/event-store.js'
import type { ReadModel } from '../../../ports/read-model.js'
import { changesOf, moveCheckpoint } from '../../sql/read-model/changes.js'
import { emptyTables, sqlReadModel } from '../../sql/read-model/read-model.js'
import { CHECKPOINT } from '../../sql/read-model/tables.js'
import type { Row, Statement, Steps } from '../../sql/statement.js'
import type { Connection } from '../connection.js'
import type { Database } from '../database.js'
import { sqliteDialect } from './dialect.js'
import { createReadTables, haveTables } from './tables.js'

/** A read model in tables of its own, in the file of `store`; created when first used. */
export const sqliteReadModel = (connection: Connection, store: EventStore): ReadModel => {
  let isReady = false

  const ready = async (): Promise<Connection> => {
    if (!isReady && !(await connection.query(haveTables))) await connection.write(createReadTables)
    isReady = true
    return connection
  }

  return sqlReadModel(
    {
      dialect: sqliteDialect,
      read: async (steps) => (await ready()).query((database) => run(database, steps())),
      readTogether: async (steps) => (await ready()).read((database) => run(database, steps())),
      apply: async (batch) =>
        (await ready()).write((database) => {
          if (!run(database, moveCheckpoint(sqliteDialect, batch))) return false
          const { statements } = run(database, changesOf(sqliteDialect, batch))
          for (const { sql, parameters } of statements) database.run(sql, ...parameters)
          return true
        }),
      reset: () =>
        connection.write((database) => {
          // The tables may have been dropped.
          createReadTables(database)
          database.run(`DELETE FROM ${CHECKPOINT.name}`)
          run(database, emptyTables(sqliteDialect))
        }),
    },
    store,
  )
}

const run = <Value>(database: Database, steps: Steps<Value>): Value => {
  let step = steps.next()
  while (!step.done) step = steps.next(found(database, step.value))
  return step.value
}

const found = (database: Database, { sql, parameters }: Statement): readonly Row[] =>
  database.rows<[]>(sql, ...parameters)
