import { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import {
  applyBatch,
  createTables,
  type ReadModelDriver,
  resetTables,
  type Steps,
  sqliteDialect,
  sqlReadModel,
} from 'claviger/sql'
import { expect, test } from 'vitest'
import { openSqlite } from '../../../../src/adapters/sqlite/index.js'
import { readModelLaws } from '../../../../src/laws/index.js'
import { databaseHome } from '../../read-model-home.js'
import { temporaryFile } from '../../sqlite/temporary-file.js'

/** The log is elsewhere. */
const dialect = { ...sqliteDialect({ maxParameters: 100 }), keepsEvents: true } as const

/** The end of the last transaction in each file. */
const turns = new Map<string, Promise<unknown>>()

/** The driver of a host whose database answers later, as one does over a network. */
const laterDriver = (file: string): ReadModelDriver => {
  const database = new DatabaseSync(file)
  database.exec(createTables(dialect))
  const run = async <Value>(steps: Steps<Value>): Promise<Value> => {
    let step = steps.next()
    while (!step.done) {
      await setImmediate()
      const { sql, parameters } = step.value
      const statement = database.prepare(sql)
      statement.setReturnArrays(true)
      step = steps.next(statement.all(...parameters) as never)
    }
    return step.value
  }
  /** One transaction after the other, with all its reads as of one moment. */
  const transaction = <Value>(begin: string, steps: () => Steps<Value>): Promise<Value> => {
    const inTurn = (turns.get(file) ?? Promise.resolve()).then(async () => {
      database.exec(begin)
      try {
        const value = await run(steps())
        database.exec('COMMIT')
        return value
      } catch (error) {
        database.exec('ROLLBACK')
        throw error
      }
    })
    const ended = inTurn.catch(() => undefined)
    turns.set(file, ended)
    return inTurn
  }
  const read: ReadModelDriver['read'] = (steps) => transaction('BEGIN', steps)
  return {
    dialect,
    read,
    readTogether: read,
    apply: (batch) => transaction('BEGIN IMMEDIATE', () => applyBatch(dialect, batch)),
    reset: () => transaction('BEGIN IMMEDIATE', () => resetTables(dialect)),
  }
}

const home = databaseHome(temporaryFile, (file) => {
  const { store } = openSqlite(file)
  return { store, readModel: sqlReadModel(laterDriver(file), store) }
})

test.each(readModelLaws)('A read model on the dialect of a host: $name', ({ check }) => check(home))

test('Its tables are those of the other read models, and it has their name.', () => {
  const { store, readModel } = openSqlite(temporaryFile())
  expect(sqlReadModel(laterDriver(temporaryFile()), store).name).toBe(readModel.name)
})
